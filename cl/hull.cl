/* SPDX-License-Identifier: MIT */
/*
 * The pixels in the convex hulls of regions.
 *
 * Method:    hull_edges notes the first and the last pixel of a region in each row (walk.cl).
 *            hull_areas makes the convex chains of these left and right. scikit-image takes the
 *            hull of the middles of the pixels' sides: that is the hull of their centres, widened
 *            by a diamond of half a pixel. Along a side that crosses s columns a row this adds
 *            max(1, |s|) / 2 columns to a row; at a corner, the most that its two sides add there.
 * Launch:    hull_edges as measure_sweep; hull_areas any number of work-items.
 * Exactness: integers.
 * Limits:    fewer than 2^32 pixels.
 * Others:    host src/opencl/hull.c, definition src/reference/shape.c, pair tests/pairs/measure.c.
 */
#include "runs.cl"
#include "walk.cl"

/* places[]: of a region's first row among the edges, and which row of the image that is; one more
 * for the end. An edge: complement of the first column, one more than the last. */
void note_edges(REGIONS, uint slice, uint first, uint count, uint cols,
                global const uint2 *places, global uint *edges, cursor *c)
{
    uint label, row;
    while (next_run(c, WHERE, cols)) {
        if (!find(WHERE, slice, first, count, cols, c, &label, &row))
            continue;
        uint2 place = places[label - first];
        global uint *edge = edges + 2 * (size_t)(place.x + (c->y - place.y));
#if FAT
        edge[0] = max(edge[0], ~c->from);
        edge[1] = max(edge[1], c->to);
#else
        atomic_max((volatile global uint *)edge, ~c->from);
        atomic_max((volatile global uint *)edge + 1, c->to);
#endif
    }
}

#if FAT
__attribute__((reqd_work_group_size(1, 1, 1)))
#endif
kernel void hull_edges(REGIONS, uint cols, uint rows, uint band_rows, uint first, uint count,
                       global const uint2 *places, global uint *edges)
{
#if FAT
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

/* The corners, (column, row), of the chain that leaves the edges of one side on its right. Columns
 * of the right side are negative. */
uint make_chain(global const uint *edges, uint height, uint side, global int2 *chain)
{
    uint n = 0;
    int last_x = 0, last_y = 0, across = 0, down = 0; /* of the last corner, and to it */
    for (int y = 0; y < (int)height; y++) {
        uint end = edges[2 * y + 1];
        int x = side ? 1 - (int)end : (int)~edges[2 * y];
        if (!end)
            continue;
        while (n > 1 && (long)across * (y - last_y) >= (long)(x - last_x) * down) {
            n--;
            last_x -= across;
            last_y -= down;
            across = n > 1 ? last_x - chain[n - 2].x : 0;
            down = n > 1 ? last_y - chain[n - 2].y : 0;
        }
        chain[n++] = (int2)(x, y);
        across = x - last_x;
        down = y - last_y;
        last_x = x;
        last_y = y;
    }
    return n;
}

/* How many columns a side reaches beyond its corner, that is half of what it crosses in a row. */
uint beyond(int across, int down) { return across > 0 ? (uint)across / (2 * (uint)down) : 0; }

/* The sum of the first whole columns in the rows between two corners, from the upper one's on. */
uint between(int across, int down)
{
    long below = 2 * (long)down, wide = max((uint)down, abs(across));
    long at = 2 * (long)across - wide; /* in units of 1 / below; then the first whole column: */
    long column = at > 0 ? (at - 1) / below + 1 : -(-at / below), left = at - column * below;
    int step = across / down - (across % down < 0);
    long more = 2 * ((long)across - (long)step * down);
    uint sum = 0;
    for (int y = 1; y < down; y++) {
        sum += (uint)column;
        left += more;
        column += step + (left > 0);
        left -= left > 0 ? below : 0;
    }
    return sum;
}

/* The sum of the first whole columns of a chain in all its rows. */
uint sum_columns(global const int2 *chain, uint n)
{
    int2 a = chain[0];
    uint sum = 0, reach = 0;
    for (uint i = 1; i < n; i++) {
        int2 b = chain[i];
        int across = b.x - a.x, down = b.y - a.y;
        reach = max(reach, beyond(-across, down));
        sum += (uint)a.x - reach;
        if (down > 1)
            sum += between(across, down) + (uint)(down - 1) * (uint)a.x;
        reach = beyond(across, down);
        a = b;
    }
    return sum + (uint)a.x - reach;
}

kernel void hull_areas(global const uint2 *places, uint count, global const uint *edges,
                       global int2 *chains, global uint *areas)
{
    for (uint region = get_global_id(0); region < count; region += get_global_size(0)) {
        uint begin = places[region].x, height = places[region + 1].x - begin, area = height;
        global int2 *chain = chains + begin;
        for (uint side = 0; side < 2 && height; side++)
            area -= sum_columns(chain, make_chain(edges + 2 * (size_t)begin, height, side, chain));
        areas[region] = area;
    }
}
