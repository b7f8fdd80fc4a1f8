/* SPDX-License-Identifier: MIT */
/*
 * The coarse half of label.cl.
 *
 * Method:    label_band goes through a band of rows in order. A run below another one takes over
 *            its id, and only a run with nothing above makes a new id: ids[] is the forest. Within
 *            a band it needs no atomics. label_border joins the bands along their borders and
 *            counts the components; label_number replaces each id by the rank of its root in the
 *            band. label_write writes the label image.
 * Launch:    one work-item per band, in groups of one; label_border has one work-item.
 * Exactness: integers.
 * Limits:    fewer than 2^31 runs.
 * Others:    host src/opencl/regions/runs.c, definition src/reference/label.c, pair
 *            src/pairs/label.c, proofs docs/labelling.md, "Coarse: bands and slots".
 */

#define LANES 8    /* pixels written at once */
#define AHEAD 1024 /* how many labels ahead memory is fetched: CPUs do not fetch past a page */

/* The id at which the way up from id i ends. */
uint root_of(global const uint *ids, uint i)
{
    for (uint p = ids[i]; p != i; p = ids[i])
        i = p;
    return i;
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
            uint w0 = run - 1, u0 = up - 1;
            for (ulong s = sw; s; s &= s - 1) {
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
    for (uint i = here.first; i < here.first + here.ids; i++) {
        uint parent = ids[i];
        if (parent & RUNS_FLAG)
            continue;
        ids[i] = rank; /* read back if i is its own parent: no branch, as in label_band */
        ids[i] = ids[parent];
        rank += parent == i;
    }
}

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
