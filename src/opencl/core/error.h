/* SPDX-License-Identifier: MIT */
/*
 * Errors of OpenCL and of devices: one line in the log for the person, one status for the program.
 */
#ifndef CLUMP_SRC_OPENCL_ERROR_H
#define CLUMP_SRC_OPENCL_ERROR_H

#include "context.h"
#include "opencl/core/api.h"

/* "CL_OUT_OF_RESOURCES" and so on. Borrowed. */
const char *clump_cl_symbol(cl_int error);

/* Logs "TEXT: SYMBOL (NUMBER) on DEVICE" at ERROR; its value is the status that fits the error. */
#define clump_cl_fail(context, error, ...)                                                         \
    (clump_cl_say((context), (error), __VA_ARGS__), clump_cl_status(error))
void clump_cl_say(clump_context *context, cl_int error, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

static inline enum clump_status clump_cl_status(cl_int error)
{
    switch (error) {
    case CL_MEM_OBJECT_ALLOCATION_FAILURE:
    case CL_OUT_OF_RESOURCES:
    case CL_INVALID_BUFFER_SIZE:
        return CLUMP_ERROR_DEVICE_MEMORY;
    case CL_OUT_OF_HOST_MEMORY:
        return CLUMP_ERROR_MEMORY;
    default:
        return CLUMP_ERROR_OPENCL;
    }
}

/* Fails with CLUMP_ERROR_RESULT where the device found another number of `what` than there are. */
enum clump_status clump_check_count(clump_context *context, const char *operation, const char *what,
                                    uint64_t found, uint64_t expected);

/* Counts in the profile that a quick way did not serve, and logs `why` at DEBUG. */
void clump_fall_back(clump_context *context, const char *why);

#endif
