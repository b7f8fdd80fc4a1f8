/* SPDX-License-Identifier: MIT */
/* The self-test of a device: every operation against the reference, by the pairs of tests/. */
#ifndef CLUMP_CLI_CHECK_H
#define CLUMP_CLI_CHECK_H

#include "run.h"

/*
 * Checks a device and prints a line for each pair, or puts the list `check` into `json`. Returns
 * an error after one line when it cannot be opened or does not agree.
 */
enum clump_status check_device(struct run *run, const struct clump_device *device, json_t *json);

#endif
