/* SPDX-License-Identifier: MIT */
/*
 * The coarse half of label.cl.
 *
 * Method:    label_band goes through a band of rows in order. A run below another one takes over
 *            its id, and only a run with nothing above makes a new id: ids[] is the forest. Within
 *            a band it needs no atomics. label_border joins the bands along their borders and
 *            counts the components; label_number replaces each id by the rank of its root in the
 *            band.
 * Launch:    one work-item per band, in groups of one; label_border has one work-item.
 * Exactness: integers.
 * Limits:    fewer than 2^31 runs.
 * Others:    host src/opencl/regions/runs.c, definition src/reference/label.c, pair
 *            src/pairs/label.c, proofs docs/labelling.md, "Coarse: bands and slots".
 */

#define LANES 8 /* runs or ids that are written at once */

/* The id at which the way up from id i ends. */
uint root_of(global const uint *ids, uint i)
{
    for (uint p = ids[i]; p != i; p = ids[i])
        i = p;
    return i;
}

/* Copies n parents of runs; the two places are as far apart as a row has runs, or further. */
INLINE void copy_parents(global uint *to, global const uint *from, uint n)
{
    for (; n >= LANES; n -= LANES, to += LANES, from += LANES)
        vstore8(vload8(0, from), 0, to);
    while (n--)
        *to++ = *from++;
}

/* Makes n new ids, one for each of n runs. */
INLINE void make_ids(global uint *runs, global uint *ids, uint id, uint n)
{
    for (; n >= LANES; n -= LANES, runs += LANES, ids += LANES, id += LANES) {
        uint8 many = id + (uint8)(0, 1, 2, 3, 4, 5, 6, 7);
        vstore8(many, 0, runs);
        vstore8(many, 0, ids);
    }
    while (n--)
        *runs++ = *ids++ = id++;
}

/* Finds the components within a band of rows: its runs, and the forest of their ids. */
kernel ALONE void label_band(global const uint *mask, uint cols, uint rows, uint band_rows,
                             global uint *restrict runs, global uint *restrict ids,
                             global struct runs_band *restrict bands)
{
    uint here = get_global_id(0), top = here * band_rows, bottom = min(rows, top + band_rows);
    uint words = (cols + 31) / 32;
    uint first = top * ((cols + 1) / 2);
    uint run = first, id = first, last = first, merged = 0, pixels = 0;
    for (uint y = top; y < bottom; y++) {
        global const uint *row = mask + (size_t)y * words;
        uint up = last;
        ulong before = 0, before_up = 0;
        last = run;
        for (uint j = 0; j < words; j += 2) {
            ulong w = word64(row, j, cols), u = y > top ? word64(row - words, j, cols) : 0;
            if (!(w | u)) {
                before = before_up = 0;
                continue;
            }
            pixels += (uint)popcount(w);
            ulong sw = STARTS(w, before), su = STARTS(u, before_up);
            ulong wide = WIDE(w, before), wide_up = WIDE(u, before_up);
            uint w0 = run - 1, u0 = up - 1, n = (uint)popcount(sw);
            ulong each = sw;
            if (sw == su) { /* every run below the start of another: teeth of a comb */
                copy_parents(runs + run, runs + up, n);
                each = 0;
            } else if (!(sw & wide_up)) { /* nothing above any: a checkerboard */
                make_ids(runs + run, ids + id, id, n);
                id += n;
                each = 0;
            }
            run += each ? 0 : n;
            for (ulong s = each; s; s &= s - 1) {
                uint above = u0 + (uint)popcount(su & (s ^ (s - 1)));
                bool covered = (wide_up & s & (0 - s)) != 0;
                /* The new id is written in any case and read back if nothing is above the run: a
                 * load from either place costs less than a branch that is often guessed wrong. */
                ids[id] = runs[run] = id;
                runs[run] = runs[covered ? above : run];
                id += !covered;
                run++;
            }
            for (ulong s = su & wide & ~sw; s; s &= s - 1) {
                ulong upto = s ^ (s - 1);
                uint a = u0 + (uint)popcount(su & upto), b = w0 + (uint)popcount(sw & upto);
                uint ra = root_of(ids, runs[a]), rb = root_of(ids, runs[b]), least = min(ra, rb);
                merged += ra != rb;
                ids[max(ra, rb)] = runs[a] = runs[b] = least;
            }
            up += (uint)popcount(su);
            before = w >> 63;
            before_up = u >> 63;
        }
    }
    bands[here] = (struct runs_band){first, last, id - first, id - first - merged, 0, pixels};
}

