/* SPDX-License-Identifier: MIT */
/*
 * Makes the mask of the pixels above a level, or below it.
 *
 * Method:    a pixel is set if it is not below the least value that is above the level. The host
 *            finds that value in the pixel's own type, so that the comparison with a double level
 *            is exact without doubles; NaN compares false. -DBELOW: a pixel is set if it is not
 *            above the greatest value that is below the level. -DBY_KEY compares keys (prelude.cl):
 *            for float levels so near zero that a device without denormals cannot tell them from
 *            zero. -DBY_MAP compares keys with those of a map of levels; -DINCLUSIVE then sets
 *            equal values, too. -DMASK_U8 makes a mask of bytes in the place of bits.
 * Launch:    coarse: a work-item takes THRESHOLD_SHARE mask words (32 pixels each, rows begin new
 *            words) or THRESHOLD_SHARE * 32 pixels. Fine: a group takes GROUP words or GROUP * 32
 *            pixels. Each leaves the number of its set pixels in `counts`.
 * Exactness: comparisons only.
 * Limits:    none.
 * Others:    host src/opencl/regions/threshold.c, definition src/reference/threshold.c, pair
 *            src/pairs/threshold.c.
 */
#include "regions/threshold.h"

/* BEYOND compares two keys, the second being a map's. NUMBER says that a key is not NaN's. ABOVE
 * says whether pixel i is set, ABOVE8 does so for the pixels from 8 j on. */
#if defined(BELOW) && defined(INCLUSIVE)
#define BEYOND(x, level) ((x) <= (level))
#elif defined(BELOW)
#define BEYOND(x, level) ((x) < (level))
#elif defined(INCLUSIVE)
#define BEYOND(x, level) ((x) >= (level))
#else
#define BEYOND(x, level) ((x) > (level))
#endif

#if defined(BY_MAP) || defined(BY_KEY)
#include "common/keys.cl"
#endif

#if defined(BY_MAP)
typedef word pixel;
typedef global const pixel *level;
#define NUMBER(k) (!FLOATING || (k) != BLANK)
#define ABOVE(p, i)                                                                                \
    (BEYOND(key_of(p[i]), key_of(least[i])) && NUMBER(key_of(p[i])) && NUMBER(key_of(least[i])))
#elif defined(BY_KEY) && defined(BELOW)
typedef word pixel;
typedef key level;
#define ABOVE(p, i)  (key_of(p[i]) <= least)
#define ABOVE8(p, j) (keys_load(8 * (j), p) <= least)
#elif defined(BY_KEY)
typedef word pixel;
typedef key level;
#define ABOVE(p, i)  (key_of(p[i]) - least < BLANK - least)
#define ABOVE8(p, j) (keys_load(8 * (j), p) - least < BLANK - least)
#elif defined(BELOW)
typedef T pixel;
typedef T level;
#define ABOVE(p, i)  ((p)[i] <= least)
#define ABOVE8(p, j) convert_int8(vload8(j, p) <= (JOIN(T, 8))least)
#else
typedef T pixel;
typedef T level;
#define ABOVE(p, i)  ((p)[i] >= least)
#define ABOVE8(p, j) convert_int8(vload8(j, p) >= (JOIN(T, 8))least)
#endif

#if COARSE && !defined(MASK_U8)
/* The mask word of n pixels from pixel i on. */
static inline uint word_of(global const pixel *image, ulong i, uint n, level least)
{
    uint bits = 0;
    for (uint b = 0; b < n; b++)
        bits |= (uint)ABOVE(image, i + b) << b;
    return bits;
}

#ifdef ABOVE8
#define PLACES ((int8)(1, 2, 4, 8, 16, 32, 64, 128))

/* The mask word of 32 pixels. */
static inline uint full_word(global const pixel *p, level least)
{
    int8 a = ABOVE8(p, 0) & PLACES, b = ABOVE8(p, 1) & (PLACES << 8);
    int8 c = ABOVE8(p, 2) & (PLACES << 16), d = ABOVE8(p, 3) & (PLACES << 24);
    int8 all = (a | b) | (c | d);
    int4 four = all.lo | all.hi;
    int2 two = four.lo | four.hi;
    return (uint)(two.x | two.y);
}
#define FULL_WORD(i) full_word(image + (i), least)
#else
#define FULL_WORD(i) word_of(image, i, 32, least)
#endif

