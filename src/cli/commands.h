/* SPDX-License-Identifier: MIT */
/* The commands, in the order in which `clump --help` shows them. */
#ifndef CLUMP_CLI_COMMANDS_H
#define CLUMP_CLI_COMMANDS_H

#include "run.h"

#define COMMANDS                                                                                   \
    COMMAND(devices)                                                                               \
    COMMAND(info)                                                                                  \
    COMMAND(make)                                                                                  \
    COMMAND(convert)                                                                               \
    COMMAND(arith)                                                                                 \
    COMMAND(select)                                                                                \
    COMMAND(compress)                                                                              \
    COMMAND(reshape)                                                                               \
    COMMAND(compare)                                                                               \
    COMMAND(stats)                                                                                 \
    COMMAND(clip)                                                                                  \
    COMMAND(background)                                                                            \
    COMMAND(otsu)                                                                                  \
    COMMAND(convolve)                                                                              \
    COMMAND(gaussian)                                                                              \
    COMMAND(threshold)                                                                             \
    COMMAND(morphology)                                                                            \
    COMMAND(label)                                                                                 \
    COMMAND(measure)                                                                               \
    COMMAND(photometry)                                                                            \
    COMMAND(relabel)                                                                               \
    COMMAND(label2rgb)                                                                             \
    COMMAND(find)                                                                                  \
    COMMAND(extract)                                                                               \
    COMMAND(cells)                                                                                 \
    COMMAND(view)                                                                                  \
    COMMAND(primes)                                                                                \
    COMMAND(bench)

#define COMMAND(word) extern const struct command command_##word;
COMMANDS
#undef COMMAND

#endif
