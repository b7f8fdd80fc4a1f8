/* SPDX-License-Identifier: MIT */
#include "context.h"

#include <math.h>

#include "opencl/core/opencl.h"

enum clump_status clump_profile_start(clump_context *context, bool on)
{
    CLUMP_ROUNDING();
    enum clump_status status = clump_check_context("profile", context);
    if (!status)
        status = clump_context_finish(context);
    if (status)
        return status;
    if (on && context->opencl)
        clump_opencl_profile(context);
    context->profiling = on;
    if (on)
        context->profile = (struct clump_profile){0};
    return CLUMP_OK;
}

enum clump_status clump_profile_read(clump_context *context, struct clump_profile *profile)
{
    CLUMP_ROUNDING();
    enum clump_status status = clump_check_context("profile", context);
    if (!status)
        status = clump_check_given(&context->log, "profile", "place for the counters", profile);
    if (!status)
        status = clump_context_finish(context);
    if (status)
        return status;
    *profile = context->profile;
    if (!context->opencl || !context->opencl->has_events)
        profile->device_ms = profile->upload_ms = profile->download_ms = NAN;
    return CLUMP_OK;
}
