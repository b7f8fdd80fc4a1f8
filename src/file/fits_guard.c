/* SPDX-License-Identifier: MIT */
/*
 * Looks through the headers of a FITS file before CFITSIO does. CFITSIO trusts them: it divides
 * by the size of a tile, and keeps axes in arrays of nine. A keyword that decides about memory must
 * be spelt as the standard has it and be there once, or CFITSIO would read another card than this
 * file has looked at.
 */
#include "fits.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <zlib.h>

#define CARD      80
#define HDU_LIMIT 100000u
#define AXES      9 /* that CFITSIO has room for */
#define TILE_AXES 6
#define SEEN      8192u /* places for keywords that must not come twice */
#define VALUES    10

/* What a tile-compressed image of so many pixels may unpack to, whatever its length; and the most
 * bytes that a byte of a longer one is believed to stand for. */
#define SMALL_PIXELS  (UINT64_C(8) << 20)
#define SQUEEZE_LIMIT 2048u

/* What decides how long the data behind a header are, and how CFITSIO unpacks them. */
struct layout {
    bool groups, tiled, rice;
    double bitpix, naxis, pcount, gcount;
    double axes[AXES];
    double zbitpix, znaxis, zaxes[TILE_AXES], tiles[TILE_AXES];
    char names[VALUES][12]; /* ZNAMEn and ZVALn */
    double values[VALUES];
    bool valued[VALUES];
};

