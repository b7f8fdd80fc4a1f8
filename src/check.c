/* SPDX-License-Identifier: MIT */
/* The checks of arguments that all public functions share. That of images is in image.c. */
#include "context.h"

#include <inttypes.h>

#include "opencl/core/api.h"

enum clump_status clump_check_words(const struct clump_log *log, const char *function,
                                    const char *what, const uint64_t *words, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (words[i])
            return clump_fail(log, CLUMP_ERROR_ARGUMENT,
                              "%s: %s.reserved is not 0: the program was built for a newer "
                              "libclump than this one, or did not start from the defaults",
                              function, what);
    return CLUMP_OK;
}

enum clump_status clump_check_log(const char *function, const struct clump_log *log)
{
    return log ? clump_check_reserved(log, function, "log", log) : CLUMP_OK;
}

enum clump_status clump_check_given(const struct clump_log *log, const char *operation,
                                    const char *what, const void *pointer)
{
    if (pointer)
        return CLUMP_OK;
    return clump_fail(log, CLUMP_ERROR_ARGUMENT, "%s: no %s was given", operation, what);
}

enum clump_status clump_check_same_size(clump_context *context, const char *operation,
                                        const clump_image *a, const clump_image *b)
{
    if (a->rows == b->rows && a->cols == b->cols)
        return CLUMP_OK;
    return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                      "%s: the images have %" PRIu64 " x %" PRIu64 " and %" PRIu64 " x %" PRIu64
                      " pixels; they must have one size",
                      operation, a->rows, a->cols, b->rows, b->cols);
}

enum clump_status clump_check_companion(clump_context *context, const char *operation,
                                        const clump_image *image, const char *what,
                                        const clump_image *companion, unsigned types)
{
    enum clump_status status = clump_check_image(context, operation, what, companion, types);
    if (status || (companion->rows == image->rows && companion->cols == image->cols))
        return status;
    return clump_fail(&context->log, CLUMP_ERROR_ARGUMENT,
                      "%s: the %s is %" PRIu64 " x %" PRIu64 ", but the image is %" PRIu64
                      " x %" PRIu64,
                      operation, what, companion->rows, companion->cols, image->rows, image->cols);
}

enum clump_status clump_check_context(const char *operation, const clump_context *context)
{
    enum clump_status status = clump_check_given(NULL, operation, "context", context);
    if (!status && context->opencl && clump_cl_forked())
        status = clump_fail(&context->log, CLUMP_ERROR_DEVICE,
                            "%s: the context was made before fork(), and OpenCL does not work in "
                            "the child; make it after fork(), or use the device reference",
                            operation);
    return status;
}
