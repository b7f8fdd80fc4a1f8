/* SPDX-License-Identifier: MIT */
/*
 * Counts the pixels in the convex hulls of regions.
 *
 * Method:    hull_edges notes the first and the last pixel of a region in each row, since no other
 *            pixel can be a corner of the hull. hull_areas makes the convex chains of these, left
 *            and right, and counts the pixels between them row by row, all rows of a side in one
 *            step. As in scikit-image the hull is that of the middles of the pixels' sides: the
 *            hull of the centres, widened by a diamond of half a pixel. Along a side that crosses s
 *            columns per row this adds max(1, |s|) / 2 columns per row; at a corner it adds the
 *            most that its two sides add there.
 * Launch:    hull_edges as measure_sweep; hull_areas any number of work-items.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels, sides of at most 2^28.
 * Others:    host src/opencl/regions/hull.c, definition src/reference/measure_shape.c, pair
 *            src/pairs/measure.c, derivation docs/hull.md.
 */
#include "regions/run_cursor.cl"

/* Leaves the edges of every region, its first and its last pixel in each row; they begin as zeros.
 * An edge has two words: the complement of the first column, and one more than the last. places[]:
 * per region, where its first row is among the edges, and which row of the image that is; one more
 * entry is the end. */
kernel SIZED void hull_edges(REGIONS, struct walk walk, global const uint2 *places,
                             global uint *edges)
{
    uint label, row;
    regions all = REGIONS_GIVEN;
    cursor c;
    if (!begin_runs(&all, &walk, &c))
        return;
    while (next_run(&all, &walk, &c)) {
        if (!find_row(&all, &walk, &c, &label, &row))
            continue;
        uint2 place = places[label - walk.first];
        global uint *edge = edges + 2 * (size_t)(place.x + (c.y - place.y));
#if COARSE
        edge[0] = max(edge[0], ~c.from);
        edge[1] = max(edge[1], c.to);
#else
        atomic_max((volatile global uint *)edge, ~c.from);
        atomic_max((volatile global uint *)edge + 1, c.to);
#endif
    }
}

/* Lists the edges, (column, row), of all rows but the first that may be corners of a chain. An edge
 * that reaches no further out than the middle of the rows above and below it is none. A row without
 * a pixel reaches 0. Returns the length of the list. */
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

/* Twice the pixels that the rows along a side count beyond the trapezium inside it. What rounding
 * down takes from a row, it leaves to the row as far from the side's other end. Only where the
 * widened side meets a whole column, neither row loses anything: that is so in as many rows as the
 * greatest common divisor of both lengths says, or in none (docs/hull.md, "Rounding"). */
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

/* The sum, over all rows, of the last whole columns within the convex chain around the edges of one
 * side. chain[] has the n edges after the first. The sides of the chain, (across, down), replace
 * them, all but the last side; the lowest entry is a sentinel that no edge makes the loop leave. */
uint sum_columns(int first, uint n, global int2 *chain)
{
    global int2 *top = chain;
    long x = first, y = 0, across = INT_MAX, down = 1; /* the last corner and the side to it */
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

/* Leaves the convex area of a region, one per work-item. */
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
