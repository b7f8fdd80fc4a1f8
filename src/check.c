/* SPDX-License-Identifier: MIT */
/* The checks of arguments that all public functions share. That of images is in image.c. */
#include "context.h"

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
