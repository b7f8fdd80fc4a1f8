/* SPDX-License-Identifier: MIT */
/*
 * The pixels where a mask is set, one after the other.
 *
 * Method:    the words of the mask are taken in chunks of CHUNK, over the ends of rows.
 *            compress_count counts the set bits of every chunk, the host adds up the counts, and
 *            compress_pack copies every chunk's pixels to their place. Coarse: a work-item takes a
 *            chunk; fine: a word, whose place it finds by counting the bits before it there.
 * Launch:    compress_count one work-item per chunk; compress_pack one per chunk, or one per word.
 * Exactness: bits are copied. T has the size of a pixel.
 * Limits:    a chunk has at most 32 * CHUNK pixels; places are numbered in 64 bits.
 * Others:    host src/opencl/pixels/compress.c, definition src/reference/compress.c, pair
 *            src/pairs/compress.c.
 */
#ifndef T
#define T uint
#endif
#include "pixels/compress.h"

/* The first word of a chunk, and the end of it. */
static inline ulong chunk_end(ulong words, ulong chunk)
{
    return min(words, (chunk + 1) * COMPRESS_CHUNK);
}

/* Leaves in counts[chunk] how many bits are set in it. */
kernel GROUPED void compress_count(global const uint *mask, ulong words, ulong chunks,
                                   global ulong *counts)
{
    ulong chunk = get_global_id(0);
    if (chunk >= chunks)
        return;
    uint count = 0;
    for (ulong at = chunk * COMPRESS_CHUNK; at < chunk_end(words, chunk); at++)
        count += popcount(mask[at]);
    counts[chunk] = count;
}

/* Copies the pixels of a word to row[place] and on; returns the place after them. */
static inline ulong pack_word(global const T *image, uint bits, ulong at, ulong cols,
                              ulong row_words, ulong place, global T *row)
{
    global const T *pixels = image + at / row_words * cols + at % row_words * 32;
    for (; bits; bits &= bits - 1)
        row[place++] = pixels[31 - clz(bits & -bits)];
    return place;
}

/* Copies the pixels of set bits to their places; starts[chunk] is the first place of a chunk. */
kernel GROUPED void compress_pack(global const T *image, global const uint *mask, ulong cols,
                                  ulong words, global const ulong *starts, ulong items,
                                  global T *row)
{
    ulong item = get_global_id(0), row_words = (cols + 31) / 32;
    if (item >= items)
        return;
#if COARSE
    ulong place = starts[item];
    for (ulong at = item * COMPRESS_CHUNK; at < chunk_end(words, item); at++)
        place = pack_word(image, mask[at], at, cols, row_words, place, row);
#else
    ulong chunk = item / COMPRESS_CHUNK, place = starts[chunk];
    for (ulong at = chunk * COMPRESS_CHUNK; at < item; at++)
        place += popcount(mask[at]);
    pack_word(image, mask[item], item, cols, row_words, place, row);
#endif
}
