/* SPDX-License-Identifier: MIT */
/* NumPy's .npy files, versions 1 to 3, both byte orders, both orders of axes. */
#include "format.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "samples.h"

#define AXES            32
#define HEADER_LIMIT    (1u << 20)
#define CHUNK_BYTES     (1u << 22)
#define BIG_ENDIAN_HOST (__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__)

struct npy {
    FILE *in;
    enum sample sample;
    bool swap;      /* the other byte order */
    bool fortran;   /* the first axis runs fastest */
    bool colour;    /* the last axis is red, green, blue (and alpha) */
    uint64_t start; /* of the data in the file */
    uint64_t lead;  /* samples from one pixel to the next in the direction that is read */
    uint64_t plane; /* first sample of the plane */
};

static bool probe(const unsigned char *head, size_t count)
{
    return count >= 6 && !memcmp(head, "\x93NUMPY", 6);
}

static enum clump_status fail(const clump_file *file, const char *what)
{
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT, "%s: its .npy header %s", file->path, what);
}

/* Reads the header's text, a Python dictionary, into a new string. */
static enum clump_status read_text(clump_file *file, char **text)
{
    struct npy *npy = file->state;
    unsigned char head[12];
    if (fread(head, 1, 10, npy->in) != 10)
        return fail(file, "ends too early");
    uint32_t length = head[8] | (uint32_t)head[9] << 8, before = 10;
    if (head[6] < 1 || head[6] > 3)
        return fail(file, "is of a version that is not 1, 2 or 3");
    if (head[6] > 1) {
        if (fread(head + 10, 1, 2, npy->in) != 2)
            return fail(file, "ends too early");
        length |= (uint32_t)head[10] << 16 | (uint32_t)head[11] << 24;
        before = 12;
    }
    npy->start = (uint64_t)before + length;
    if (length > HEADER_LIMIT || npy->start > file->size)
        return fail(file, "claims to be longer than the file or than any header is");
    *text = calloc(1, (size_t)length + 1);
    if (!*text)
        return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    if (fread(*text, 1, length, npy->in) != length)
        return fail(file, "ends too early");
    return CLUMP_OK;
}

/* The address where the value of `key` begins, or NULL. */
static const char *value_of(const char *text, const char *key)
{
    char quoted[2][24];
    snprintf(quoted[0], sizeof quoted[0], "'%s'", key);
    snprintf(quoted[1], sizeof quoted[1], "\"%s\"", key);
    for (int i = 0; i < 2; i++) {
        const char *at = strstr(text, quoted[i]);
        if (!at)
            continue;
        at += strlen(quoted[i]);
        at += strspn(at, " \t");
        if (*at == ':')
            return at + 1 + strspn(at + 1, " \t");
    }
    return NULL;
}

static enum clump_status read_type(clump_file *file, const char *text)
{
    static const struct {
        char name[3];
        enum sample sample;
    } names[] = {
        {"b1", SAMPLE_U8},  {"u1", SAMPLE_U8},  {"i1", SAMPLE_I8},  {"u2", SAMPLE_U16},
        {"i2", SAMPLE_I16}, {"u4", SAMPLE_U32}, {"i4", SAMPLE_I32}, {"u8", SAMPLE_U64},
        {"i8", SAMPLE_I64}, {"f2", SAMPLE_F16}, {"f4", SAMPLE_F32}, {"f8", SAMPLE_F64},
    };
    struct npy *npy = file->state;
    char order = 0, name[8] = "";
    const char *value = value_of(text, "descr");
    if (!value)
        return fail(file, "names no type (descr)");
    if (sscanf(value, "%*[\"']%c%7[a-zA-Z0-9]", &order, name) != 2 || !strchr("<>|=", order))
        return fail(file, "has a type that is not a plain number (a record?)");
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (!strcmp(name, names[i].name)) {
            npy->sample = names[i].sample;
            npy->swap = order == (BIG_ENDIAN_HOST ? '<' : '>');
            return CLUMP_OK;
        }
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                      "%s: holds numbers of type '%c%s'; an image needs booleans, integers or "
                      "floats of 8 to 64 bits",
                      file->path, order, name);
}

