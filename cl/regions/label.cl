/* SPDX-License-Identifier: MIT */
/*
 * Method:    union-find on runs (runs.cl). The root of a component is its first run in raster
 *            order, so its rank among the roots is the label. A run whose start has a run above
 *            it takes that one's place in the forest; only the other contacts need a union.
 *            COARSE: label_band scans a band of rows in order, alone; label_border joins the bands
 *            and counts; label_number ranks. A new id is made only where nothing is above.
 *            Else: label_starts, label_scan number the runs; label_init, label_merge build the
 *            forest by atomic minima; label_flatten, label_scan, label_number rank the roots.
 * Launch:    COARSE: one work-item a band, in groups of one; label_border one work-item.
 *            Else one work-item a mask word, in groups of GROUP; label_scan one group;
 *            label_write one work-item a pixel, rows the second dimension.
 * Exactness: integers; every order of unions gives the same roots.
 * Limits:    fewer than 2^31 runs.
 * Others:    host src/opencl/regions/label.c, definition src/reference/label.c, pair src/pairs/label.c.
 */
#include "regions/runs.cl"

#if COARSE

#define LANES 8    /* pixels written at once */
#define AHEAD 1024 /* labels that are fetched before: where a page ends, CPUs stop fetching */

uint root_of(global const uint *ids, uint i)
{
    for (uint p = ids[i]; p != i; p = ids[i])
        i = p;
    return i;
}

kernel ALONE void label_band(global const uint *mask, uint cols, uint rows, uint band_rows,
                             global uint *restrict runs, global uint *restrict ids,
                             global band *restrict bands)
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
                ids[id] = runs[run] = id; /* and read again, so that no branch has to be guessed */
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
    bands[here] = (band){first, last, id - first, id - first - merged, 0, pixels};
}

uint home_of(global const band *bands, uint id, uint from)
{
    while (id < bands[from].first)
        from--;
    return from;
}

/* Joins band b to those above it; returns the number of slots in use. */
uint join(global const uint *mask, uint cols, uint band_rows, global const uint *runs,
          global uint *ids, global band *bands, global uint2 *slots, uint b, uint used)
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
                slots[used++].y = most;
        }
        u0 += (uint)popcount(su);
        w0 += (uint)popcount(sw);
        before = w >> 63;
        before_up = u >> 63;
    }
    return used;
}

kernel ALONE void label_border(global const uint *mask, uint cols, uint band_rows, uint count,
                               global const uint *runs, global uint *ids, global band *bands,
                               global uint2 *slots, global uint *counts)
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
        slots[i].x = root_of(ids, slots[i].y);
    for (uint i = 0; i < used; i++) {
        ids[slots[i].y] = FLAG | i;
        slots[i].y = bands[home_of(bands, slots[i].x, count - 1)].before;
    }
    counts[0] = total;
    counts[1] = used;
    counts[2] = pixels;
}

kernel ALONE void label_number(global uint *ids, global const band *bands)
{
    band here = bands[get_global_id(0)];
    uint rank = 0;
    for (uint i = here.first; i < here.first + here.ids; i++) {
        uint parent = ids[i];
        if (parent & FLAG)
            continue;
        ids[i] = rank; /* as above: the parent may be i */
        ids[i] = ids[parent];
        rank += parent == i;
    }
}

void fill(global int *labels, int label)
{
    for (uint i = 0; i < LANES; i++)
        labels[i] = label;
}

/* A run is written LANES at a time, over its end too, and what follows it is cleared again; the
 * last words of a row, whose followers may be another work-item's, pixel by pixel. */
kernel ALONE void label_write(global const uint *restrict mask, uint cols, uint rows,
                              uint band_rows, TABLES, global int *restrict labels)
{
    uint here = get_global_id(0), top = here * band_rows, bottom = min(rows, top + band_rows);
    uint words = (cols + 31) / 32, run = bands[here].first, before = bands[here].before;
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
            _Pragma("unroll") for (uint i = 0; i < 64; i += LANES)
                fill(out + i, 0);
            while (w) {
                uint from = lowest(w);
                ulong rest = w + (w & (0 - w));
                uint to = lowest(rest);
                w &= rest;
                if (starts >> from & 1)
                    label = label_of(runs, ids, slots, before, run++);
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
                    label = label_of(runs, ids, slots, before, run++);
                *out++ = w >> i & 1 ? label : 0;
            }
        }
    }
}

#else

/* Parents are read while others lower them, which is harmless: an older one is an ancestor too. A
 * race checker wants to see that said. */
#ifdef CHECK_RACES
#define LOAD(p) atomic_or(p, 0)
#else
#define LOAD(p) (*(volatile global uint *)(p))
#endif

/* The sum of the values before this work-item's, of a work-group; the whole in part[GROUP - 1]. */
uint scan(local uint *part, uint value)
{
    uint i = get_local_id(0);
    part[i] = value;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint step = 1; step < GROUP; step *= 2) {
        uint more = i >= step ? part[i - step] : 0;
        barrier(CLK_LOCAL_MEM_FENCE);
        part[i] += more;
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return part[i] - value;
}

typedef struct {
    uint w, starts, wide; /* of the word */
    uint u, up, wide_up;  /* of the word above it */
} pair;

