/* SPDX-License-Identifier: MIT */
/*
 * Writes the label image of the components that label.cl has found. Apart from label.cl, because
 * measuring a mask needs no label image but for outlines, and outline.cl includes this file.
 *
 * Method:    a run has its number in raster order, and runs.cl the label of that number.
 * Launch:    coarse: one work-item per band of rows, in groups of one. Fine: one per pixel, rows
 *            being the second dimension.
 * Exactness: integers.
 * Limits:    fewer than 2^31 runs.
 * Others:    host clump_runs_write in src/opencl/regions/runs.c, definition src/reference/label.c,
 *            pair src/pairs/label.c.
 */
#include "regions/runs.cl"

#if COARSE
#define LANES 8    /* pixels written at once */
#define AHEAD 1024 /* how many labels ahead memory is fetched: CPUs do not fetch past a page */

/* Writes LANES labels. */
void fill(global int *labels, int label)
{
    for (uint i = 0; i < LANES; i++)
        labels[i] = label;
}

/* Writes LANES pixels of a run at a time, also past the run's end, and clears those again. The last
 * words of a row are written pixel by pixel, because the pixels behind them may belong to another
 * work-item. */
kernel ALONE void label_write(global const uint *restrict mask, uint cols, uint rows,
                              uint band_rows, COMPONENTS, global int *restrict labels)
{
    uint here = get_global_id(0), top = here * band_rows, bottom = min(rows, top + band_rows);
    uint words = (cols + 31) / 32, run = bands[here].first, before = bands[here].before;
    components all = COMPONENTS_GIVEN;
    for (uint y = top; y < bottom; y++) {
        global const uint *row = mask + (size_t)y * words;
        global int *out = labels + (size_t)y * cols;
        ulong carry = 0;
        uint j = 0;
        int label = 0;
        for (; j + 3 < words; j += 2, out += 64) {
            ulong w = word64(row, j, cols), starts = STARTS(w, carry);
            carry = w >> 63;
            _Pragma("unroll") for (uint i = AHEAD; i < AHEAD + 64; i += LINE / sizeof *out)
                PREFETCH(out + i, 1);
            _Pragma("unroll") for (uint i = 0; i < 64; i += LANES) fill(out + i, 0);
            if (!(w & w << 1)) { /* no two pixels side by side */
                if (w & ~starts)
                    out[0] = label;
                for (ulong s = starts; s; s &= s - 1)
                    out[lowest(s)] = label = (int)label_of(&all, before, run++);
                continue;
            }
            while (w) {
                uint from = lowest(w);
                ulong rest = w + (w & (0 - w));
                uint to = lowest(rest);
                w &= rest;
                if (starts >> from & 1)
                    label = label_of(&all, before, run++);
                for (uint i = from; i < to; i += LANES)
                    fill(out + i, label);
                fill(out + to, 0);
            }
        }
        for (uint left = cols - 32 * j; left; j++) {
            uint w = word32(row, j, cols), starts = STARTS(w, (uint)carry);
            carry = w >> 31;
            for (uint i = 0; i < 32 && left; i++, left--) {
                if (starts >> i & 1)
                    label = label_of(&all, before, run++);
                *out++ = w >> i & 1 ? label : 0;
            }
        }
    }
}
#else
/* Writes the label of one pixel per work-item. */
kernel GROUPED void label_write(global const uint *mask, uint cols, COMPONENTS, global int *labels)
{
    uint x = get_global_id(0), y = get_global_id(1), words = (cols + 31) / 32, j = x / 32;
    if (x >= cols)
        return;
    uint i = y * words + j, bit = 1u << x % 32;
    global const uint *row = mask + (size_t)y * words;
    uint w = word32(row, j, cols), before = j ? word32(row, j - 1, cols) >> 31 : 0;
    uint run = OFFSET(i) + popcount(STARTS(w, before) & (bit | (bit - 1))) - 1;
    components all = COMPONENTS_GIVEN;
    labels[(size_t)y * cols + x] = w & bit ? label_of(&all, run) : 0;
}
#endif