/* Lists the axes, fastest first: from the end of the shape, or from its start in Fortran order. */
static enum clump_status read_shape(clump_file *file, const char *text, uint64_t *axes,
                                    unsigned *count)
{
    const char *value = value_of(text, "shape");
    if (!value || *value != '(')
        return fail(file, "has no shape");
    for (value++; *(value += strspn(value, " ,\tL")) != ')'; (*count)++) {
        char *end;
        errno = 0;
        axes[*count] = strtoull(value, &end, 10);
        if (end == value || *value == '-' || errno || *count == AXES - 1)
            return fail(file, "has a shape that cannot be");
        value = end;
    }
    if (!*count)
        axes[(*count)++] = 1; /* a single number */
    return CLUMP_OK;
}

static void reverse(uint64_t *axes, unsigned count)
{
    for (unsigned i = 0; i < count / 2; i++) {
        uint64_t swap = axes[i];
        axes[i] = axes[count - 1 - i];
        axes[count - 1 - i] = swap;
    }
}

/* Finds where the plane begins and how far pixels are apart; `axes` are in C order, fastest first.
 */
static void find_plane(clump_file *file, const uint64_t *axes, unsigned count,
                       const unsigned kept[2])
{
    struct npy *npy = file->state;
    uint64_t plane = file->params.plane, stride = 1;
    npy->lead = 1;
    if (!npy->fortran) {
        npy->plane = plane * file->info.rows * file->info.cols;
        return;
    }
    uint64_t index[AXES] = {0};
    for (unsigned i = 0; i < count; i++)
        if (i != kept[0] && i != kept[1]) {
            index[i] = plane % axes[i];
            plane /= axes[i];
        }
    npy->plane = 0;
    for (unsigned i = count; i-- > 0; stride *= axes[i]) {
        if (i == kept[1])
            npy->lead = stride; /* rows are this far apart; columns follow after all else */
        npy->plane += index[i] * stride;
    }
}

static bool is_colour(const struct npy *npy, const uint64_t *axes, unsigned count)
{
    return count == 3 && (axes[0] == 3 || axes[0] == 4) && axes[1] > 4 && axes[2] > 4 &&
           (npy->sample == SAMPLE_U8 || npy->sample == SAMPLE_U16) && !npy->fortran;
}

static enum clump_status read_header(clump_file *file, const char *text)
{
    struct npy *npy = file->state;
    uint64_t axes[AXES];
    unsigned count = 0, kept[2];
    const char *order = value_of(text, "fortran_order");
    enum clump_status status = read_type(file, text);
    if (!status)
        status = read_shape(file, text, axes, &count);
    if (status)
        return status;
    npy->fortran = order && !strncmp(order, "True", 4) && count > 1;
    reverse(axes, count);
    npy->colour = is_colour(npy, axes, count);
    if (npy->colour)
        file->info.channels = axes[0];
    unsigned skip = npy->colour ? 1 : 0;
    status = clump_axes_choose(file, axes + skip, count - skip, kept);
    file->info.type = clump_sample_type(npy->sample, file->params.float32);
    if (!status)
        status = clump_check_room(file, clump_sample_bytes(npy->sample) * file->info.channels,
                                  file->size - npy->start, "what follows it");
    if (!status)
        find_plane(file, axes + skip, count - skip, kept);
    return status;
}

static enum clump_status open_npy(clump_file *file)
{
    struct npy *npy = calloc(1, sizeof *npy);
    char *text = NULL;
    if (!npy)
        return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    file->state = npy;
    int fd = fcntl(file->fd, F_DUPFD_CLOEXEC, 0);
    npy->in = fd < 0 ? NULL : fdopen(fd, "rb");
    if (!npy->in && fd >= 0)
        close(fd);
    if (!npy->in || fseeko(npy->in, 0, SEEK_SET))
        return clump_fail(&file->log, CLUMP_ERROR_FILE, "%s: cannot be opened: %s", file->path,
                          strerror(errno));
    enum clump_status status = read_text(file, &text);
    if (!status)
        status = read_header(file, text);
    free(text);
    return status;
}

static enum clump_status fail_short(const clump_file *file)
{
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT, "%s: ends before its last pixel: %s",
                      file->path,
                      ferror(((struct npy *)file->state)->in) ? strerror(errno) : "truncated");
}

static enum clump_status fail_range(const clump_file *file)
{
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                      "%s: has uint64 values beyond int64; an image can be read as float32 "
                      "(clump_file_params.float32), labels must be numbered anew",
                      file->path);
}

