/* SPDX-License-Identifier: MIT */
/*
 * Checks the headers of a FITS file before CFITSIO reads them, because CFITSIO trusts them: it
 * divides by the size of a tile, and allocates as many bytes as the end of a gzip file claims.
 */
#include "fits.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <zlib.h>

#define BLOCK     2880
#define CARD      80
#define HDU_LIMIT 100000u

/* The numbers of a header that decide how long the data after it are. */
struct header {
    bool end, groups;
    double bitpix, naxis, pcount, gcount;
    double axes[FITS_AXES];
};

static double number(const char *card)
{
    char value[CARD - 9];
    memcpy(value, card + 10, sizeof value - 1);
    value[sizeof value - 1] = '\0';
    return strtod(value, NULL);
}

/* The number after the stem of a keyword such as NAXIS2, or 0. */
static int indexed(const char *card, const char *stem)
{
    size_t length = strlen(stem);
    if (strncmp(card, stem, length) || card[length] < '1' || card[length] > '9')
        return 0;
    return atoi(card + length);
}

/* Keywords whose values CFITSIO reads, for itself or for src/file/fits.c. */
static bool is_read(const char *card)
{
    static const char starts[][9] = {"SIMPLE",   "XTENSION", "BITPIX",   "NAXIS",    "PCOUNT",
                                     "GCOUNT",   "GROUPS",   "EXTEND",   "EXTNAME",  "EXTVER",
                                     "EXTLEVEL", "HDUNAME",  "BSCALE",   "BZERO",    "BLANK",
                                     "BUNIT",    "BMAJ",     "BMIN",     "BPA",      "TFIELDS",
                                     "TTYPE",    "TFORM",    "TUNIT",    "TDISP",    "TBCOL",
                                     "TNULL",    "TSCAL",    "TZERO",    "TDIM",     "THEAP",
                                     "ZIMAGE",   "ZSIMPLE",  "ZBITPIX",  "ZNAXIS",   "ZTILE",
                                     "ZVAL",     "ZNAME",    "ZBLANK",   "ZSCALE",   "ZZERO",
                                     "ZPCOUNT",  "ZGCOUNT",  "ZDITHER0", "ZCMPTYPE", "ZTENSION",
                                     "ZQUANTIZ", "ZMASKCMP", "ZEXTEND",  "ZBLOCKED", "ZTHEAP",
                                     "ZTABLE",   "ZHECKSUM", "ZDATASUM"};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++)
        if (!strncmp(card, starts[i], strlen(starts[i])))
            return true;
    return false;
}

/* True for a number, T, F or a text in quotes. Anything longer overflows CFITSIO's messages. */
static bool is_plain(const char *card)
{
    size_t at = 9, length = 0;
    while (at < CARD && card[at] == ' ')
        at++;
    if (at == CARD || card[at] == '\'' || card[at] == '/')
        return true;
    if (card[at] == 'T' || card[at] == 'F')
        return at + 1 == CARD || card[at + 1] == ' ' || card[at + 1] == '/';
    while (at + length < CARD && card[at + length] != ' ' && card[at + length] != '/')
        if (!memchr("0123456789+-.EeDd", card[at + length++], 17))
            return false;
    return length <= 35;
}

/* Takes in one card. False when it would make CFITSIO divide by zero or write beyond its memory. */
static bool take(const char *card, struct header *header)
{
    if (!strncmp(card, "END     ", 8))
        header->end = true;
    if (card[8] != '=')
        return true;
    int axis = indexed(card, "NAXIS");
    if (axis > 0 && axis <= FITS_AXES)
        header->axes[axis - 1] = number(card);
    else if (!strncmp(card, "NAXIS   ", 8))
        header->naxis = number(card);
    else if (!strncmp(card, "BITPIX  ", 8))
        header->bitpix = number(card);
    else if (!strncmp(card, "PCOUNT  ", 8))
        header->pcount = number(card);
    else if (!strncmp(card, "GCOUNT  ", 8))
        header->gcount = number(card);
    else if (!strncmp(card, "GROUPS  ", 8))
        header->groups = memchr(card + 9, 'T', 21) != NULL;
    if (indexed(card, "ZTILE") || indexed(card, "ZNAXIS"))
        return is_plain(card) && number(card) >= 1 && number(card) <= 2147483647;
    return !is_read(card) || is_plain(card);
}

/* Bytes of data, padded to whole blocks, or -1 when there cannot be so many. */
static double data_bytes(const struct header *header)
{
    double pixels = header->naxis > 0 ? 1 : 0;
    for (int i = 0; i < FITS_AXES && i < header->naxis; i++)
        if (!(i == 0 && header->groups && header->axes[0] == 0))
            pixels *= header->axes[i];
    double bits = header->bitpix < 0 ? -header->bitpix : header->bitpix;
    double bytes = bits / 8 * header->gcount * (header->pcount + pixels);
    if (!(bytes >= 0 && bytes < 1e18))
        return -1;
    return (double)(((uint64_t)bytes + BLOCK - 1) / BLOCK * BLOCK);
}

