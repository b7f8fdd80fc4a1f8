/* SPDX-License-Identifier: MIT */
/* What host and kernel agree on about colouring labels (label2rgb.cl). */
#ifndef CLUMP_CL_REGIONS_LABEL2RGB_H
#define CLUMP_CL_REGIONS_LABEL2RGB_H

#include "common/types.h"

/* An argument of the kernel, passed by value. */
struct label2rgb_mix {
    u64 n;                         /* pixels */
    float alpha, rest;             /* weights of the colour and of the picture under it */
    float image_alpha, image_rest; /* grey becomes grey * image_alpha + image_rest */
    float low, gain;               /* a value becomes the grey (value - low) * gain */
    u32 overlay;                   /* label 0 too has a colour */
    u32 plain;                     /* the background shows the picture as it is */
};

#endif
