/* SPDX-License-Identifier: MIT */
#include "context.h"

#define ANY_TYPE (~0u)

enum clump_status clump_convert(clump_context *context, const clump_image *image,
                                enum clump_type type, clump_image **converted)
{
    CLUMP_ROUNDING();
    enum clump_status status = clump_check_image(context, "convert", "image", image, ANY_TYPE);
    if (status)
        return status;
    if ((unsigned)type >= CLUMP_TYPE_COUNT)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT, "convert: %d is not a pixel type",
                          (int)type);
    if (!converted)
        return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                          "convert: no place for the converted image was given");
    return context->backend->convert(context, image, type, converted);
}

enum clump_status clump_convert_to(clump_context *context, unsigned types, enum clump_type type,
                                   const clump_image **image, clump_image **made)
{
    if (types & 1u << (*image)->type)
        return CLUMP_OK;
    enum clump_status status = context->backend->convert(context, *image, type, made);
    if (!status)
        *image = *made;
    return status;
}
