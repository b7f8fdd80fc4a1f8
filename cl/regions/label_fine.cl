/* SPDX-License-Identifier: MIT */
/*
 * The fine half of label.cl.
 *
 * Method:    label_starts and label_scan number the runs in raster order. label_init hangs each run
 *            below the run above its first pixel; label_shorten makes the chains short that come
 *            of that; label_merge joins the other contacts by atomic minima. label_flatten hangs
 *            every run below its root and counts roots; label_scan and label_number rank these.
 * Launch:    one work-item per mask word, in groups of GROUP; label_scan has one group.
 * Exactness: integers; every order of unions gives the same roots.
 * Limits:    fewer than 2^31 runs.
 * Others:    host src/opencl/regions/runs.c, definition src/reference/label.c, pair
 *            src/pairs/label.c, proofs docs/labelling.md, "Fine: merging with atomic minima".
 */

/* LOAD reads a parent that other work-items may be lowering. That race is harmless: a parent that
 * has been replaced is still an ancestor. STORE replaces a parent that no other work-item writes. A
 * race checker is told so by atomics. STALE is for a test: most reads give the parent that was
 * there when the kernel was launched, as if a cache had kept it. A copy of all parents, STALE words
 * further on, has them, and a hash of the run and of the work-item chooses. */
#if defined(CHECK_RACES)
#define LOAD(runs, i)         atomic_or((runs) + (i), 0)
#define STORE(runs, i, value) atomic_xchg((runs) + (i), value)
#elif defined(STALE)
#define HASH(i)               (((i) ^ (uint)get_global_id(0) * 0x9e3779b9u) * 0x85ebca6bu >> 28)
#define LOAD(runs, i)         (((volatile global uint *)(runs))[(i) + (HASH(i) < 12 ? STALE : 0)])
#define STORE(runs, i, value) ((runs)[i] = (value))
#else
#define LOAD(runs, i)         (((volatile global uint *)(runs))[i])
#define STORE(runs, i, value) ((runs)[i] = (value))
#endif

/* The sum of the values of the work-items before this one in its group, by Hillis and Steele's
 * scan; part[GROUP - 1] becomes the sum of the whole group. */
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
    uint w, starts, wide; /* the pixels of a word, where runs start, WIDE of it */
    uint u, up, wide_up;  /* the same of the word above it */
} pair;

/* Word i of the mask and the one above it. */
pair words_at(global const uint *mask, uint cols, uint i)
{
    uint words = (cols + 31) / 32, y = i / words, j = i % words;
    global const uint *row = mask + (size_t)y * words;
    uint w = word32(row, j, cols), before = j ? word32(row, j - 1, cols) >> 31 : 0;
    uint u = y ? word32(row - words, j, cols) : 0;
    uint before_up = y && j ? word32(row - words, j - 1, cols) >> 31 : 0;
    return (pair){w, STARTS(w, before),    WIDE(w, before),
                  u, STARTS(u, before_up), WIDE(u, before_up)};
}

/* Leaves in offsets[i] how many runs begin in the words of the group before word i, and in sums how
 * many begin in each group; adds the set pixels to counts[RUNS_PIXELS], which begins as 0. */
kernel GROUPED void label_starts(global const uint *mask, uint cols, uint count,
                                 global uint *offsets, global uint *sums,
                                 volatile global uint *counts)
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
        sums[i / GROUP] = before + n;
        atomic_add(counts + RUNS_PIXELS, pixels);
    }
}

/* Replaces each of `count` sums by the sum of those before it; `total` gets the sum of all. */
kernel GROUPED void label_scan(global uint *sums, uint count, global uint *total)
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

/* Links a run to the run above its first pixel, or to itself where there is none. */
kernel GROUPED void label_init(global const uint *mask, uint cols, uint count, global uint *runs,
                               global const uint *offsets, global const uint *group_offsets)
{
    uint i = get_global_id(0);
    if (i >= count)
        return;
    pair p = words_at(mask, cols, i);
    uint run = OFFSET(i), words = (cols + 31) / 32, up = i >= words ? OFFSET(i - words) : 0;
    for (uint s = p.starts; s; s &= s - 1, run++)
        runs[run] = p.wide_up & s & (0 - s) ? up + popcount(p.up & (s ^ (s - 1))) - 1 : run;
}

/* Links every run to what its parent's way up leads to in LABEL_HOPS steps. A tooth of a comb is a
 * chain as long as the tooth: without this kernel each run of it would go all the way by itself. */
kernel GROUPED void label_shorten(global const uint *mask, uint cols, uint count, global uint *runs,
                                  global const uint *offsets, global const uint *group_offsets)
{
    uint i = get_global_id(0);
    if (i >= count)
        return;
    uint run = OFFSET(i), end = run + popcount(words_at(mask, cols, i).starts);
    for (; run < end; run++) {
        uint parent = LOAD(runs, run), top = parent, above = LOAD(runs, top);
        for (uint hop = 0; hop < LABEL_HOPS && above != top; hop++) {
            top = above;
            above = LOAD(runs, top);
        }
        if (top != parent)
            STORE(runs, run, top);
    }
}

/* The root of run i. Hangs the runs on the way two steps higher, which halves the next way. */
uint root_of(global uint *runs, uint i)
{
    uint parent = LOAD(runs, i);
    while (parent != i) {
        uint above = LOAD(runs, parent);
        if (above != parent)
            atomic_min(runs + i, above);
        i = parent;
        parent = above;
    }
    return i;
}

/* Unites a run with the other runs that it touches in the row above. */
kernel GROUPED void label_merge(global const uint *mask, uint cols, uint count, global uint *runs,
                                global const uint *offsets, global const uint *group_offsets)
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
            b = least; /* `most` had ceased to be a root: join what it hung below, too */
        }
    }
}

/* Links every run to its root, and counts the roots of every word. */
kernel GROUPED void label_flatten(global const uint *mask, uint cols, uint count, global uint *runs,
                                  global const uint *offsets, global const uint *group_offsets,
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
        rank_sums[i / GROUP] = before + roots;
}

/* Replaces every root by its label, the rank of the root from 1. */
kernel GROUPED void label_number(global const uint *mask, uint cols, uint count, global uint *runs,
                                 global const uint *offsets, global const uint *group_offsets,
                                 global const uint *ranks, global const uint *rank_sums)
{
    uint i = get_global_id(0);
    if (i >= count)
        return;
    uint run = OFFSET(i), end = run + popcount(words_at(mask, cols, i).starts);
    uint label = ranks[i] + rank_sums[i / GROUP];
    for (; run < end; run++)
        if (runs[run] == run)
            runs[run] = RUNS_FLAG | ++label;
}
