/* SPDX-License-Identifier: MIT */
/* What host and kernels agree on about the components of a mask (runs.cl, docs/labelling.md). */
#ifndef CLUMP_CL_REGIONS_RUNS_H
#define CLUMP_CL_REGIONS_RUNS_H

#include "common/types.h"

/* The highest bit of a run's number tells two meanings of it apart: see runs.cl. */
#define RUNS_FLAG 0x80000000u

/* Fine: steps up that one launch of label_shorten goes from every parent. */
#define LABEL_HOPS 15

/* The numbers in the buffer `counts`. */
enum runs_count {
    RUNS_COMPONENTS,
    RUNS_SLOTS,  /* in use; coarse only */
    RUNS_PIXELS, /* of all components */
    RUNS_COUNTS
};

/* Coarse: a band of rows. Runs and ids of a band are numbered from `first` on. */
struct runs_band {
    u32 first;
    u32 last;   /* the first run of the band's last row */
    u32 ids;    /* that the band has given out */
    u32 roots;  /* components that begin in this band */
    u32 before; /* components that begin in earlier bands */
    u32 pixels; /* of all components, in this band */
};

/* Coarse: stands for a component of a band that begins in an earlier band. */
struct runs_slot {
    u32 root;   /* the id of the component where it begins */
    u32 before; /* components that begin in bands before that one. Until label_border has joined
                   all bands: the id that the slot stands for */
};

#endif
