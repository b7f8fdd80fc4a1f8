/* SPDX-License-Identifier: MIT */
/* Stands for tiff.c where libtiff is missing: knows a TIFF file, and says so. */
#include "format.h"

#include <string.h>

static bool probe(const unsigned char *head, size_t count)
{
    return count >= 4 && (!memcmp(head, "II*\0", 4) || !memcmp(head, "MM\0*", 4) ||
                          !memcmp(head, "II+\0", 4) || !memcmp(head, "MM\0+", 4));
}

static enum clump_status open_tiff(clump_file *file)
{
    return clump_fail(&file->log, CLUMP_ERROR_UNSUPPORTED,
                      "%s: is a TIFF image, and this clump was built without libtiff", file->path);
}

static void close_tiff(clump_file *file) { (void)file; }

static enum clump_status write_tiff(struct writing *writing)
{
    return clump_fail(writing->log, CLUMP_ERROR_UNSUPPORTED,
                      "%s: this clump was built without libtiff, and writes no TIFF image; .fits "
                      "and .npy can be written",
                      writing->path);
}

static const char *const endings[] = {".tif", ".tiff", NULL};

const struct format clump_format_tiff = {
    .id = CLUMP_FILE_TIFF,
    .name = "TIFF",
    .endings = endings,
    .types = (1u << CLUMP_TYPE_COUNT) - 1,
    .probe = probe,
    .open = open_tiff,
    .close = close_tiff,
    .write = write_tiff,
};
