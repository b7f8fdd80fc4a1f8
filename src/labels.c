/* SPDX-License-Identifier: MIT */
/* Label images of floats, and negative labels. The host looks at them, because they are rare. */
#include "context.h"

#include <inttypes.h>
#include <math.h>

static double real_at(const void *pixels, enum clump_type type, uint64_t i)
{
    return type == CLUMP_F32 ? ((const float *)pixels)[i] : ((const double *)pixels)[i];
}

static enum clump_status copy_whole(clump_context *context, const char *operation,
                                    const clump_image *labels, const void *from, int64_t *to)
{
    for (uint64_t i = 0; i < labels->rows * labels->cols; i++) {
        double label = real_at(from, labels->type, i);
        bool whole = label == rint(label), held = label >= -0x1p63 && label < 0x1p63;
        if (!isnan(label) && !(whole && held))
            return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                              "%s: label %.17g at row %" PRIu64 ", column %" PRIu64
                              " is %s; labels are "
                              "whole numbers that fit into int64",
                              operation, label, i / labels->cols, i % labels->cols,
                              whole ? "beyond int64" : "not a whole number");
        to[i] = isnan(label) ? 0 : (int64_t)label;
    }
    return CLUMP_OK;
}

enum clump_status clump_labels_whole(clump_context *context, const char *operation,
                                     const clump_image **labels, clump_image **made)
{
    clump_image *given = (clump_image *)*labels; /* mapping to read leaves the pixels as they are */
    void *from, *to;
    if (!(CLUMP_TYPES_FLOAT & 1u << given->type))
        return CLUMP_OK;
    enum clump_status status =
        clump_image_create(context, CLUMP_I64, given->rows, given->cols, made);
    if (!status)
        status = clump_image_map(given, CLUMP_IMAGE_READ, &from);
    if (status)
        return status;
    status = clump_image_map(*made, CLUMP_IMAGE_WRITE, &to);
    if (!status) {
        status = copy_whole(context, operation, given, from, to);
        enum clump_status unmapped = clump_image_unmap(*made);
        status = status ? status : unmapped;
    }
    enum clump_status unmapped = clump_image_unmap(given);
    *labels = *made;
    return status ? status : unmapped;
}

static int64_t whole_at(const void *pixels, enum clump_type type, uint64_t i)
{
    return type == CLUMP_I16   ? ((const int16_t *)pixels)[i]
           : type == CLUMP_I32 ? ((const int32_t *)pixels)[i]
                               : ((const int64_t *)pixels)[i];
}

enum clump_status clump_fail_negative(const clump_image *labels)
{
    clump_context *context = labels->context;
    clump_image *given = (clump_image *)labels; /* as above */
    uint64_t i = 0, n = labels->rows * labels->cols;
    void *pixels;
    enum clump_status status = clump_image_map(given, CLUMP_IMAGE_READ, &pixels);
    if (status)
        return status;
    while (i + 1 < n && whole_at(pixels, labels->type, i) >= 0)
        i++;
    clump_say(&context->log, CLUMP_LOG_ERROR,
              "measure: label %" PRId64 " at row %" PRIu64 ", column %" PRIu64
              " is negative; labels are 1 and more, and 0 for the background",
              whole_at(pixels, labels->type, i), i / labels->cols, i % labels->cols);
    status = clump_image_unmap(given);
    return status ? status : CLUMP_ERROR_ARGUMENT;
}