/* Word i of the mask and the one above it. */
pair words_at(global const uint *mask, uint cols, uint i)
{
    uint words = (cols + 31) / 32, y = i / words, j = i % words;
    global const uint *row = mask + (size_t)y * words;
    uint w = word32(row, j, cols), before = j ? word32(row, j - 1, cols) >> 31 : 0;
    uint u = y ? word32(row - words, j, cols) : 0;
    uint before_up = y && j ? word32(row - words, j - 1, cols) >> 31 : 0;
    return (pair){w, STARTS(w, before), WIDE(w, before), u, STARTS(u, before_up),
                  WIDE(u, before_up)};
}

/* Also adds the set pixels to counts[2], which begins as 0. */
kernel void label_starts(global const uint *mask, uint cols, uint count, global uint *offsets,
                         global uint *sums, volatile global uint *counts)
{
    local uint part[GROUP], pixels;
    uint i = get_global_id(0);
    pair p = {0};
    if (i < count)
        p = words_at(mask, cols, i);
    if (get_local_id(0) == 0)
        pixels = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&pixels, (uint)popcount(p.w));
    uint n = (uint)popcount(p.starts), before = scan(part, n);
    if (i < count)
        offsets[i] = before;
    if (get_local_id(0) == GROUP - 1) {
        sums[get_group_id(0)] = before + n;
        atomic_add(counts + 2, pixels);
    }
}

/* Turns `count` sums into the sums before each; `total` gets the whole. */
kernel void label_scan(global uint *sums, uint count, global uint *total)
{
    local uint part[GROUP];
    uint done = 0;
    for (uint first = 0; first < count; first += GROUP) {
        uint i = first + get_local_id(0);
        uint before = scan(part, i < count ? sums[i] : 0);
        if (i < count)
            sums[i] = done + before;
        done += part[GROUP - 1];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    if (get_local_id(0) == 0)
        *total = done;
}

kernel void label_init(global const uint *mask, uint cols, uint count, global uint *runs,
                       global const uint *offsets, global const uint *sums)
{
    uint i = get_global_id(0);
    if (i >= count)
        return;
    pair p = words_at(mask, cols, i);
    uint run = OFFSET(i), words = (cols + 31) / 32, up = i >= words ? OFFSET(i - words) : 0;
    for (uint s = p.starts; s; s &= s - 1, run++)
        runs[run] = p.wide_up & s & (0 - s) ? up + popcount(p.up & (s ^ (s - 1))) - 1 : run;
}

/* The root; halves the way to it. */
uint root_of(global uint *runs, uint i)
{
    uint parent = LOAD(runs + i);
    while (parent != i) {
        uint above = LOAD(runs + parent);
        if (above != parent)
            atomic_min(runs + i, above);
        i = parent;
        parent = above;
    }
    return i;
}

kernel void label_merge(global const uint *mask, uint cols, uint count, global uint *runs,
                        global const uint *offsets, global const uint *sums)
{
    uint i = get_global_id(0), words = (cols + 31) / 32;
    if (i >= count || i < words)
        return;
    pair p = words_at(mask, cols, i);
    uint run = OFFSET(i) - 1, up = OFFSET(i - words) - 1;
    for (uint s = p.up & p.wide & ~p.starts; s; s &= s - 1) {
        uint upto = s ^ (s - 1);
        uint a = up + popcount(p.up & upto), b = run + popcount(p.starts & upto);
        while ((a = root_of(runs, a)) != (b = root_of(runs, b))) {
            uint most = max(a, b), least = min(a, b);
            a = atomic_min(runs + most, least);
            if (a == most)
                break;
            b = least; /* `most` was no root any more: what it hung on must be joined */
        }
    }
}

kernel void label_flatten(global const uint *mask, uint cols, uint count, global uint *runs,
                          global const uint *offsets, global const uint *sums,
                          global uint *ranks, global uint *rank_sums)
{
    local uint part[GROUP];
    uint i = get_global_id(0), roots = 0;
    if (i < count) {
        uint run = OFFSET(i), end = run + popcount(words_at(mask, cols, i).starts);
        for (; run < end; run++) {
            uint root = root_of(runs, run);
            if (root != run)
                atomic_min(runs + run, root);
            roots += root == run;
        }
    }
    uint before = scan(part, roots);
    if (i < count)
        ranks[i] = before;
    if (get_local_id(0) == GROUP - 1)
        rank_sums[get_group_id(0)] = before + roots;
}

kernel void label_number(global const uint *mask, uint cols, uint count, global uint *runs,
                         global const uint *offsets, global const uint *sums,
                         global const uint *ranks, global const uint *rank_sums)
{
    uint i = get_global_id(0);
    if (i >= count)
        return;
    uint run = OFFSET(i), end = run + popcount(words_at(mask, cols, i).starts);
    uint label = ranks[i] + rank_sums[i / GROUP];
    for (; run < end; run++)
        if (runs[run] == run)
            runs[run] = FLAG | ++label;
}

kernel void label_write(global const uint *mask, uint cols, TABLES, global int *labels)
{
    uint x = get_global_id(0), y = get_global_id(1), words = (cols + 31) / 32, j = x / 32;
    if (x >= cols)
        return;
    uint i = y * words + j, bit = 1u << x % 32;
    global const uint *row = mask + (size_t)y * words;
    uint w = word32(row, j, cols), before = j ? word32(row, j - 1, cols) >> 31 : 0;
    uint run = OFFSET(i) + popcount(STARTS(w, before) & (bit | (bit - 1))) - 1;
    labels[(size_t)y * cols + x] = w & bit ? label_of(runs, run) : 0;
}

#endif
