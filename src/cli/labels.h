/* SPDX-License-Identifier: MIT */
/* The label images that commands read beside a picture. */
#ifndef CLUMP_CLI_LABELS_H
#define CLUMP_CLI_LABELS_H

#include "run.h"

#define LABELS_OPTIONS                                                                             \
    {"labels-page", 0,                                                                             \
     OPTION_SIZE,   &labels_page,                                                                  \
     "N",           "which page of the labels, from 0 (that of --page, where they have several)"}, \
    {                                                                                              \
        "labels-plane", 0, OPTION_SIZE, &labels_plane, "N",                                        \
            "which plane of the labels, from 0 (that of --plane, where they have several)"         \
    }

extern uint64_t labels_page, labels_plane;

/* Opens and reads a label image by these options. Release with run_release, also after failure. */
enum clump_status labels_read(struct run *run, const char *path, struct input *labels);

#endif