struct fits_walk {
    uint64_t at;   /* the next block to look at */
    uint64_t size; /* of the file, or the most that it can have */
    unsigned hdus;
    uint32_t cards; /* of this header so far */
    struct layout layout;
    struct {
        uint64_t name, value; /* hashes; 0: free */
    } seen[SEEN];
    uint32_t count;
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
        if (*card == *starts[i] && !strncmp(card, starts[i], strlen(starts[i])))
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

/* Keywords that decide about memory; a digit stands for any number. */
static bool is_structural(const char *name)
{
    static const char *const names[] = {"SIMPLE",   "XTENSION", "BITPIX",   "NAXIS",   "NAXIS0",
                                        "PCOUNT",   "GCOUNT",   "GROUPS",   "TFIELDS", "TFORM0",
                                        "TBCOL0",   "THEAP",    "ZIMAGE",   "ZSIMPLE", "ZTENSION",
                                        "ZBITPIX",  "ZNAXIS",   "ZNAXIS0",  "ZTILE0",  "ZCMPTYPE",
                                        "ZQUANTIZ", "ZNAME0",   "ZVAL0",    "ZPCOUNT", "ZGCOUNT",
                                        "ZMASKCMP", "ZTABLE",   "ZTILELEN", "END"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (*name != *names[i])
            continue;
        size_t stem = strcspn(names[i], "0");
        bool digits = names[i][stem] == '0';
        if (digits ? !strncmp(name, names[i], stem) && name[stem] &&
                         strspn(name + stem, "0123456789") == strlen(name + stem)
                   : !strcmp(name, names[i]))
            return true;
    }
    return false;
}

/* The keyword as CFITSIO takes it: up to a blank or '=', or behind HIERARCH, in capitals. */
static void find_name(const char *card, char name[CARD + 1])
{
    size_t from = 0, length = 0;
    if (!strncasecmp(card, "HIERARCH ", 9)) {
        const char *equals = memchr(card, '=', CARD);
        for (from = 9; from < CARD && card[from] == ' ';)
            from++;
        length = equals && equals > card + from ? (size_t)(equals - card) - from : 0;
        while (length && card[from + length - 1] == ' ')
            length--;
    } else {
        while (length < 8 && card[length] != ' ' && card[length] != '=')
            length++;
    }
    for (size_t i = 0; i < length; i++)
        name[i] = (char)toupper((unsigned char)card[from + i]);
    name[length] = '\0';
}

static bool is_spelt_well(const char *card, const char *name)
{
    char padded[CARD + 9];
    snprintf(padded, sizeof padded, "%-8s", name);
    return !memcmp(card, padded, 8) && (card[8] == '=' || !strcmp(name, "END"));
}

static uint64_t hash(const char *text, size_t count)
{
    uint64_t value = 1469598103934665603u;
    for (size_t i = 0; i < count; i++)
        if (text[i] != ' ')
            value = (value ^ (unsigned char)text[i]) * 1099511628211u;
    return value | 1;
}

/* False when the keyword was there with another value. */
static bool is_first(struct fits_walk *walk, const char *card, const char *name)
{
    const char *comment = memchr(card + 10, '/', CARD - 10);
    uint64_t key = hash(name, strlen(name));
    uint64_t value = hash(card + 10, comment ? (size_t)(comment - card) - 10 : CARD - 10);
    uint32_t place = (uint32_t)(key >> 20) % SEEN;
    while (walk->seen[place].name && walk->seen[place].name != key)
        place = (place + 1) % SEEN;
    if (walk->seen[place].name)
        return walk->seen[place].value == value;
    if (++walk->count > SEEN / 2)
        return false;
    walk->seen[place].name = key;
    walk->seen[place].value = value;
    return true;
}

static bool is_whole(const char *card)
{
    size_t at = 9;
    while (at < CARD && card[at] == ' ')
        at++;
    if (at == CARD || card[at] == '/')
        return true; /* no value: CFITSIO says so */
    at += card[at] == '-' || card[at] == '+';
    size_t digits = at;
    while (at < CARD && isdigit((unsigned char)card[at]))
        at++;
    return at > digits && at - digits < 19 && (at == CARD || card[at] == ' ' || card[at] == '/');
}

static void take_text(const char *card, char *text, size_t room)
{
    const char *quote = memchr(card + 9, '\'', CARD - 9);
    size_t length = 0;
    for (const char *at = quote ? quote + 1 : card + CARD; at < card + CARD && *at != '\''; at++)
        if (length + 1 < room && *at != ' ')
            text[length++] = *at;
    text[length] = '\0';
}

/* Where in the layout a number belongs, or NULL. */
static double *number_place(struct layout *layout, const char *name)
{
    const struct {
        const char *name;
        double *place;
    } single[] = {
        {"NAXIS", &layout->naxis},   {"BITPIX", &layout->bitpix}, {"PCOUNT", &layout->pcount},
        {"GCOUNT", &layout->gcount}, {"ZNAXIS", &layout->znaxis}, {"ZBITPIX", &layout->zbitpix},
    };
    for (size_t i = 0; i < sizeof single / sizeof *single; i++)
        if (!strcmp(name, single[i].name))
            return single[i].place;
    int axis = indexed(name, "NAXIS"), zaxis = indexed(name, "ZNAXIS");
    int tile = indexed(name, "ZTILE");
    if (axis > 0 && axis <= AXES)
        return &layout->axes[axis - 1];
    if (zaxis > 0 && zaxis <= TILE_AXES)
        return &layout->zaxes[zaxis - 1];
    return tile > 0 && tile <= TILE_AXES ? &layout->tiles[tile - 1] : NULL;
}

/* Takes in one card. Returns why CFITSIO must not see it, or NULL. */
static const char *take(struct fits_walk *walk, const char *card)
{
    struct layout *layout = &walk->layout;
    char name[CARD + 1], text[12];
    find_name(card, name);
    bool structural = is_structural(name);
    if (structural && !is_spelt_well(card, name))
        return "a keyword that decides about memory must be spelt as the standard has it";
    if (card[8] != '=')
        return NULL;
    if (is_read(card) && !is_plain(card))
        return "a plain number or text belongs there";
    if (!structural)
        return NULL;
    if (!is_first(walk, card, name))
        return "the same keyword was there before, with another value";
    double *place = number_place(layout, name), value = number(card);
    int named = indexed(name, "ZNAME"), valued = indexed(name, "ZVAL");
    if (place && !is_whole(card))
        return "a whole number belongs there";
    if (place)
        *place = value;
    if ((indexed(name, "ZTILE") || indexed(name, "ZNAXIS")) && !(value >= 1 && value <= 2147483647))
        return "tiles and axes are of 1 to 2147483647 pixels";
    if (!strcmp(name, "GROUPS"))
        layout->groups = memchr(card + 9, 'T', 21) != NULL;
    if (!strcmp(name, "ZIMAGE"))
        layout->tiled = true;
    if (!strcmp(name, "ZCMPTYPE")) {
        take_text(card, text, sizeof text);
        layout->rice = !strncasecmp(text, "RICE", 4);
    }
    if (named > 0 && named < VALUES)
        take_text(card, layout->names[named], sizeof layout->names[named]);
    if (valued > 0 && valued < VALUES) {
        layout->values[valued] = value;
        layout->valued[valued] = true;
    }
    return NULL;
}

/* Bytes of data, or -1 when there cannot be so many. */
static double data_bytes(const struct layout *layout)
{
    double pixels = layout->naxis > 0 ? 1 : 0;
    for (int i = 0; i < AXES && i < layout->naxis; i++)
        if (!(i == 0 && layout->groups && layout->axes[0] == 0))
            pixels *= layout->axes[i];
    double bits = layout->bitpix < 0 ? -layout->bitpix : layout->bitpix;
    double bytes = bits / 8 * layout->gcount * (layout->pcount + pixels);
    return bytes >= 0 && bytes < 1e18 ? bytes : -1;
}

static enum clump_status fail(const clump_file *file, const char *what, double value,
                              const char *right)
{
    return clump_fail(&file->log, CLUMP_ERROR_FORMAT, "%s: its header says %s = %.0f; %s",
                      file->path, what, value, right);
}

/* Parameters of Rice's method, by which CFITSIO steps through memory. It takes ZVAL1 for the size
 * of a block and ZVAL2 for that of a pixel, whatever they are named. */
static enum clump_status check_rice(const clump_file *file, const struct layout *layout)
{
    for (int i = 1; i < VALUES; i++) {
        double value = layout->values[i];
        bool block = i == 1 || !strcasecmp(layout->names[i], "BLOCKSIZE");
        bool bytes = i == 2 || !strcasecmp(layout->names[i], "BYTEPIX");
        if (bytes && (layout->valued[i] || i > 2) && value != 1 && value != 2 && value != 4 &&
            value != 8)
            return fail(file, "BYTEPIX", value, "1, 2, 4 or 8 can be");
        if (block && (layout->valued[i] || i > 1) && value != 16 && value != 32)
            return fail(file, "BLOCKSIZE", value, "16 or 32 can be");
    }
    return CLUMP_OK;
}

/* Compares the pixels that tiles promise with the bytes that are there for them. */
static enum clump_status check_tiles(const clump_file *file, const struct layout *layout,
                                     double held)
{
    double bits = layout->zbitpix < 0 ? -layout->zbitpix : layout->zbitpix;
    double pixels = 1, tile = 1, tiles = 1;
    if (layout->znaxis < 1 || layout->znaxis > TILE_AXES)
        return fail(file, "ZNAXIS", layout->znaxis, "1 to 6 axes can be compressed");
    if ((bits != 8 && bits != 16 && bits != 32 && bits != 64) || (layout->zbitpix < 0 && bits < 32))
        return fail(file, "ZBITPIX", layout->zbitpix, "8, 16, 32, 64, -32 or -64 can be");
    for (int i = 0; i < layout->znaxis; i++) {
        double length = layout->zaxes[i], step = layout->tiles[i];
        step = step > 0 ? step : i == 0 ? length : 1;
        pixels *= length;
        tile *= step;
        tiles *= step > 0 ? (double)(uint64_t)((length + step - 1) / step) : 1;
    }
    if (tiles > layout->axes[1])
        return fail(file, "NAXIS2", layout->axes[1], "its image has more tiles than that");
    double most = pixels > tile ? pixels : tile;
    if (most > SMALL_PIXELS && most * bits / 8 > held * SQUEEZE_LIMIT)
        return clump_fail(&file->log, CLUMP_ERROR_FORMAT,
                          "%s: its header promises %.0f pixels of %.0f bytes, but %.0f compressed "
                          "bytes are there; %u pixel bytes for each are the most",
                          file->path, most, bits / 8, held, SQUEEZE_LIMIT);
    return layout->rice ? check_rice(file, layout) : CLUMP_OK;
}

/* The header is whole: finds where the next one begins. */
static enum clump_status end_header(const clump_file *file, struct fits_walk *walk)
{
    const struct layout layout = walk->layout;
    double bytes = data_bytes(&layout), left = (double)(walk->size - walk->at);
    if (!(layout.naxis >= 0 && layout.naxis <= AXES))
        return fail(file, "NAXIS", layout.naxis, "0 to 9 axes can be read");
    if (bytes < 0 || bytes >= left)
        bytes = left;
    enum clump_status status = layout.tiled ? check_tiles(file, &layout, bytes) : CLUMP_OK;
    uint64_t blocks = ((uint64_t)bytes + FITS_BLOCK - 1) / FITS_BLOCK;
    walk->at = bytes >= left ? walk->size : walk->at + blocks * FITS_BLOCK;
    walk->layout = (struct layout){.gcount = 1};
    walk->cards = walk->count = 0;
    memset(walk->seen, 0, sizeof walk->seen);
    if (++walk->hdus >= HDU_LIMIT)
        walk->at = walk->size;
    return status;
}

struct fits_walk *clump_fits_walk(uint64_t size)
{
    struct fits_walk *walk = calloc(1, sizeof *walk);
    if (walk) {
        walk->size = size;
        walk->layout.gcount = 1;
    }
    return walk;
}

uint64_t clump_fits_walk_at(const struct fits_walk *walk) { return walk->at; }

enum clump_status clump_fits_walk_block(const clump_file *file, struct fits_walk *walk,
                                        const char *block, size_t count)
{
    walk->at = walk->size - walk->at < FITS_BLOCK ? walk->size : walk->at + FITS_BLOCK;
    for (size_t i = 0; i < count / CARD; i++) {
        const char *card = block + i * CARD, *why = take(walk, card);
        if (why || ++walk->cards > FITS_CARDS)
            return clump_fail(&file->log, CLUMP_ERROR_FORMAT, "%s: its header says \"%.30s\": %s",
                              file->path, card, why ? why : "no header has so many cards");
        if (!strncmp(card, "END     ", 8))
            return end_header(file, walk);
    }
    return CLUMP_OK;
}

enum clump_status clump_fits_guard(const clump_file *file)
{
    struct fits_walk *walk = clump_fits_walk(file->size);
    enum clump_status status = CLUMP_OK;
    char block[FITS_BLOCK];
    if (!walk)
        return clump_fail(&file->log, CLUMP_ERROR_MEMORY, "%s: out of memory", file->path);
    while (!status && walk->at < walk->size) {
        uint64_t left = walk->size - walk->at;
        size_t count = left < FITS_BLOCK ? (size_t)left : FITS_BLOCK;
        if (!clump_read_at(file, block, count, walk->at))
            break; /* it became shorter meanwhile: CFITSIO sees the end too */
        status = clump_fits_walk_block(file, walk, block, count);
    }
    free(walk);
    return status;
}

int clump_fits_gzip(const char *temporary)
{
    char buffer[1 << 14]; /* a thread may have little stack */
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