static enum clump_status fail_card(const clump_file *file, const char *card)
{
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                      "%s: its header says \"%.30s\", but a plain number or text belongs "
                      "there, and 1 or more for tiles and axes",
                      file->path, card);
}

/* Reads the header at `*at` and moves `*at` past its data, or to the end of the file where the
 * header does not end. */
static enum clump_status walk(const clump_file *file, int fd, uint64_t size, uint64_t *at)
{
    struct header header = {.gcount = 1};
    char block[BLOCK];
    while (!header.end) {
        ssize_t count = pread(fd, block, BLOCK, (off_t)*at);
        for (ssize_t i = 0; i < count / CARD && !header.end; i++)
            if (!take(block + i * CARD, &header))
                return fail_card(file, block + i * CARD);
        *at += BLOCK;
        if (count != BLOCK) {
            *at = size;
            return CLUMP_OK;
        }
    }
    double bytes = data_bytes(&header);
    *at = bytes < 0 || bytes >= (double)(size - *at) ? size : *at + (uint64_t)bytes;
    return CLUMP_OK;
}

enum clump_status clump_fits_guard(const clump_file *file, int fd, uint64_t size)
{
    enum clump_status status = CLUMP_OK;
    uint64_t at = 0;
    for (unsigned hdu = 0; !status && at < size && hdu < HDU_LIMIT; hdu++)
        status = walk(file, fd, size, &at);
    return status;
}

static enum clump_status fail_gzip(const clump_file *file, const char *why)
{
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT, "%s: is not a complete gzip file: %s",
                      file->path, why);
}

/* Writes everything that `in` unpacks to `fd`. */
static enum clump_status unpack(const clump_file *file, gzFile in, int fd, uint64_t *size)
{
    static const size_t room = 1 << 18;
    char *buffer = malloc(room);
    enum clump_status status = CLUMP_OK;
    int count = -1, problem = Z_OK;
    uint64_t most = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE) / 2;
    if (!buffer)
        return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    *size = 0;
    while (!status && (count = gzread(in, buffer, (unsigned)room)) > 0) {
        for (int done = 0, part; !status && done < count; done += part) {
            part = (int)write(fd, buffer + done, (size_t)(count - done));
            if (part <= 0)
                status = clump_fail(&file->log, CLUMP_ERROR_MEMORY,
                                    "%s: cannot be unpacked into memory: %s", file->path,
                                    strerror(errno));
        }
        *size += (uint64_t)count;
        if (!status && *size > most)
            status = clump_fail(&file->log, CLUMP_ERROR_MEMORY,
                                "%s: unpacks to more than %" PRIu64
                                " bytes, half of this machine's memory; unpack it first",
                                file->path, most);
    }
    free(buffer);
    const char *text = gzerror(in, &problem);
    if (!status && (count < 0 || problem != Z_OK))
        status = fail_gzip(file, *text ? text : "its end is missing");
    return status;
}

enum clump_status clump_fits_unzip(const clump_file *file, int *fd, uint64_t *size)
{
    gzFile in = gzopen(file->name, "rb");
    *fd = memfd_create("clump", MFD_CLOEXEC);
    if (!in || *fd < 0) {
        if (in)
            gzclose(in);
        return clump_fail(&file->log, CLUMP_ERROR_FILE, "%s: cannot be unpacked: %s", file->path,
                          strerror(errno));
    }
    gzbuffer(in, 1 << 18);
    enum clump_status status = unpack(file, in, *fd, size);
    if (!status && gzdirect(in))
        status = fail_gzip(file, "its first bytes are not gzip's");
    gzclose_r(in);
    return status;
}

int clump_fits_gzip(const char *temporary)
{
    char buffer[1 << 16];
    int problem = 0;
    FILE *in = fopen(temporary, "rb");
    if (!in)
        return errno;
    unlink(temporary); /* the open file stays readable; the new one takes its name */
    gzFile out = gzopen(temporary, "wb4");
    size_t count;
    while (out && !problem && (count = fread(buffer, 1, sizeof buffer, in)) > 0)
        if (gzwrite(out, buffer, (unsigned)count) != (int)count)
            problem = errno ? errno : EIO;
    if (!out || ferror(in))
        problem = errno ? errno : EIO;
    if (out && gzclose(out) != Z_OK && !problem)
        problem = errno ? errno : EIO;
    fclose(in);
    return problem;
}