/* Reads samples that need no conversion straight into the pixels. */
static enum clump_status read_native(clump_file *file, uint64_t rows, void *pixels)
{
    struct npy *npy = file->state;
    size_t bytes = clump_sample_bytes(npy->sample);
    uint64_t left = rows * file->info.cols * bytes;
    for (char *to = pixels; left;) {
        size_t part = left < CHUNK_BYTES ? (size_t)left : CHUNK_BYTES;
        if (fread(to, 1, part, npy->in) != part)
            return fail_short(file);
        if (npy->swap)
            clump_samples_swap(to, bytes, part / bytes);
        to += part;
        left -= part;
    }
    return CLUMP_OK;
}

static bool convert(const clump_file *file, const char *samples, size_t count, void *pixels)
{
    const struct npy *npy = file->state;
    int channel = file->params.channel;
    if (!npy->colour)
        return clump_samples_convert(npy->sample, samples, 1, count, file->info.type, pixels);
    if (channel < 0)
        return clump_samples_grey(npy->sample, samples, file->info.channels, count, file->info.type,
                                  pixels);
    return clump_samples_convert(npy->sample,
                                 samples + (size_t)channel * clump_sample_bytes(npy->sample),
                                 file->info.channels, count, file->info.type, pixels);
}

static enum clump_status read_chunks(clump_file *file, char *chunk, uint64_t rows, void *pixels)
{
    struct npy *npy = file->state;
    size_t bytes = clump_sample_bytes(npy->sample) * (size_t)file->info.channels;
    size_t wide = clump_type_row_bytes(file->info.type, 1);
    uint64_t left = rows * file->info.cols;
    for (char *to = pixels; left;) {
        size_t part = left < CHUNK_BYTES / bytes ? (size_t)left : CHUNK_BYTES / bytes;
        if (fread(chunk, bytes, part, npy->in) != part)
            return fail_short(file);
        if (npy->swap)
            clump_samples_swap(chunk, clump_sample_bytes(npy->sample),
                               part * (size_t)file->info.channels);
        if (!convert(file, chunk, part, to))
            return fail_range(file);
        to += part * wide;
        left -= part;
    }
    return CLUMP_OK;
}

/* Copies one column of converted pixels to its place in the image. */
static void scatter(const clump_file *file, const void *column, uint64_t col, void *pixels)
{
    size_t wide = clump_type_row_bytes(file->info.type, 1);
    const char *from = column;
    char *to = (char *)pixels + col * wide;
    for (uint64_t row = 0; row < file->info.rows; row++)
        memcpy(to + row * file->info.cols * wide, from + row * wide, wide);
}

/* Reads Fortran order, one column after the other; in a column, rows are `lead` samples apart. */
static enum clump_status read_fortran(clump_file *file, char *chunk, void *column, void *pixels)
{
    struct npy *npy = file->state;
    size_t bytes = clump_sample_bytes(npy->sample);
    uint64_t rows = file->info.rows, step = rows * file->info.planes;
    uint64_t span = (rows - 1) * npy->lead + 1;
    for (uint64_t col = 0; col < file->info.cols; col++) {
        uint64_t at = npy->start + (npy->plane + col * step) * bytes;
        if ((step != span && fseeko(npy->in, (off_t)at, SEEK_SET) != 0) ||
            fread(chunk, bytes, span, npy->in) != span)
            return fail_short(file);
        if (npy->swap)
            clump_samples_swap(chunk, bytes, span);
        if (!clump_samples_convert(npy->sample, chunk, npy->lead, rows, file->info.type, column))
            return fail_range(file);
        scatter(file, column, col, pixels);
    }
    return CLUMP_OK;
}

/* Reads rows in C order. */
static enum clump_status read_rows_npy(clump_file *file, uint64_t first, uint64_t rows,
                                       void *pixels)
{
    struct npy *npy = file->state;
    size_t bytes = clump_sample_bytes(npy->sample);
    uint64_t before = npy->plane + first * file->info.cols;
    uint64_t at = npy->start + before * bytes * file->info.channels;
    if (npy->fortran)
        return clump_fail(&file->log, CLUMP_ERROR_UNSUPPORTED,
                          "%s: its columns lie one after the other (Fortran order), so it cannot "
                          "be read some rows at a time",
                          file->path);
    if (fseeko(npy->in, (off_t)at, SEEK_SET) != 0)
        return fail_short(file);
    if (clump_sample_native(npy->sample, file->info.type) && !npy->colour)
        return read_native(file, rows, pixels);
    char *chunk = malloc(CHUNK_BYTES);
    enum clump_status status =
        chunk ? read_chunks(file, chunk, rows, pixels)
              : clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    free(chunk);
    return status;
}

