/* SPDX-License-Identifier: MIT */
/*
 * The fine half of measure_range.cl.
 *
 * Method:    measure_range_labels sets a bit for each pixel with a label, and one for each pixel at
 *            which a label begins or comes in from the word before; groups reduce the range of the
 *            labels in local memory.
 * Launch:    measure_range_values any number of groups. measure_range_labels one work-item per word
 *            of 32 pixels, rows being the second dimension.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels.
 * Others:    as measure_range.cl.
 */

/* Leaves a work-item's largest magnitude in most[first + its number]. */
kernel void measure_range_values(global const T *image, global const uint *masks, struct walk walk,
                                 global ulong *most, uint first)
{
    uint cols = walk.cols;
    bits_of found = 0;
    for (size_t y = get_group_id(0); y < walk.rows; y += get_num_groups(0)) {
        global const uint *mask = masks + y * ((cols + 31) / 32);
        for (uint x = get_local_id(0); x < cols; x += get_local_size(0))
            if (mask[x / 32] >> x % 32 & 1)
                found = max(found, FINITE_MAGNITUDE(image[y * cols + x]));
    }
    most[first + get_global_id(0)] = found;
}

/* Sets a bit in `set` for each of the n pixels at p that has a label, and one in `starts` for each
 * of these whose label differs from the pixel's before, or that is the first. Returns the lowest
 * label. */
int look_at(global const int *p, uint n, uint *set, uint *starts)
{
    int lowest = 0, last = 0;
    *set = *starts = 0;
    for (uint i = 0; i < n; i++) {
        int label = p[i];
        *set |= (uint)(label > 0) << i;
        *starts |= (uint)(label > 0 && label != last) << i;
        lowest = min(lowest, label);
        last = label;
    }
    return lowest;
}

/* One range for the image, which begins as zeros; `image` and `values` are the coarse half's. */
kernel void measure_range_labels(global const int *labels, struct walk walk, global uint *changes,
                                 global uint *masks, volatile global struct measure_range *found,
                                 global const T *image, uint values)
{
    local int most, lowest, runs;
    uint j = get_global_id(0), y = get_global_id(1), cols = walk.cols, words = (cols + 31) / 32;
    bool first = get_local_id(0) == 0;
    if (first)
        most = lowest = runs = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (j < words) {
        global const int *p = labels + (size_t)y * cols + 32 * j;
        uint n = min(cols - 32 * j, 32u), set, starts;
        atomic_min(&lowest, look_at(p, n, &set, &starts));
        masks[(size_t)y * words + j] = set;
        changes[(size_t)y * words + j] = starts;
        if (starts)
            atomic_add(&runs, (int)popcount(starts));
        for (; starts; starts &= starts - 1)
            atomic_max(&most, p[31 - (uint)clz(starts & (0 - starts))]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (first && most)
        atomic_max(&found->greatest, most);
    if (first && lowest)
        atomic_min(&found->lowest, lowest);
    if (first && runs)
        atomic_add(&found->changes, (uint)runs);
}
