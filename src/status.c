/* SPDX-License-Identifier: MIT */
#include <clump/clump.h>

#include "built.h"

const char *clump_status_text(enum clump_status status)
{
    static const char *const texts[CLUMP_STATUS_COUNT] = {
        [CLUMP_OK] = "done",
        [CLUMP_ERROR_ARGUMENT] = "wrong argument",
        [CLUMP_ERROR_DEVICE] = "no such device",
        [CLUMP_ERROR_UNSUPPORTED] = "not supported",
        [CLUMP_ERROR_KERNEL] = "kernel missing or broken",
        [CLUMP_ERROR_OPENCL] = "OpenCL error",
        [CLUMP_ERROR_MEMORY] = "out of memory",
        [CLUMP_ERROR_DEVICE_MEMORY] = "out of device memory",
        [CLUMP_ERROR_FILE] = "file error",
        [CLUMP_ERROR_FORMAT] = "bad file contents",
        [CLUMP_ERROR_RESULT] = "wrong result",
    };
    if ((unsigned)status >= CLUMP_STATUS_COUNT)
        return "unknown status";
    return texts[status];
}

const char *clump_version(void) { return CLUMP_VERSION; }

const char *clump_built_without(void) { return CLUMP_BUILT_WITHOUT; }
