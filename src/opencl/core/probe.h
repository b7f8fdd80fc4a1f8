/* SPDX-License-Identifier: MIT */
/*
 * Whether a device computes as the kernels need it: drivers have been seen to ignore the pragma
 * that forbids to fuse products and sums, and to say of denormals what is not so.
 */
#ifndef CLUMP_SRC_OPENCL_PROBE_H
#define CLUMP_SRC_OPENCL_PROBE_H

#include "context.h"

/*
 * Asks the device before its first program is built, unless its driver is known (POCL's and Intel's
 * for CPUs, with which every test is run) or the cache on disk has the answer. Notes that the
 * device flushes denormals in opencl->flushes. Refuses a device whose results would not be those of
 * other devices.
 */
enum clump_status clump_probe(clump_context *context);
/* Asks the device, whatever is known; `answer` gets bits of enum probe_answer. Blocks. */
enum clump_status clump_probe_ask(clump_context *context, uint32_t *answer);

#endif
