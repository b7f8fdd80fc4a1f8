/* SPDX-License-Identifier: MIT */
/*
 * The coarse half of histogram.cl.
 *
 * Method:    a worker takes a row of whole chunks, LANES keys at a time, and adds them to its own
 *            slice of bins without atomics. histogram_gather holds keys back and asks for room
 *            for many at once.
 * Launch:    one work-item per worker, in groups of one; histogram_merge one per bin.
 * Exactness: integers.
 * Limits:    a worker takes fewer than 2^HISTOGRAM_COUNT_BITS pixels in a launch.
 * Others:    as in histogram.cl.
 */

/*
 * A bin of a slice: the count in the top bits of the first word, below it the sum of d, or of the
 * high part of d, which has 16 bits either way. Both fit while the slice has fewer than
 * 2^HISTOGRAM_COUNT_BITS pixels. See docs/limits.md.
 */
#define COUNT_AT (64 - HISTOGRAM_COUNT_BITS)
#define ONE      (1ul << COUNT_AT)
/* clang-format off */
#if KEY_BITS == 32
typedef ulong2 cell;
#define CELL_WORDS (HISTOGRAM_COARSE_BYTES_32 / 8)
#define ADD(s) t[h.s] += convert_ulong2((uint2)(d.s, square.s)) + (ulong2)(ONE, 0);
#define ADD_ONE(h, d) t[h] += (ulong2)(ONE | (d), (ulong)(d) * (d));
#else
typedef ulong8 cell;
#define CELL_WORDS (HISTOGRAM_COARSE_BYTES_64 / 8)
#define ADD(s) ADD_ONE(h.s, d.s)
#define ADD_ONE(h, d)                                                                              \
    t[h] += (ulong8)(ONE | (d) >> 32, (d) & 0xffffffff, PART0(d), PART1(d), PART2(d), (ulong3)(0));
#endif
/* clang-format on */

/* Adds the pixels from i to end - 1, fewer than LANES, to slice t and to the chunk's extremes. */
CALLED void add_rest(global const word *image, ulong i, ulong end, struct window window,
                            global cell *t, key *least, key *past)
{
    for (; i < end; i++) {
        key k = key_of(image[i]), d = low_of(k - window.base, window);
        *least = min(*least, k);
        *past = max(*past, PAST(k));
        ADD_ONE(bin_of(k - window.base, window), d)
    }
}

/* Adds a chunk. `narrow` tells whether there are narrow bins; it is a constant, so that the
 * compiler makes a loop for either case. */
static inline void add_chunk(global const word *image, ulong i, ulong end, struct window window,
                             int narrow, global cell *t, global key *range)
{
    keyv low = BLANK, high = 0, mask = ((key)1 << window.shift) - 1;
    for (; i + LANES <= end; i += LANES) {
        keyv k = keys_load(i, image), o = k - window.base, h = o >> LOW, d = o & LOW_MASK;
        low = min(low, k);
        high = max(high, PAST(k));
        if (narrow) {
            keyv inside = o < window.length ? (keyv)BLANK : (keyv)0;
            h = select(h, (o >> window.shift) + HISTOGRAM_WIDE_BINS, inside);
            d = select(d, o & mask, inside);
        }
#if KEY_BITS == 32
        keyv square = d * d;
#endif
        EACH_LANE(ADD)
    }
    key least = BLANK, past = 0;
#define EXTREMES(s)                                                                                \
    least = min(least, low.s);                                                                     \
    past = max(past, high.s);
    EACH_LANE(EXTREMES)
    add_rest(image, i, end, window, t, &least, &past);
    range[0] = least;
    range[1] = past;
}

/* Leaves the bins of the worker's chunks in its slice, and the extreme keys of every chunk in
 * `range`: the least key, and PAST of the greatest. */
kernel ALONE void histogram_fill(global const word *image, struct histogram_fill_args args,
                                 global cell *slices, global key *range)
{
    size_t w = get_group_id(0), workers = get_num_groups(0);
    ulong n = args.n, chunks = (n + HISTOGRAM_CHUNK - 1) / HISTOGRAM_CHUNK;
    struct window window = {(key)args.base, (key)args.length, args.shift};
    global cell *t = slices + w * HISTOGRAM_BINS;
    image += args.first;
    for (uint b = 0; b < HISTOGRAM_BINS; b++)
        t[b] = 0;
    for (ulong c = chunks * w / workers; c < chunks * (w + 1) / workers; c++) {
        ulong i = c * HISTOGRAM_CHUNK, end = min(i + HISTOGRAM_CHUNK, n);
        if (window.length != 0)
            add_chunk(image, i, end, window, 1, t, range + 2 * c);
        else
            add_chunk(image, i, end, window, 0, t, range + 2 * c);
    }
}

/* Adds the slices of all workers. Launch: one work-item per bin. */
kernel GROUPED void histogram_merge(global const ulong *slices, uint workers, global ulong *total)
{
    size_t b = get_global_id(0);
    ulong count = 0, d = 0;
    for (uint w = 0; w < workers; w++) {
        ulong v = slices[(w * (size_t)HISTOGRAM_BINS + b) * CELL_WORDS];
        count += v >> COUNT_AT;
        d += v & ONE - 1;
    }
    total[b] = count;
    total[HISTOGRAM_BINS + b] = d;
    for (uint j = 2; j < WORDS; j++) {
        ulong sum = 0;
        if (count != 0)
            for (uint w = 0; w < workers; w++)
                sum += slices[(w * (size_t)HISTOGRAM_BINS + b) * CELL_WORDS + j - 1];
        total[j * HISTOGRAM_BINS + b] = sum;
    }
}

