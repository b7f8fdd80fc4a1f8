/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the readers of FITS, TIFF, PNG and NumPy files: whatever the bytes are, reading ends in an
 * image or in a status and one line.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include <clump/clump.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void count(void *user, enum clump_log_level level, const char *text)
{
    (void)text;
    *(unsigned *)user += level == CLUMP_LOG_ERROR;
}

#define require(condition)                                                                         \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                \
            abort();                                                                               \
        }                                                                                          \
    } while (0)

/* Every pixel is looked at, so that a checker sees one that was not written. */
static unsigned look(clump_image *image)
{
    void *pixels;
    unsigned set = 0;
    size_t row = clump_type_row_bytes(clump_image_type(image), clump_image_cols(image));
    require(!clump_image_map(image, CLUMP_IMAGE_READ, &pixels));
    for (size_t i = 0; i < row * clump_image_rows(image); i++)
        set += ((const uint8_t *)pixels)[i] != 0;
    require(!clump_image_unmap(image));
    return set;
}

/* The choice of plane, page and channel comes from the size, to be the same every time. */
static void read_as(clump_context *context, const struct clump_log *log, const char *path,
                    size_t size, unsigned *errors)
{
    struct clump_file_params params = clump_file_defaults;
    clump_file *file = NULL;
    clump_image *image = NULL;
    if (size % 4 == 1)
        params.channel = (int)(size / 4 % 4);
    if (size % 4 == 2)
        params.plane = size / 4 % 3;
    *errors = 0;
    enum clump_status status = clump_file_open(log, path, &params, &file);
    if (!status) {
        const struct clump_file_info *info = clump_file_info(file);
        require(info->rows && info->cols && info->planes && info->channels);
        status = clump_file_read(context, file, &image);
    }
    require(status ? *errors == 1 && !image : *errors == 0 && image);
    if (image)
        look(image);
    clump_image_destroy(&image);
    clump_file_close(&file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static clump_context *context;
    static unsigned errors;
    static int descriptor = -1;
    static char path[64], extension[80];
    const struct clump_log log = {count, &errors, CLUMP_LOG_ERROR};
    if (!context) {
        struct clump_context_params params = clump_context_defaults;
        params.device = "reference";
        setenv("CLUMP_READER", "none",
               1); /* libraries parse in this process, where a checker sees what breaks */
        params.log = log;
        require(!clump_context_create(&params, &context));
        descriptor = memfd_create("fuzz", 0);
        require(descriptor >= 0);
        snprintf(path, sizeof path, "/proc/self/fd/%d", descriptor);
        snprintf(extension, sizeof extension, "%s[1]", path);
    }
    require(ftruncate(descriptor, 0) == 0);
    require(pwrite(descriptor, data, size, 0) == (ssize_t)size);
    read_as(context, &log, size % 4 == 3 ? extension : path, size, &errors);
    return 0;
}
