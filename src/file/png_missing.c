/* SPDX-License-Identifier: MIT */
/* Takes the place of png.c in a build without libpng: recognises PNG files and refuses them. */
#include "format.h"

#include <string.h>

static bool probe(const unsigned char *head, size_t count)
{
    return count >= 8 && !memcmp(head, "\x89PNG\r\n\x1a\n", 8);
}

static enum clump_status open_png(clump_file *file)
{
    return clump_fail(&file->log, CLUMP_ERROR_UNSUPPORTED,
                      "%s: is a PNG image, and this clump was built without libpng", file->path);
}

static void close_png(clump_file *file) { (void)file; }

static enum clump_status write_png(struct writing *writing)
{
    return clump_fail(writing->log, CLUMP_ERROR_UNSUPPORTED,
                      "%s: this clump was built without libpng, and writes no PNG image; .fits and "
                      ".npy can be written",
                      writing->path);
}

static const char *const endings[] = {".png", NULL};

const struct format clump_format_png = {
    .id = CLUMP_FILE_PNG,
    .name = "PNG",
    .endings = endings,
    .types = 1u << CLUMP_BITS | 1u << CLUMP_U8 | 1u << CLUMP_U16 | 1u << CLUMP_RGB,
    .probe = probe,
    .open = open_png,
    .close = close_png,
    .write = write_png,
};
