/* SPDX-License-Identifier: MIT */
#include "opencl/core/opencl.h"

static enum clump_status crop_bits(clump_context *context, const clump_image *image, uint64_t row,
                                   uint64_t col, clump_image *made)
{
    cl_kernel kernel;
    uint64_t stride = clump_row_words(image->cols), start = row * stride + col / 32;
    cl_uint shift = (cl_uint)(col % 32);
    enum clump_status status =
        clump_kernel(context, "pixels/crop", "-DT=uint", "crop_bits", &kernel);
    if (status)
        return status;
    uint64_t count = made->rows * clump_row_words(made->cols);
    return clump_launch_flat(context, kernel, count,
                             CLUMP_ARGS(clump_arg_part(image, made->rows * made->cols),
                                        CLUMP_ARG(stride), CLUMP_ARG(start), CLUMP_ARG(shift),
                                        CLUMP_ARG(made->cols), CLUMP_ARG(count),
                                        CLUMP_ARG_IMAGE(made)));
}

/* Copies pixels to the rows of `made`; `width` pixels lie between the starts of two rows of
 * `image`.
 */
static enum clump_status copy_rows(clump_context *context, const clump_image *image, uint64_t width,
                                   uint64_t row, uint64_t col, clump_image *made)
{
    static const char *const options[] = {
        [1] = "-DT=uchar", [2] = "-DT=ushort", [4] = "-DT=uint", [8] = "-DT=ulong"};
    cl_kernel kernel;
    uint64_t each = image->type == CLUMP_RGB ? 3 : 1; /* elements per pixel */
    size_t size = clump_type_row_bytes(image->type, 1) / each;
    uint64_t stride = width * each, start = row * stride + col * each;
    uint64_t cols = made->cols * each;
    enum clump_status status =
        clump_kernel(context, "pixels/crop", options[size], "crop_pixels", &kernel);
    if (status)
        return status;
    return clump_launch_rows(context, kernel, made->rows, cols,
                             CLUMP_ARGS(clump_arg_part(image, made->rows * made->cols),
                                        CLUMP_ARG(stride), CLUMP_ARG(start), CLUMP_ARG(cols),
                                        CLUMP_ARG_IMAGE(made)));
}

enum clump_status clump_opencl_crop(clump_context *context, const clump_image *image, uint64_t row,
                                    uint64_t col, uint64_t rows, uint64_t cols, clump_image **part)
{
    clump_image *made = NULL;
    enum clump_status status = clump_image_create(context, image->type, rows, cols, &made);
    if (!status)
        status = image->type == CLUMP_BITS ? crop_bits(context, image, row, col, made)
                                           : copy_rows(context, image, image->cols, row, col, made);
    if (status)
        clump_image_destroy(&made);
    else
        *part = made;
    return status;
}

/* Rows follow each other without gaps, so this is one long copy, told in the new rows. */
enum clump_status clump_opencl_reshape(clump_context *context, const clump_image *image,
                                       uint64_t rows, uint64_t cols, clump_image **result)
{
    clump_image *made = NULL;
    enum clump_status status = clump_image_create(context, image->type, rows, cols, &made);
    if (!status)
        status = copy_rows(context, image, cols, 0, 0, made);
    if (status)
        clump_image_destroy(&made);
    else
        *result = made;
    return status;
}

enum clump_status clump_opencl_channel(clump_context *context, const clump_image *image,
                                       unsigned channel, clump_image **grey)
{
    clump_image *made = NULL;
    cl_kernel kernel;
    cl_uint which = channel;
    uint64_t n = image->rows * image->cols;
    enum clump_status status =
        clump_image_create(context, CLUMP_U8, image->rows, image->cols, &made);
    if (!status)
        status = clump_kernel(context, "pixels/crop", "-DT=uchar", "crop_channel", &kernel);
    if (!status)
        status = clump_launch_flat(context, kernel, n,
                                   CLUMP_ARGS(CLUMP_ARG_IMAGE(image), CLUMP_ARG(which),
                                              CLUMP_ARG(n), CLUMP_ARG_IMAGE(made)));
    if (status)
        clump_image_destroy(&made);
    else
        *grey = made;
    return status;
}
