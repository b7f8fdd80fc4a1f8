/* SPDX-License-Identifier: MIT */
#include "opencl/core/opencl.h"

#include <stdio.h>

/* How a type stores pixels, FROM and TO in cl/pixels/convert.cl: 0 as one number, 1 as one bit, 2
 * as three bytes. */
static int storage(enum clump_type type)
{
    return type == CLUMP_BITS ? 1 : type == CLUMP_RGB ? 2 : 0;
}

/* Copies the bytes, where the type stays the same. */
static enum clump_status copy(clump_context *context, const clump_image *image, clump_image *made)
{
    cl_int error = clump_cl.EnqueueCopyBuffer(context->opencl->queue, image->buffer, made->buffer,
                                              0, 0, image->bytes, 0, NULL, NULL);
    if (error != CL_SUCCESS)
        return clump_cl_fail(context, error, "convert: copying %zu bytes (clEnqueueCopyBuffer)",
                             image->bytes);
    return CLUMP_OK;
}

static enum clump_status run(clump_context *context, const clump_image *image, clump_image *made)
{
    char options[224];
    cl_kernel kernel;
    bool to_float = made->type == CLUMP_F32 || made->type == CLUMP_F64;
    bool blanks = !to_float && (image->type == CLUMP_F32 || image->type == CLUMP_F64);
    bool bits = made->type == CLUMP_BITS;
    const char *to = clump_type_opencl(made->type);
    snprintf(options, sizeof options,
             "-DS=%s -DT=%s -DCONVERT=convert_%s%s -DFROM=%d -DTO=%d -DTO_FLOAT=%d -DBLANKS=%d "
             "-DRECIPROCAL=1e-4%s",
             clump_type_opencl(image->type), to, to, to_float ? "_rte" : "_sat_rte",
             storage(image->type), storage(made->type), to_float, blanks,
             made->type == CLUMP_F64 ? "" : "f");
    enum clump_status status =
        clump_kernel(context, "pixels/convert", options, "convert_pixels", &kernel);
    if (status)
        return status;
    uint64_t words = clump_row_words(image->cols) * image->rows;
    const struct clump_arg args[] = {CLUMP_ARG_IMAGE(image), CLUMP_ARG(image->cols),
                                     CLUMP_ARG(words), CLUMP_ARG_IMAGE(made)};
    unsigned count = sizeof args / sizeof *args;
    return bits ? clump_launch_flat(context, kernel, words, args, count)
                : clump_launch_rows(context, kernel, image->rows, image->cols, args, count);
}

enum clump_status clump_opencl_convert(clump_context *context, const clump_image *image,
                                       enum clump_type type, clump_image **converted)
{
    clump_image *made = NULL;
    enum clump_status status = clump_image_create(context, type, image->rows, image->cols, &made);
    if (status)
        return status;
    if (type == image->type)
        status = copy(context, image, made);
    else
        status = run(context, image, made);
    if (status)
        clump_image_destroy(&made);
    else
        *converted = made;
    return status;
}
