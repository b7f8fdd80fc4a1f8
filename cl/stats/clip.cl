/* SPDX-License-Identifier: MIT */
/*
 * What clipping keeps, as a mask and as a row of pixels.
 *
 * Method:    the kept pixels are those whose keys (prelude.cl) lie from `least` to
 *            `least` + `span`. Kept pixels are counted in each chunk, the host adds the
 *            counts up, and each chunk is copied to its place.
 * Launch:    clip_mask one work-item a mask word, rows are the second dimension; the others
 *            as histogram_fill (cl/stats/histogram.cl), whose chunks are the same.
 * Exactness: comparisons of integers.
 * Others:    host src/opencl/stats/clip.c, definition src/reference/clip.c.
 */
#ifndef CHUNK
#define CHUNK 16384 /* pixels */
#endif

static inline int is_kept(word pixel, key least, key span)
{
    return key_of(pixel) - least <= span;
}

kernel GROUPED void clip_mask(global const word *image, ulong cols, key least, key span,
                      global uint *mask)
{
    ulong words = (cols + 31) / 32, at = get_global_id(0), row = get_global_id(1);
    if (at >= words)
        return;
    global const word *pixels = image + row * cols + at * 32;
    uint n = (uint)min((ulong)32, cols - at * 32), bits = 0;
    for (uint i = 0; i < n; i++)
        bits |= (uint)is_kept(pixels[i], least, span) << i;
    mask[row * words + at] = bits;
}

#if COARSE
kernel ALONE void clip_count(global const word *image, ulong n, key least, key span, global ulong *counts)
{
    size_t w = get_group_id(0), workers = get_num_groups(0);
    ulong chunks = (n + CHUNK - 1) / CHUNK;
    for (ulong c = chunks * w / workers; c < chunks * (w + 1) / workers; c++) {
        ulong i = c * CHUNK, end = min((c + 1) * CHUNK, n);
        keyv kept = 0;
        for (; i + LANES <= end; i += LANES)
            kept += select((keyv)0, (keyv)1, keys_load(i, image) - least <= (keyv)span);
        uint count = 0;
#define SUM(s) count += (uint)kept.s;
        EACH_LANE(SUM)
        for (; i < end; i++)
            count += is_kept(image[i], least, span);
        counts[c] = count;
    }
}

kernel ALONE void clip_pack(global const word *image, ulong n, key least, key span, global const ulong *starts,
          global word *row)
{
    size_t w = get_group_id(0), workers = get_num_groups(0);
    ulong chunks = (n + CHUNK - 1) / CHUNK;
    for (ulong c = chunks * w / workers; c < chunks * (w + 1) / workers; c++) {
        ulong at = starts[c];
        for (ulong i = c * CHUNK; i < min((c + 1) * CHUNK, n); i++)
            if (is_kept(image[i], least, span))
                row[at++] = image[i];
    }
}
#else
kernel GROUPED void clip_count(global const word *image, ulong n, key least, key span, global ulong *counts)
{
    local uint count;
    ulong c = get_group_id(0), end = min((c + 1) * CHUNK, n);
    uint own = 0;
    if (get_local_id(0) == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = c * CHUNK + get_local_id(0); i < end; i += GROUP)
        own += is_kept(image[i], least, span);
    atomic_add(&count, own);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (get_local_id(0) == 0)
        counts[c] = count;
}

kernel GROUPED void clip_pack(global const word *image, ulong n, key least, key span, global const ulong *starts,
          global word *row)
{
    local uint before[2][GROUP]; /* kept up to and with a work-item's pixel, in turns */
    uint l = get_local_id(0);
    ulong c = get_group_id(0), at = starts[c], end = min((c + 1) * CHUNK, n);
    for (ulong from = c * CHUNK; from < end; from += GROUP) {
        int keep = from + l < end && is_kept(image[min(from + l, end - 1)], least, span);
        uint turn = 0;
        before[0][l] = keep;
        for (uint step = 1; step < GROUP; step *= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            before[1 - turn][l] = before[turn][l] + (l >= step ? before[turn][l - step] : 0);
            turn = 1 - turn;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        if (keep)
            row[at + before[turn][l] - 1] = image[from + l];
        at += before[turn][GROUP - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}
#endif
