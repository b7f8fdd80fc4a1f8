/* SPDX-License-Identifier: MIT */
#include "context.h"

enum clump_status clump_channel(clump_context *context, const clump_image *image, unsigned channel,
                                clump_image **grey)
{
    CLUMP_ROUNDING();
    enum clump_status status =
        clump_check_image(context, "channel", "image", image, 1u << CLUMP_RGB);
    if (status)
        return status;
    if (channel > 2)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "channel: must be 0 (red), 1 (green) or 2 (blue), not %u", channel);
    if (!grey)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "channel: no place for the channel was given");
    return context->backend->channel(context, image, channel, grey);
}
