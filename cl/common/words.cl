/* SPDX-License-Identifier: MIT */
/*
 * The words of a mask, of 32 pixels each, where every row begins a new word; for the kernel files
 * that include this one.
 *
 * Method:    work-items that make a word each would read pixels that lie 32 apart, which makes a
 *            GPU fetch every line of memory several times. So the work-items of a group look at
 *            pixels side by side, leave a byte for each in local memory, and then put the bytes of
 *            their words together.
 * Launch:    as the file that includes this one.
 * Exactness: integers.
 * Limits:    none but memory: pixels are numbered in 64 bits.
 * Others:    pixels/convert.cl, regions/measure_range_fine.cl.
 */

/* The pixels of a word: the number of the first, and how many there are. */
struct word_place {
    ulong first;
    uint n;
};

/* Those of word i; n is 0 from word `count` on. */
INLINE struct word_place word_place(ulong i, ulong count, ulong cols)
{
    ulong words = (cols + 31) / 32, row = i / words, at = i % words;
    struct word_place place = {row * cols + at * 32,
                               i < count ? (uint)min((ulong)32, cols - at * 32) : 0};
    return place;
}

/* The word whose pixel k has bit `bit` of byte k. */
INLINE uint word_of(local const uchar *bytes, uint bit)
{
    uint word = 0;
    for (uint k = 0; k < 32; k++)
        word |= (uint)(bytes[k] >> bit & 1) << k;
    return word;
}
