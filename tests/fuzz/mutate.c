/* SPDX-License-Identifier: MIT */
/*
 * Changes files for a fuzzer as their formats are made: cards of FITS headers, entries of TIFF
 * directories, chunks of PNG with sums that are right; what gzip has packed is changed inside.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed);

#define CARD        80
#define BLOCK       2880
#define PLACES      512
#define ROOM        65536
#define COUNT(list) (sizeof(list) / sizeof *(list))

static const char *const keys[] = {
    "SIMPLE",   "XTENSION", "BITPIX",   "NAXIS",    "NAXIS1",   "NAXIS2",   "NAXIS3",   "NAXIS4",
    "PCOUNT",   "GCOUNT",   "GROUPS",   "BSCALE",   "BZERO",    "BLANK",    "BUNIT",    "EXTNAME",
    "EXTVER",   "EXTEND",   "TFIELDS",  "TFORM1",   "TTYPE1",   "TFORM2",   "TTYPE2",   "TFORM3",
    "TTYPE3",   "TSCAL1",   "TZERO1",   "TNULL1",   "TDIM1",    "ZIMAGE",   "ZSIMPLE",  "ZTENSION",
    "ZBITPIX",  "ZNAXIS",   "ZNAXIS1",  "ZNAXIS2",  "ZTILE1",   "ZTILE2",   "ZCMPTYPE", "ZNAME1",
    "ZVAL1",    "ZNAME2",   "ZVAL2",    "ZQUANTIZ", "ZDITHER0", "ZBLANK",   "ZSCALE",   "ZZERO",
    "ZPCOUNT",  "ZGCOUNT",  "THEAP",    "CTYPE1",   "CTYPE2",   "CTYPE3",   "CRPIX1",   "CRPIX2",
    "CRVAL1",   "CRVAL2",   "CDELT1",   "CDELT2",   "CROTA2",   "CD1_1",    "CD1_2",    "PC1_2",
    "PV1_1",    "PV2_1",    "PS1_0",    "A_ORDER",  "A_0_2",    "B_ORDER",  "B_2_0",    "AP_ORDER",
    "BP_1_1",   "CUNIT1",   "CUNIT2",   "WCSAXES",  "WCSNAME",  "LONPOLE",  "LATPOLE",  "RADESYS",
    "EQUINOX",  "EPOCH",    "CPDIS1",   "DP1",      "CQDIS1",   "D2IMDIS1", "RESTFRQ",  "SPECSYS",
    "DATE-OBS", "MJD-OBS",  "OBSGEO-X", "BMAJ",     "BMIN",     "BPA",      "COMMENT",  "HISTORY",
    "CONTINUE", "LONGSTRN", "HIERARCH", "INHERIT",  "CHECKSUM", "DATASUM",  "END",      "",
};
static const char *const values[] = {
    "'x'",
    "'RA---TAN'",
    "'RA---TAN-SIP'",
    "'DEC--TAN-SIP'",
    "'DEC--TAN'",
    "'GLON-TPV'",
    "'GLAT-CAR'",
    "'RA---ZPN'",
    "'RA---SZP'",
    "'DEC--COE'",
    "'RA---HPX'",
    "'RA---TSC'",
    "'FREQ-LOG'",
    "'STOKES'",
    "'WAVE-TAB'",
    "'VOPT-F2W'",
    "'deg'",
    "'arcsec'",
    "'JY/BEAM'",
    "'1PB(40)'",
    "'1QB(40)'",
    "'1PI(7)'",
    "'1D'",
    "'1J'",
    "'0A'",
    "'RICE_1'",
    "'GZIP_1'",
    "'GZIP_2'",
    "'HCOMPRESS_1'",
    "'PLIO_1'",
    "'NOCOMPRESS'",
    "'BINTABLE'",
    "'IMAGE'",
    "'TABLE'",
    "'COMPRESSED_DATA'",
    "'UNCOMPRESSED_DATA'",
    "'GZIP_COMPRESSED_DATA'",
    "'ZSCALE'",
    "'ZZERO'",
    "'ZBLANK'",
    "'NO_DITHER'",
    "'SUBTRACTIVE_DITHER_1'",
    "'SUBTRACTIVE_DITHER_2'",
    "'BLOCKSIZE'",
    "'BYTEPIX'",
    "'SCALE'",
    "'SMOOTH'",
    "'NOISEBIT'",
    "'EXTNAME'",
    "'SIP'",
    "'Lookup'",
    "'AXIS.1: 1'",
    "'LINEAR'",
    "'FK5'",
    "'GALACTIC'",
    "'2001-02-03T04:05:06'",
    "'\x1b[31m'",
    "'long&'",
    "'unended",
    "''''",
    "''",
    "",
    "T",
    "F",
    "1E400",
    "1D5",
    "NaN",
    "INF",
    "(1,2)",
    "1.5",
    "-0",
    "0.0",
    "-1.0E-30",
    "360.0",
    "90.0",
    "0",
    "1",
    "2",
    "3",
    "4",
    "5",
    "7",
    "8",
    "9",
    "10",
    "16",
    "20",
    "32",
    "33",
    "64",
    "100",
    "200",
    "255",
    "256",
    "999",
    "1000",
    "2880",
    "32767",
    "32768",
    "65535",
    "65536",
    "99999999",
    "2147483647",
    "2147483648",
    "4294967295",
    "9223372036854775807",
    "18446744073709551616",
    "-1",
    "-8",
    "-16",
    "-32",
    "-64",
    "-2147483648",
    "-9223372036854775808",
};
static const uint32_t numbers[] = {
    0,          1,          2,          3,          4,     5,     6,     7,        8,
    9,          12,         16,         24,         31,    32,    33,    64,       255,
    256,        257,        1000,       32767,      32768, 65535, 65536, 1u << 20, 1u << 24,
    0x7fffffff, 0x80000000, 0xfffffffe, 0xffffffff, 5,     8,     32773, 34925,
};

static uint64_t state;

static uint32_t chance(uint32_t below)
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)((state >> 33) % below);
}

static void put_card(uint8_t *at, const char *key, const char *value)
{
    char text[CARD + 160];
    if (!chance(12))
        snprintf(text, sizeof text, "HIERARCH %s = %s", key, value);
    else if (*value == '\'' || !chance(8))
        snprintf(text, sizeof text, "%-8s= %s", key, value);
    else
        snprintf(text, sizeof text, "%-8s= %20s", key, value);
    if (!chance(6))
        strncat(text, " / [deg] why", 80);
    size_t length = strlen(text);
    memset(at, ' ', CARD);
    memcpy(at, text, length < CARD ? length : CARD);
}

/* Places of the cards of all headers, as far as they can be seen. */
static size_t find_cards(const uint8_t *data, size_t size, size_t *places)
{
    size_t count = 0;
    for (size_t at = 0; at + CARD <= size && count < PLACES; at += CARD)
        if (!memcmp(data + at + 8, "= ", 2) || !memcmp(data + at, "END     ", 8) ||
            !memcmp(data + at, "HIERARCH", 8))
            places[count++] = at;
    return count;
}

