/* SPDX-License-Identifier: MIT */
/*
 * The pixels of a blend, shared out among its objects.
 *
 * Method:    extract_gather gives every pixel that is in no core to the object whose profile is
 *            highest there. extract_bucket lists the pixels of each object one behind the other, in
 *            raster order.
 * Launch:    extract_gather EACH task, a piece of a blend; extract_bucket EACH blend.
 * Exactness: F32 without fusion, in the order of the definition.
 * Limits:    none of its own.
 * Others:    host src/opencl/extract/share.c, definition src/reference/extract_deblend.c, pair
 *            src/pairs/extract.c, docs/extract.md.
 */
#include "extract/view.cl"

/* Gives every pixel of a task without a label that of the object with the highest profile there, or
 * of the nearest one where all are further than EXTRACT_FAR. */
kernel SIZED void extract_gather(global const struct extract_task *tasks, uint count,
                                 global const uint *list, uint cols,
                                 global const struct extract_profile *profiles, global int *labels)
{
    EACH(t, count)
    {
        struct extract_task task = tasks[t];
        for (uint p = task.first; p < task.first + task.count; p++) {
            uint at = list[p], best = 0, close = 0;
            float most = -INFINITY, nearest = INFINITY;
            if (labels[at])
                continue;
            for (uint i = 0; i < task.children; i++) {
                struct extract_profile f = profiles[task.child + i];
                float dx = (float)((double)(at % cols) - f.x);
                float dy = (float)((double)(at / cols) - f.y);
                float distance = f.cxx * dx * dx + f.cyy * dy * dy + f.cxy * dx * dy;
                float height = f.height - distance;
                if (distance < nearest) {
                    nearest = distance;
                    close = i;
                }
                if (distance < EXTRACT_FAR && height > most) {
                    most = height;
                    best = i;
                }
            }
            labels[at] = (int)(most > -INFINITY ? best : close) + 1;
        }
    }
}

/* Lists the pixels of cores or, if `whole`, of objects, from items[].first of `to` on;
 * items[].count is what has been listed. `spare` has room for the pixels of the blends. */
kernel SIZED void extract_bucket(global const struct extract_blend *blends, uint count,
                                 global const uint *list, global const int *labels,
                                 global uint *spare, uint whole, global struct extract_item *items,
                                 global uint *to)
{
    EACH(b, count)
    {
        struct extract_blend blend = blends[b];
        global struct extract_item *own = items + blend.child;
        global uint *copy = spare + blend.places;
        for (uint i = 0; i < blend.count; i++)
            copy[i] = list[blend.first + i];
        for (uint k = 0; k < blend.children; k++)
            own[k].count = 0;
        for (uint i = 0; i < blend.count; i++) {
            int number = labels[copy[i]];
            if (number)
                own[number - 1].count++;
        }
        for (uint k = 0, first = whole ? blend.first : blend.places; k < blend.children; k++) {
            own[k].first = first;
            first += own[k].count;
            own[k].count = 0;
        }
        for (uint i = 0; i < blend.count; i++) {
            int number = labels[copy[i]];
            if (number)
                to[own[number - 1].first + own[number - 1].count++] = copy[i];
        }
    }
}
