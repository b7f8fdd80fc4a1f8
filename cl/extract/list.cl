/* SPDX-License-Identifier: MIT */
/*
 * From labels to lists of pixels: boxes of components, pixels of sources, numbers of objects.
 *
 * Method:    extract_boxes counts the pixels of every component and finds its box and its last
 *            pixel. extract_list looks through the box of a source and lists its pixels in raster
 *            order, then sums them. extract_paint writes the numbers of objects.
 * Launch:    extract_boxes one work-item per word of members, over rows; the others EACH source or
 *            object.
 * Exactness: integers; see view.cl.
 * Limits:    fewer than 2^31 pixels; a sum of 2^31 numbers of at most 2^30 fits 64 bits.
 * Others:    host src/opencl/extract/sources.c, definition src/reference/extract.c, pair
 *            src/pairs/extract.c, docs/extract.md.
 */
#include "extract/view.cl"

/* Adds the members of a word, run by run, to the boxes of their components (enum extract_box). */
kernel GROUPED void extract_boxes(global const uint *members, global const uint *seeds, uint seeded,
                                  global const int *labels, uint cols, volatile global uint *boxes)
{
    uint words = (cols + 31) / 32, w = get_global_id(0), y = get_global_id(1);
    if (w >= words)
        return;
    size_t word = (size_t)y * words + w;
    uint bits = members[word];
    while (bits) {
        uint first = 31 - clz(bits & -bits), rest = ~(bits >> first);
        uint length = rest ? 31 - clz(rest & -rest) : 32;
        uint run = (length == 32 ? 0xffffffffu : (1u << length) - 1) << first;
        uint x = w * 32 + first, last = x + length - 1;
        volatile global uint *box = boxes + (size_t)(labels[(size_t)y * cols + x] - 1) * BOX_WORDS;
        atomic_add(box + BOX_COUNT, length);
        atomic_max(box + BOX_LEFT, ~x);
        atomic_max(box + BOX_RIGHT, last);
        atomic_max(box + BOX_TOP, ~y);
        atomic_max(box + BOX_LAST, y * cols + last);
        if (seeded && (seeds[word] & run))
            atomic_or(box + BOX_SEED, 1u);
        bits &= ~run;
    }
}

/* Leaves the pixels of every source in raster order, and its sums. */
kernel SIZED void extract_list(global const int *labels, global const float *c,
                               global const float *noise, struct extract_view view,
                               global const struct extract_source *sources, uint count,
                               global uint *list, uint listed, global struct extract_total *totals)
{
    EACH(s, count)
    {
        struct extract_source source = sources[s];
        global uint *own = list + source.first;
        uint n = listed ? source.count : 0;
        float most = 0, peak = -INFINITY, highest = 0;
        for (uint y = source.top; y <= source.bottom && !listed; y++)
            for (uint x = source.left; x <= source.right; x++) {
                uint at = y * view.cols + x;
                if ((uint)labels[at] == source.label && n < source.count)
                    own[n++] = at;
            }
        for (uint i = 0; i < n; i++) {
            uint at = own[i];
            most = fabs(c[at]) > most ? fabs(c[at]) : most;
            peak = c[at] > peak ? c[at] : peak;
            float threshold = NOISE == 2 ? threshold_at(noise, &view, at) : 0;
            highest = threshold > highest ? threshold : highest;
        }
        struct extract_total total;
        total.peak = peak;
        total.exponent = exponent_of(most);
        total.threshold_exponent = exponent_of(highest);
        total.listed = n;
        double scale = scale_of(total.exponent), other = scale_of(total.threshold_exponent);
        long sum = 0, thresholds = 0;
        for (uint i = 0; i < n; i++) {
            sum += whole_of(c[own[i]], scale);
            if (NOISE == 2)
                thresholds += whole_of(threshold_at(noise, &view, own[i]), other);
        }
        total.sum = (ulong)sum;
        total.thresholds = (ulong)thresholds;
        totals[s] = total;
    }
}

/* Gives the pixels of every item its number in the image of labels. */
kernel SIZED void extract_paint(global const struct extract_item *items, global const uint *numbers,
                                uint count, global const uint *list, global int *labels)
{
    EACH(i, count)
    {
        struct extract_item item = items[i];
        for (uint p = 0; p < item.count; p++)
            labels[list[item.first + p]] = (int)numbers[i];
    }
}