/* Makes the mask as bits, and leaves in counts[group] how many of its pixels are set. */
kernel ALONE void threshold_bits(global const pixel *image, ulong rows, ulong cols, level least,
                                 global uint *mask, global uint *counts)
{
    ulong words = (cols + 31) / 32, i = get_group_id(0) * THRESHOLD_SHARE,
          end = min(i + THRESHOLD_SHARE, words * rows);
    ulong row = i / words, at = i % words;
    uint count = 0;
    for (; i < end; row++, at = 0) {
        for (; i < end && at < cols / 32; i++, at++) {
            uint bits = FULL_WORD(row * cols + at * 32);
            mask[i] = bits;
            count += popcount(bits);
        }
        if (i < end && at < words) {
            uint bits = word_of(image, row * cols + at * 32, (uint)(cols % 32), least);
            mask[i++] = bits;
            count += popcount(bits);
        }
    }
    counts[get_group_id(0)] = count;
}

#elif COARSE
#if defined(ABOVE8) && defined(__ENDIAN_LITTLE__)
#define BYTES
/* The 32 bytes of a mask, each 0 or 1. A lane gets one byte from each of four vectors, then the
 * bytes are put in order: CPUs convert vectors to bytes one by one, which takes longer. */
static inline uint8 full_bytes(global const pixel *p, level least)
{
    int8 all = (ABOVE8(p, 0) & 1) | (ABOVE8(p, 1) & 1 << 8) | (ABOVE8(p, 2) & 1 << 16) |
               (ABOVE8(p, 3) & 1 << 24);
    uint4 a = as_uint4(as_uchar16(all.lo).s048c159d26ae37bf);
    uint4 b = as_uint4(as_uchar16(all.hi).s048c159d26ae37bf);
    return (uint8)(a.x, b.x, a.y, b.y, a.z, b.z, a.w, b.w);
}
#endif

/* Makes the mask as bytes of 0 and 1, and leaves in counts[group] how many of them are 1. */
kernel ALONE void threshold_u8(global const pixel *image, ulong rows, ulong cols, level least,
                               global uchar *mask, global uint *counts)
{
    ulong i = get_group_id(0) * THRESHOLD_SHARE * 32,
          end = min(i + THRESHOLD_SHARE * 32, rows * cols);
    uint count = 0;
#ifdef BYTES
    uint8 pairs = 0; /* two sums per lane, of 16 bits: each is at most 2 THRESHOLD_SHARE */
    for (; i + 32 <= end; i += 32) {
        uint8 set = full_bytes(image + i, least);
        vstore8(set, 0, (global uint *)(mask + i)); /* aligned: the library makes all masks */
        pairs += (set & 0xff00ff) + (set >> 8 & 0xff00ff);
    }
    uint8 sum = (pairs & 0xffff) + (pairs >> 16);
    uint4 four = sum.lo + sum.hi;
    count = four.x + four.y + four.z + four.w;
#endif
    for (; i < end; i++) {
        mask[i] = ABOVE(image, i);
        count += mask[i];
    }
    counts[get_group_id(0)] = count;
}
#elif !defined(MASK_U8)
/* Makes the mask as bits, and leaves in counts[group] how many of its pixels are set. */
kernel GROUPED void threshold_bits(global const pixel *image, ulong rows, ulong cols, level least,
                                   global uint *mask, global uint *counts)
{
    local ulong start[GROUP]; /* the first pixel of each word */
    local uchar length[GROUP], set[GROUP * 32];
    local uint count;
    uint l = get_local_id(0);
    ulong words = (cols + 31) / 32, i = get_global_id(0), at = i % words;
    if (l == 0)
        count = 0;
    start[l] = i / words * cols + at * 32;
    length[l] = i < words * rows ? (uchar)min((ulong)32, cols - at * 32) : 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint p = l; p < GROUP * 32; p += GROUP)
        set[p] = p % 32 < length[p / 32] && ABOVE(image, start[p / 32] + p % 32);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint bits = 0;
    for (uint b = 0; b < 32; b++)
        bits |= (uint)set[l * 32 + b] << b;
    if (i < words * rows)
        mask[i] = bits;
    atomic_add(&count, popcount(bits));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        counts[get_group_id(0)] = count;
}
#else
/* Makes the mask as bytes of 0 and 1, and leaves in counts[group] how many of them are 1. */
kernel GROUPED void threshold_u8(global const pixel *image, ulong rows, ulong cols, level least,
                                 global uchar *mask, global uint *counts)
{
    local uint count;
    ulong from = get_group_id(0) * (ulong)GROUP * 32, end = min(from + GROUP * 32, rows * cols);
    uint own = 0;
    if (get_local_id(0) == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = from + get_local_id(0); i < end; i += GROUP) {
        uchar set = ABOVE(image, i);
        mask[i] = set;
        own += set;
    }
    atomic_add(&count, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        counts[get_group_id(0)] = count;
}
#endif
