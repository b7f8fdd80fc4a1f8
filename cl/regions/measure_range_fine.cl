/* SPDX-License-Identifier: MIT */
/*
 * The fine half of measure_range.cl.
 *
 * Method:    measure_range_labels sets a bit for each pixel with a label, and one for each pixel at
 *            which a label begins or comes in from the word before; groups reduce the range of the
 *            labels in local memory. Labels are read side by side (words.cl).
 * Launch:    one work-item per word of 32 pixels, in groups of GROUP.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels.
 * Others:    as measure_range.cl.
 */
#include "common/words.cl"

#define LABELLED 1 /* bits of a pixel's byte: it has a label, */
#define BEGINS   2 /* and that differs from the label before, or the pixel is the first of a word */

/* Leaves the bits of the pixels with labels in masks[], those where labels begin in changes[], and
 * the range of the image's labels in *found, which begins as zeros. */
kernel GROUPED void measure_range_labels(global const int *labels, struct walk walk,
                                         global uint *changes, global uint *masks,
                                         volatile global struct measure_range *found)
{
    local struct word_place place[GROUP];
    local uchar bytes[GROUP * 32];
    local int most, lowest, runs;
    uint l = get_local_id(0), words = (walk.cols + 31) / 32;
    size_t i = get_global_id(0), count = (size_t)words * walk.rows;
    int own_most = 0, own_lowest = 0;
    place[l] = word_place(i, count, walk.cols);
    if (l == 0)
        most = lowest = runs = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint p = l; p < GROUP * 32; p += GROUP) {
        struct word_place word = place[p / 32];
        uint k = p % 32;
        int label = k < word.n ? labels[word.first + k] : 0;
        int before = k && k < word.n ? labels[word.first + k - 1] : 0;
        bytes[p] = label > 0 ? label != before ? LABELLED | BEGINS : LABELLED : 0;
        own_most = max(own_most, label);
        own_lowest = min(own_lowest, label);
    }
    if (own_most)
        atomic_max(&most, own_most);
    if (own_lowest)
        atomic_min(&lowest, own_lowest);
    barrier(CLK_LOCAL_MEM_FENCE);
    uint starts = word_of(bytes + 32 * l, 1);
    if (i < count) {
        masks[i] = word_of(bytes + 32 * l, 0);
        changes[i] = starts;
    }
    if (starts)
        atomic_add(&runs, (int)popcount(starts));
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0 && most)
        atomic_max(&found->greatest, most);
    if (l == 0 && lowest)
        atomic_min(&found->lowest, lowest);
    if (l == 0 && runs)
        atomic_add(&found->changes, (uint)runs);
}
