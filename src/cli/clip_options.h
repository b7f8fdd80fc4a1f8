/* SPDX-License-Identifier: MIT */
/* The options of clipping, shared by the commands that clip: stats, clip, find. */
#ifndef CLUMP_CLI_CLIP_OPTIONS_H
#define CLUMP_CLI_CLIP_OPTIONS_H

#include "run.h"

struct clip_settings {
    double kappa, kappa_low, kappa_high; /* NaN: not given */
    uint32_t iterations;
    enum clump_clip_centre centre;
    enum clump_clip_scale scale;
    bool inclusive;
};
extern struct clip_settings clip_settings;

/* Entries of an option table. */
#define CLIP_OPTIONS                                                                               \
    {"kappa",       'k',                                                                           \
     OPTION_DOUBLE, &clip_settings.kappa,                                                          \
     "K",           "clip what is further than K scales from the centre (3)"},                     \
        {"kappa-low", 0, OPTION_DOUBLE, &clip_settings.kappa_low, "K", "the same, below only"},    \
        {"kappa-high", 0, OPTION_DOUBLE, &clip_settings.kappa_high, "K", "the same, above only"},  \
        {"iterations",                                                                             \
         'i',                                                                                      \
         OPTION_UNSIGNED,                                                                          \
         &clip_settings.iterations,                                                                \
         "N",                                                                                      \
         "clip at most N times (0: until nothing is removed)"},                                    \
        {"centre",      0,                                                                         \
         OPTION_CHOICE, &clip_settings.centre,                                                     \
         "median|mean", "centre of the kept pixels (median)"},                                     \
        {"scale",       0,                                                                         \
         OPTION_CHOICE, &clip_settings.scale,                                                      \
         "std|mad",     "scale of the kept pixels: standard deviation or 1.4826 MAD (std)"},       \
    {                                                                                              \
        "inclusive", 0, OPTION_FLAG, &clip_settings.inclusive, NULL,                               \
            "keep pixels equal to a bound"                                                         \
    }

/* Makes parameters of what was given. Returns EXIT_USAGE after one line for a kappa <= 0. */
int clip_options(struct run *run, struct clump_clip_params *params);

/* A line of figures as the lesson prints them, that and another, and the bounds with what they
 * keep. */
void clip_print_line(struct run *run, const char *when, const struct clump_stats_result *stats);
void clip_print(struct run *run, const char *when, const struct clump_stats_result *stats);
void clip_print_bounds(struct run *run, const struct clump_clip_result *result);

#endif