/* The band that gave out an id: `from` or an earlier one. */
uint home_of(global const struct runs_band *bands, uint id, uint from)
{
    while (id < bands[from].first)
        from--;
    return from;
}

/* Joins band b to those above it; returns the number of slots in use. A root that comes to hang
 * below a root of an earlier band gets a slot. */
uint join(global const uint *mask, uint cols, uint band_rows, global const uint *runs,
          global uint *ids, global struct runs_band *bands, global struct runs_slot *slots, uint b,
          uint used)
{
    uint words = (cols + 31) / 32;
    global const uint *row = mask + (size_t)b * band_rows * words;
    uint w0 = bands[b].first - 1, u0 = bands[b - 1].last - 1;
    ulong before = 0, before_up = 0;
    for (uint j = 0; j < words; j += 2) {
        ulong w = word64(row, j, cols), u = word64(row - words, j, cols);
        ulong sw = STARTS(w, before), su = STARTS(u, before_up);
        ulong touch = WIDE(w, before) & WIDE(u, before_up) & (sw | su);
        for (ulong s = touch; s; s &= s - 1) {
            ulong upto = s ^ (s - 1);
            uint a = root_of(ids, runs[u0 + (uint)popcount(su & upto)]);
            uint c = root_of(ids, runs[w0 + (uint)popcount(sw & upto)]);
            if (a == c)
                continue;
            uint least = min(a, c), most = max(a, c), home = home_of(bands, most, b);
            ids[most] = least;
            bands[home].roots--;
            if (least < bands[home].first)
                slots[used++].before = most;
        }
        u0 += (uint)popcount(su);
        w0 += (uint)popcount(sw);
        before = w >> 63;
        before_up = u >> 63;
    }
    return used;
}

/* One work-item joins the components of neighbouring bands and counts all of them. */
kernel ALONE void label_border(global const uint *mask, uint cols, uint band_rows, uint count,
                               global const uint *runs, global uint *ids,
                               global struct runs_band *bands, global struct runs_slot *slots,
                               global uint *counts)
{
    uint used = 0, total = 0, pixels = 0;
    for (uint b = 1; b < count; b++)
        used = join(mask, cols, band_rows, runs, ids, bands, slots, b, used);
    for (uint b = 0; b < count; b++) {
        bands[b].before = total;
        total += bands[b].roots;
        pixels += bands[b].pixels;
    }
    for (uint i = 0; i < used; i++)
        slots[i].root = root_of(ids, slots[i].before);
    for (uint i = 0; i < used; i++) {
        ids[slots[i].before] = RUNS_FLAG | i;
        slots[i].before = bands[home_of(bands, slots[i].root, count - 1)].before;
    }
    counts[RUNS_COMPONENTS] = total;
    counts[RUNS_SLOTS] = used;
    counts[RUNS_PIXELS] = pixels;
}

/* Gives the roots of a band their ranks, and every other id that of its root. */
kernel ALONE void label_number(global uint *ids, global const struct runs_band *bands)
{
    struct runs_band here = bands[get_global_id(0)];
    uint rank = 0;
    const uint8 step = (uint8)(0, 1, 2, 3, 4, 5, 6, 7);
    for (uint i = here.first, end = i + here.ids; i < end;) {
        uint stop = min(end, i + LANES);
        if (i + LANES == stop && !any(vload8(0, ids + i) != i + step)) { /* roots only */
            vstore8(rank + step, 0, ids + i);
            rank += LANES;
            i = stop;
        }
        for (; i < stop; i++) {
            uint parent = ids[i];
            if (parent & RUNS_FLAG)
                continue;
            ids[i] = rank; /* read back if i is its own parent: no branch, as in label_band */
            ids[i] = ids[parent];
            rank += parent == i;
        }
    }
}
