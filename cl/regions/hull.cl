/* SPDX-License-Identifier: MIT */
/*
 * The pixels in the convex hulls of regions.
 *
 * Method:    hull_edges notes the first and the last pixel of a region in each row (run_cursor.cl).
 *            hull_areas makes the convex chains of these left and right. scikit-image takes the
 *            hull of the middles of the pixels' sides: that is the hull of their centres, widened
 *            by a diamond of half a pixel. Along a side that crosses s columns a row this adds
 *            max(1, |s|) / 2 columns to a row; at a corner, the most that its two sides add there.
 * Launch:    hull_edges as measure_sweep; hull_areas any number of work-items.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels.
 * Others:    host src/opencl/regions/hull.c, definition src/reference/measure_shape.c, pair src/pairs/measure.c.
 */
#include "regions/runs.cl"
#include "regions/run_cursor.cl"

/* places[]: of a region's first row among the edges, and which row of the image that is; one more
 * for the end. An edge: complement of the first column, one more than the last. */
INLINE void note_edges(REGIONS, uint slice, uint first, uint count, uint cols,
                global const uint2 *places, global uint *edges, cursor *c)
{
    uint label, row;
    while (next_run(c, WHERE, cols)) {
        if (!find(WHERE, slice, first, count, cols, c, &label, &row))
            continue;
        uint2 place = places[label - first];
        global uint *edge = edges + 2 * (size_t)(place.x + (c->y - place.y));
#if COARSE
        edge[0] = max(edge[0], ~c->from);
        edge[1] = max(edge[1], c->to);
#else
        atomic_max((volatile global uint *)edge, ~c->from);
        atomic_max((volatile global uint *)edge + 1, c->to);
#endif
    }
}

kernel SIZED void hull_edges(REGIONS, uint cols, uint rows, uint band_rows, uint first, uint count,
                       global const uint2 *places, global uint *edges)
{
#if COARSE
    uint slice = get_global_id(0);
    cursor c = band_cursor(WHERE, slice, band_rows, cols, rows);
    note_edges(WHERE, slice, first, count, cols, places, edges, &c);
#else
    uint j = get_global_id(0), y = get_global_id(1);
    if (j >= (cols + 31) / 32)
        return;
    cursor c = word_cursor(WHERE, y, j, cols);
    note_edges(WHERE, 0, first, count, cols, places, edges, &c);
#endif
}

/* Lists the edges, (column, row), of all rows but the first that may be corners: not those that
 * reach no further out than the middle of the rows around them. A row with no pixel reaches 0. */
uint sift_edges(global const uint *edges, uint height, global int2 *list)
{
    uint n = 0;
    ulong above = edges[0], here = edges[2];
    for (uint y = 1; y < height - 1; y++) {
        edges += 2;
        ulong below = edges[2];
        list[n] = (int2)((int)here, (int)y);
        n += 2 * here > above + below;
        above = here;
        here = below;
    }
    list[n] = (int2)((int)here, (int)(height - 1));
    return n + 1;
}

/* Twice what the rows along a side count beyond the trapezium inside it. What rounding takes from
 * a row, it leaves to the one as far from the side's other end; but both have it where the widened
 * side meets a whole column: in as many rows as the greatest common divisor is, or in none. */
uint widen(uint across, uint down)
{
    uint most = max(across, down), least = min(across, down), more = most - down;
    bool meets = (least ^ (least - 1)) < (most ^ (most - 1)); /* least has fewer factors of 2 */
    uint common = meets ? least : 0;
    if (common > 2)
        for (uint rest = most % common; rest;) {
            uint next = common % rest;
            common = rest;
            rest = next;
        }
    return more + common;
}

/* The sum, over all rows, of the last whole columns in the chain that has the edges of one side on
 * its inside. chain[]: the n edges after the first; in their place come the sides, (across, down),
 * of the chain, all but the last one. The lowest stands for none and is never left. */
uint sum_columns(int first, uint n, global int2 *chain)
{
    global int2 *top = chain;
    long x = first, y = 0, across = INT_MAX, down = 1; /* the last corner and side */
    for (uint i = 0; i < n; i++) {
        long next_x = chain[i].x, next_y = (uint)chain[i].y, to = next_x - x, gap = next_y - y;
        while (across * gap <= to * down) {
            to += across;
            gap += down;
            top--;
            across = top->x;
            down = (uint)top->y;
        }
        *top++ = (int2)((int)across, (int)down);
        across = to;
        down = gap;
        x = next_x;
        y = next_y;
    }
    long twice = first + x;
    while (top > chain) {
        twice += down * (2 * x - across) + widen(abs((int)across), (uint)down);
        x -= across;
        top--;
        across = top->x;
        down = (uint)top->y;
    }
    return (uint)(twice / 2);
}

kernel SIZED void hull_areas(global const uint2 *places, uint count, global const uint *edges,
                       global int2 *chains, global uint *areas)
{
    for (uint region = get_global_id(0); region < count; region += get_global_size(0)) {
        uint begin = places[region].x, height = places[region + 1].x - begin, area = height;
        global int2 *chain = chains + begin;
        for (uint side = 0; side < 2 && height; side++) {
            global const uint *edge = edges + 2 * (size_t)begin + side;
            uint n = height > 1 ? sift_edges(edge, height, chain) : 0;
            area += sum_columns((int)*edge, n, chain);
        }
        areas[region] = area;
    }
}
