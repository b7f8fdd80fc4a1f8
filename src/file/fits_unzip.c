/* SPDX-License-Identifier: MIT */
/* FITS files packed by gzip, unpacked into memory. */
#include "fits.h"

#include <inttypes.h>
#include <stdlib.h>
#include <sys/mman.h>

#include <zlib.h>

#define INPUT_BYTES (1u << 18)
#define KEPT_BYTES  (UINT64_C(64) << 20) /* bytes up to which data are kept; then headers alone */
#define PART_BYTES  (1u << 18)           /* data that are not kept are unpacked in such parts */

struct unzip {
    clump_file *file;
    struct fits_walk *walk;
    char *to;            /* the memory */
    uint64_t room, keep; /* its bytes; data up to here are kept */
    uint64_t done;       /* bytes unpacked */
    uint64_t at;         /* bytes of the file read */
    bool sparse;
    z_stream stream;
    unsigned char input[INPUT_BYTES], waste[PART_BYTES];
};

static enum clump_status fail_gzip(const clump_file *file, const char *why)
{
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT, "%s: is no whole gzip file: %s", file->path,
                      why);
}

static enum clump_status fail_large(const clump_file *file)
{
    return clump_fail(&file->log, CLUMP_ERROR_MEMORY,
                      "%s: unpacks to more than %" PRIu64
                      " bytes, its limit (clump_file_params.memory_limit); unpack it first",
                      file->path, clump_memory_limit(file));
}

/* Looks at the blocks of headers that are there by now. */
static enum clump_status look(struct unzip *zip, bool all)
{
    enum clump_status status = CLUMP_OK;
    while (zip->walk && !status) {
        uint64_t at = clump_fits_walk_at(zip->walk);
        if (at >= zip->done || (zip->done - at < FITS_BLOCK && !all))
            break;
        uint64_t count = zip->done - at < FITS_BLOCK ? zip->done - at : FITS_BLOCK;
        status = clump_fits_walk_block(zip->file, zip->walk, zip->to + at, (size_t)count);
    }
    return status;
}

static bool fill_input(struct unzip *zip)
{
    uint64_t left = zip->file->size - zip->at;
    size_t count = left < INPUT_BYTES ? (size_t)left : INPUT_BYTES;
    if (!count || !clump_read_at(zip->file, zip->input, count, zip->at))
        return false;
    zip->at += count;
    zip->stream.next_in = zip->input;
    zip->stream.avail_in = (uInt)count;
    return true;
}

/* Whether another member follows the one that has ended. */
static bool begins_again(struct unzip *zip)
{
    if (!zip->stream.avail_in && !fill_input(zip))
        return false;
    return zip->stream.next_in[0] == 0x1f && inflateReset(&zip->stream) == Z_OK;
}

/* Where the next bytes go, and how many: to their place, or nowhere. */
static uInt aim(struct unzip *zip, bool *wasted)
{
    uint64_t next = zip->walk ? clump_fits_walk_at(zip->walk) : 0;
    uint64_t left = zip->room - zip->done;
    *wasted = zip->done >= zip->keep && next > zip->done;
    if (*wasted && next - zip->done < left)
        left = next - zip->done;
    zip->stream.next_out = *wasted ? zip->waste : (Bytef *)zip->to + zip->done;
    zip->sparse |= *wasted;
    return (uInt)(left < PART_BYTES ? left : PART_BYTES);
}

/* Unpacks until the file ends. */
static enum clump_status run(struct unzip *zip)
{
    enum clump_status status = CLUMP_OK;
    int result = Z_OK;
    while (!status) {
        bool wasted;
        if (!zip->stream.avail_in && !fill_input(zip))
            return fail_gzip(zip->file, "its end is missing");
        uInt room = aim(zip, &wasted);
        if (!room)
            return fail_large(zip->file);
        zip->stream.avail_out = room;
        result = inflate(&zip->stream, Z_NO_FLUSH);
        zip->done += room - zip->stream.avail_out;
        if (result == Z_STREAM_END && !begins_again(zip))
            return look(zip, true);
        if (result != Z_OK && result != Z_STREAM_END && result != Z_BUF_ERROR)
            return fail_gzip(zip->file, zip->stream.msg ? zip->stream.msg : "it is damaged");
        status = look(zip, false);
    }
    return status;
}

static enum clump_status unpack(clump_file *file, uint64_t keep)
{
    struct fits *fits = file->state;
    struct unzip *zip = calloc(1, sizeof *zip);
    bool again = fits->bytes;
    if (!zip || inflateInit2(&zip->stream, 15 + 16) != Z_OK) {
        free(zip);
        return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    }
    zip->file = file;
    zip->to = fits->bytes;
    zip->room = fits->room;
    zip->keep = keep;
    zip->walk = again ? NULL : clump_fits_walk(fits->room);
    if (!again) {
        void *memory = mmap(NULL, fits->room, PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        fits->bytes = zip->to = memory == MAP_FAILED ? NULL : memory;
    }
    enum clump_status status = CLUMP_OK;
    if (!zip->to || (!again && !zip->walk))
        status = clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    if (!status)
        status = run(zip);
    if (!status && zip->done > 2 && zip->to[0] == 0x1f && (unsigned char)zip->to[1] == 0x8b)
        status = fail_gzip(file, "it holds another gzip file; unpack it first");
    if (!status && again && zip->done != fits->length)
        status = fail_gzip(file, "it changed while it was read");
    fits->length = fits->size = (size_t)zip->done;
    fits->sparse = zip->sparse;
    inflateEnd(&zip->stream);
    free(zip->walk);
    free(zip);
    return status;
}

enum clump_status clump_fits_unzip(clump_file *file)
{
    struct fits *fits = file->state;
    /* One byte more than may be, so that a file which has just as many is told from a larger. */
    fits->room = (size_t)clump_unpacked_limit(file) + 1;
    return unpack(file, KEPT_BYTES);
}

enum clump_status clump_fits_unzip_all(clump_file *file)
{
    struct fits *fits = file->state;
    return fits->sparse ? unpack(file, UINT64_MAX) : CLUMP_OK;
}