/* Puts a card before the one at `at`, in the place of a blank one behind END, or of a new block. */
static size_t insert_card(uint8_t *data, size_t size, size_t most, size_t at)
{
    size_t end = at;
    while (end + CARD <= size && memcmp(data + end, "END     ", 8))
        end += CARD;
    if (end + CARD > size)
        return size;
    if ((end + CARD) % BLOCK == 0) {
        if (size + BLOCK > most)
            return size;
        memmove(data + end + CARD + BLOCK, data + end + CARD, size - end - CARD);
        memset(data + end + CARD, ' ', BLOCK);
        size += BLOCK;
    }
    memmove(data + at + CARD, data + at, end + CARD - at);
    return size;
}

static size_t change_fits(uint8_t *data, size_t size, size_t most)
{
    size_t places[PLACES], count = find_cards(data, size, places);
    if (!count || !chance(8))
        return LLVMFuzzerMutate(data, size, most);
    size_t at = places[chance((uint32_t)count)], other = places[chance((uint32_t)count)];
    const char *key = keys[chance(COUNT(keys))], *value = values[chance(COUNT(values))];
    char old[9] = "", number[16];
    memcpy(old, data + at, 8);
    old[strcspn(old, " ")] = 0;
    size_t length = strlen(old);
    switch (chance(10)) {
    case 0:
    case 1:
    case 2:
        put_card(data + at, old, value);
        break;
    case 3:
        put_card(data + at, key, value);
        break;
    case 4:
        memcpy(data + at, data + other, CARD);
        break;
    case 5:
        for (int i = 0; i < 8; i++)
            data[at + (size_t)i] |=
                data[at + (size_t)i] >= 'A' && data[at + (size_t)i] <= 'Z' ? 32 : 0;
        break;
    case 6:
        snprintf(number, sizeof number, "%u", chance(chance(8) ? 12 : 1000));
        old[length > 5 ? 5 : length ? length - 1 : 0] = 0;
        put_card(data + at, strncat(old, number, 3), value);
        break;
    case 7:
        LLVMFuzzerMutate(data + at, CARD, CARD);
        break;
    default:
        size = insert_card(data, size, most, at);
        put_card(data + at, key, value);
    }
    return size;
}