/* The number of the first pixel from i on that has this key, or `end`. */
CALLED ulong first_of(global const word *image, ulong i, ulong end, key sought)
{
    for (; i + 2 * LANES <= end; i += 2 * LANES)
        if (is_any((keys_load(i, image) == (keyv)sought) |
                   (keys_load(i + LANES, image) == (keyv)sought)))
            break;
    while (i < end && key_of(image[i]) != sought)
        i++;
    return i;
}

/* Searches the worker's chunks for one key, and stops at the first pixel that has it. */
static inline void seek(global const word *image, ulong n, ulong start, key sought, ulong chunks,
                        global uint *place)
{
    size_t w = get_group_id(0), workers = get_num_groups(0);
    ulong first = chunks * w / workers, past = chunks * (w + 1) / workers;
    ulong end = min((start + past) * HISTOGRAM_CHUNK, n), at = end;
    if (first < past)
        at = first_of(image, (start + first) * HISTOGRAM_CHUNK, end, sought);
    for (ulong c = first; c < past; c++)
        place[2 * c] = ~0u;
    if (at < end)
        place[2 * (at / HISTOGRAM_CHUNK - start)] = at % HISTOGRAM_CHUNK;
}

/*
 * Leaves in place[2 * c] the offset of the first pixel of key `least` in chunk start_least + c, and
 * in place[2 * c + 1] that of key `most` in chunk start_most + c, ~0 where the chunk has none.
 * Where a worker has several chunks, only the first that has the key is marked.
 */
kernel ALONE void histogram_seek(global const word *image, struct histogram_seek_args args,
                                 global uint *place)
{
    seek(image, args.n, args.start_least, (key)args.least, args.chunks, place);
    seek(image, args.n, args.start_most, (key)args.most, args.chunks, place + 1);
}

#define HELD 256 /* keys that a worker holds back before it asks for room */
/* Signed comparisons of vectors are cheap where unsigned ones are not. KEY_SIGN is added to both
 * sides, so that the signed comparison gives what the unsigned one would. */
#define BEFORE(a, b) (AS_ORDER(a) < AS_ORDER(b))
#define IN_ZONES(k)  (BEFORE(k - f0, s0) | BEFORE(k - f1, s1) | BEFORE(k - f2, s2))

/* Appends the held keys to `out`, as far as there is room. Returns how many are held then: 0. */
CALLED uint flush(const key *held, uint count, uint limit, global key *out)
{
    uint at = atomic_add(ROOM(out), count);
    for (uint j = 0; j < count && at + j < limit; j++)
        out[HEAD + at + j] = held[j];
    return 0;
}

#define HOLD(s)                                                                                    \
    if (hit.s && is_chosen(k.s, chosen, intervals))                                                \
        held[count++] = k.s;

/* Appends the keys of the chosen intervals to `out`, in any order. `out` has room for `limit` keys;
 * the head counts all keys, those too that have no room. */
kernel ALONE void histogram_gather(global const word *image, struct histogram_gather_args args,
                                   global const key *chosen, global key *out)
{
    size_t w = get_group_id(0), workers = get_num_groups(0);
    ulong n = args.n, chunks = (n + HISTOGRAM_CHUNK - 1) / HISTOGRAM_CHUNK;
    ulong end = min(chunks * (w + 1) / workers * HISTOGRAM_CHUNK, n);
    ulong i = chunks * w / workers * HISTOGRAM_CHUNK;
    keyv f0 = (key)args.from[0] + KEY_SIGN, s0 = (key)args.span[0] - KEY_SIGN;
    keyv f1 = (key)args.from[1] + KEY_SIGN, s1 = (key)args.span[1] - KEY_SIGN;
    keyv f2 = (key)args.from[2] + KEY_SIGN, s2 = (key)args.span[2] - KEY_SIGN;
    key held[HELD + LANES];
    uint count = 0, intervals = args.intervals, limit = args.limit;
    for (; i + 2 * LANES <= end; i += 2 * LANES) {
        keyv a = keys_load(i, image), b = keys_load(i + LANES, image);
        order hit_a = IN_ZONES(a), hit_b = IN_ZONES(b);
        if (!is_any(hit_a | hit_b))
            continue;
        for (uint part = 0; part < 2; part++) {
            keyv k = part ? b : a;
            order hit = part ? hit_b : hit_a;
            EACH_LANE(HOLD)
            if (count >= HELD)
                count = flush(held, count, limit, out);
        }
    }
    for (; i < end; i++) { /* fewer than 2 * LANES pixels, at the image's end */
        key k = key_of(image[i]);
        if (is_chosen(k, chosen, intervals))
            held[count++] = k;
        if (count >= HELD)
            count = flush(held, count, limit, out);
    }
    flush(held, count, limit, out);
}