static enum clump_status read_npy(clump_file *file, void *pixels)
{
    struct npy *npy = file->state;
    size_t bytes = clump_sample_bytes(npy->sample);
    uint64_t rows = file->info.rows;
    if (!npy->fortran)
        return read_rows_npy(file, 0, rows, pixels);
    char *chunk = malloc((size_t)((rows - 1) * npy->lead + 1) * bytes);
    void *column = malloc((size_t)rows * 8);
    enum clump_status status;
    if (!chunk || !column)
        status = clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    else
        status = read_fortran(file, chunk, column, pixels);
    free(column);
    free(chunk);
    return status;
}

static void close_npy(clump_file *file)
{
    struct npy *npy = file->state;
    if (npy && npy->in)
        fclose(npy->in);
    free(npy);
    file->state = NULL;
}

static const char *descr(enum clump_type type)
{
    static const char *const little[CLUMP_TYPE_COUNT] = {
        [CLUMP_BITS] = "|u1", [CLUMP_U8] = "|u1",  [CLUMP_U16] = "<u2", [CLUMP_I16] = "<i2",
        [CLUMP_I32] = "<i4",  [CLUMP_U32] = "<u4", [CLUMP_I64] = "<i8", [CLUMP_F32] = "<f4",
        [CLUMP_F64] = "<f8",  [CLUMP_RGB] = "|u1"};
    static const char *const big[CLUMP_TYPE_COUNT] = {
        [CLUMP_BITS] = "|u1", [CLUMP_U8] = "|u1",  [CLUMP_U16] = ">u2", [CLUMP_I16] = ">i2",
        [CLUMP_I32] = ">i4",  [CLUMP_U32] = ">u4", [CLUMP_I64] = ">i8", [CLUMP_F32] = ">f4",
        [CLUMP_F64] = ">f8",  [CLUMP_RGB] = "|u1"};
    return BIG_ENDIAN_HOST ? big[type] : little[type];
}

/* Writes a header of version 1, padded so that the data begin at a multiple of 64 bytes. */
static void write_header(FILE *out, const struct writing *writing)
{
    char text[192];
    int length =
        snprintf(text, sizeof text,
                 "{'descr': '%s', 'fortran_order': False, 'shape': (%" PRIu64 ", %" PRIu64 "%s), }",
                 descr(writing->type), writing->rows, writing->cols,
                 writing->type == CLUMP_RGB ? ", 3" : "");
    int padded = (10 + length + 1 + 63) / 64 * 64 - 10;
    fwrite("\x93NUMPY\x01\x00", 1, 8, out);
    fputc(padded & 255, out);
    fputc(padded >> 8, out);
    fprintf(out, "%-*s\n", padded - 1, text);
}

static enum clump_status write_npy(struct writing *writing)
{
    size_t bytes = writing->type == CLUMP_BITS ? (size_t)writing->cols
                                               : clump_type_row_bytes(writing->type, writing->cols);
    uint8_t *scratch = malloc(writing->cols);
    FILE *out = fopen(writing->temporary, "wb");
    bool good = scratch && out;
    if (good)
        write_header(out, writing);
    do
        for (uint64_t row = writing->row; good && row < writing->row + writing->count; row++)
            good = fwrite(clump_writing_row(writing, row, scratch), 1, bytes, out) == bytes;
    while (good && writing->next && writing->next(writing));
    int problem = good ? 0 : errno;
    if (out && fclose(out) != 0 && good) {
        problem = errno;
        good = false;
    }
    free(scratch);
    errno = problem;
    return good ? writing->status : clump_fail_write(writing, NULL);
}

static const char *const endings[] = {".npy", NULL};

const struct format clump_format_npy = {
    .id = CLUMP_FILE_NPY,
    .name = "NumPy",
    .endings = endings,
    .types = (1u << CLUMP_TYPE_COUNT) - 1,
    .probe = probe,
    .open = open_npy,
    .read = read_npy,
    .read_rows = read_rows_npy,
    .close = close_npy,
    .write = write_npy,
    .parts = true,
};