static uint32_t get(const uint8_t *at, int bytes, int big)
{
    uint32_t value = 0;
    for (int i = 0; i < bytes; i++)
        value = value << 8 | at[big ? i : bytes - 1 - i];
    return value;
}

static void put(uint8_t *at, int bytes, int big, uint32_t value)
{
    for (int i = 0; i < bytes; i++)
        at[big ? bytes - 1 - i : i] = (uint8_t)(value >> 8 * i);
}

static size_t change_tiff(uint8_t *data, size_t size, size_t most)
{
    static const uint16_t tags[] = {254, 256, 257, 258, 259, 262, 266, 270, 273,  274,
                                    277, 278, 279, 280, 281, 282, 283, 284, 292,  296,
                                    305, 317, 320, 322, 323, 324, 325, 330, 338,  339,
                                    340, 341, 347, 512, 529, 530, 531, 532, 34665};
    int big = data[0] == 'M';
    uint32_t first = size > 8 ? get(data + 4, 4, big) : 0;
    if (first + 14u > size || first > size || !chance(3))
        return LLVMFuzzerMutate(data, size, most);
    uint32_t count = get(data + first, 2, big);
    size_t at = first + 2 + 12u * (size_t)chance(count ? count : 1);
    if (at + 12 > size)
        return LLVMFuzzerMutate(data, size, most);
    switch (chance(4)) {
    case 0:
        put(data + at, 2, big, tags[chance(COUNT(tags))]);
        break;
    case 1:
        put(data + at + 2, 2, big, chance(20));
        break;
    case 2:
        put(data + at + 4, 4, big, numbers[chance(COUNT(numbers))]);
        break;
    default:
        put(data + at + 8, chance(2) ? 4 : 2, big,
            chance(4) ? numbers[chance(COUNT(numbers))] : chance((uint32_t)size));
    }
    return size;
}

static size_t change_png(uint8_t *data, size_t size, size_t most)
{
    if (size > 33 && chance(3))
        put(data + 16 + chance(13), chance(2) ? 4 : 1, 1, numbers[chance(COUNT(numbers))]);
    else
        size = LLVMFuzzerMutate(data, size, most);
    for (size_t at = 8; at + 12 <= size;) {
        size_t length = get(data + at, 4, 1);
        if (length > size - at - 12)
            break;
        put(data + at + 8 + length, 4, 1, (uint32_t)crc32(0, data + at + 4, (uInt)length + 4));
        at += length + 12;
    }
    return size;
}

static size_t change(uint8_t *data, size_t size, size_t most);

/* Unpacks, changes and packs again; what cannot be unpacked is changed as it is. */
static size_t change_gzip(uint8_t *data, size_t size, size_t most)
{
    static uint8_t inside[ROOM];
    z_stream in = {.next_in = data, .avail_in = (uInt)size, .next_out = inside, .avail_out = ROOM};
    if (!chance(3) || inflateInit2(&in, 31) != Z_OK)
        return LLVMFuzzerMutate(data, size, most);
    int ended = inflate(&in, Z_FINISH);
    size_t length = ROOM - in.avail_out;
    inflateEnd(&in);
    if (ended != Z_STREAM_END || (length > 1 && inside[0] == 0x1f))
        return LLVMFuzzerMutate(data, size, most);
    length = change(inside, length, ROOM);
    z_stream out = {.next_in = inside,
                    .avail_in = (uInt)length,
                    .next_out = data,
                    .avail_out = (uInt)most};
    if (deflateInit2(&out, 1, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return size;
    deflate(&out, Z_FINISH);
    deflateEnd(&out);
    return most - out.avail_out;
}

static size_t change(uint8_t *data, size_t size, size_t most)
{
    if (size > 8 && !memcmp(data, "SIMPLE", 6))
        return change_fits(data, size, most);
    if (size > 8 && data[0] == 0x1f && data[1] == 0x8b)
        return change_gzip(data, size, most);
    if (size > 8 && !memcmp(data, "\x89PNG", 4))
        return change_png(data, size, most);
    if (size > 8 && (!memcmp(data, "II*", 3) || !memcmp(data, "MM", 2)))
        return change_tiff(data, size, most);
    return LLVMFuzzerMutate(data, size, most);
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t most, unsigned seed)
{
    state = seed * 2654435761u + 1;
    chance(2);
    for (uint32_t times = 1 + chance(3); times; times--)
        size = change(data, size, most);
    return size;
}
