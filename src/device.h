/* SPDX-License-Identifier: MIT */
/*
 * Devices inside the library: each has a handle, which is NULL for `reference`.
 */
#ifndef CLUMP_SRC_DEVICE_H
#define CLUMP_SRC_DEVICE_H

#include "context.h"

/* Lists all devices, `reference` last, and their handles; release both arrays with free. */
enum clump_status clump_device_find_all(const struct clump_log *log, struct clump_device **devices,
                                        void ***handles, size_t *count);

/* True where `name`, or without one the environment, asks for the reference by its word, and with
 * its description, in which the index is 0: no device is listed, and no driver of OpenCL is loaded.
 */
bool clump_device_is_reference(const char *name, struct clump_device *device, const char **why);

/* src/opencl/core/device.c: the OpenCL devices alone, with room for one more entry. */
enum clump_status clump_opencl_devices(const struct clump_log *log, struct clump_device **devices,
                                       void ***handles, size_t *count);

/* src/opencl/core/context.c: opens the device of a handle; fills in context->opencl. */
enum clump_status clump_opencl_open(clump_context *context, void *handle,
                                    const struct clump_context_params *params);

#endif
