/* SPDX-License-Identifier: MIT */
/*
 * Statistics of an image: one integer table, and the keys of a few of its bins.
 *
 * Method. A pixel's key (prelude.cl) less `base` names a bin: one of NARROW_BINS narrow ones, `shift`
 * bits wide, for the first `length` keys, where most pixels of a usual image lie, and by its top 16
 * bits one of 65,536 wide ones elsewhere. A bin holds the count, the sum of d and the sum of d^2, d
 * being the key's distance from the bin's start. Keys of bins that the host must see inside are
 * gathered.
 * Launch. Coarse: one work-item per worker, each with a slice of its own, zeroed here, of fewer than
 * 2^COUNT_BITS pixels; then histogram_merge adds the slices. Fine: any groups of GROUP work-items, one
 * chunk per group, global 32-bit atomics with carry into one table that the host has zeroed.
 * Exactness. Integers only: any order and any split give the same sums.
 * Limits. A launch of the fine layout takes at most 2^31 pixels, a gather 2^32 - 1 keys.
 * Host src/opencl/stats/histogram.c, definition src/reference/stats.c.
 */
#ifndef CHUNK
#define CHUNK 16384 /* pixels that share an entry of `range`; a multiple of 16 */
#endif
#ifndef NARROW_BINS
#define NARROW_BINS 4096 /* narrow bins */
#endif
#ifndef COUNT_BITS
#define COUNT_BITS 24 /* of a slice's counts; 16 + COUNT_BITS bits are left for the sums of d */
#endif
#define WIDE_BINS 65536
#define BINS (WIDE_BINS + NARROW_BINS)
#define LOW (KEY_BITS - 16)
#define LOW_MASK (((key)1 << LOW) - 1)

#if KEY_BITS == 32
#define WORDS 3 /* of a bin's total: count, sum d, sum d^2 */
#else
#define WORDS 6 /* count, sums of d's high 16 and low 32 bits, of d^2 in three parts of 32 bits */
#endif

#if FLOATING
#define PAST(k) ((k) + 1) /* so that a blank pixel, the highest key, becomes the lowest */
#else
#define PAST(k) (k)
#endif

static inline uint bin_of(key o, key length, uint shift)
{
    return o < length ? (uint)(o >> shift) + WIDE_BINS : (uint)(o >> LOW);
}

static inline key low_of(key o, key length, uint shift)
{
    return o & (o < length ? ((key)1 << shift) - 1 : LOW_MASK);
}

#if KEY_BITS == 64
/* d^2 = p0 + p1 * 2^32 + p2 * 2^64, each part below 2^34. */
#define PART0(d) (((d) & 0xffffffff) * ((d) & 0xffffffff) & 0xffffffff)
#define CROSS(d) (((d) & 0xffffffff) * ((d) >> 32) * 2)
#define PART1(d) ((((d) & 0xffffffff) * ((d) & 0xffffffff) >> 32) + (CROSS(d) & 0xffffffff))
#define PART2(d) (((d) >> 32) * ((d) >> 32) + (CROSS(d) >> 32))
#endif

#if COARSE
/* A slice's bin: the count in the top bits of the first word, below it the sum of d or of its high
 * part, each d having 16 bits. Both fit as long as a slice has fewer than 2^COUNT_BITS pixels. */
#define COUNT_AT (64 - COUNT_BITS)
#define ONE      (1ul << COUNT_AT)
#if KEY_BITS == 32
typedef ulong2 cell;
#define CELL_WORDS 2
#define ADD(s) t[h.s] += convert_ulong2((uint2)(d.s, square.s)) + (ulong2)(ONE, 0);
#define ADD_ONE(h, d) t[h] += (ulong2)(ONE | (d), (ulong)(d) * (d));
#else
typedef ulong8 cell;
#define CELL_WORDS 8
#define ADD(s) ADD_ONE(h.s, d.s)
#define ADD_ONE(h, d)                                                                              \
    t[h] += (ulong8)(ONE | (d) >> 32, (d) & 0xffffffff, PART0(d), PART1(d), PART2(d), (ulong3)(0));
#endif

/* Adds the pixels i to end, less than LANES, to slice `t` and to the chunk's extremes. */
static inline void add_rest(global const word *image, ulong i, ulong end, key base, key length,
                            uint shift, global cell *t, key *least, key *past)
{
    for (; i < end; i++) {
        key k = key_of(image[i]), d = low_of(k - base, length, shift);
        *least = min(*least, k);
        *past = max(*past, PAST(k));
        ADD_ONE(bin_of(k - base, length, shift), d)
    }
}

/* Adds a chunk; `narrow` is a constant: whether there are narrow bins. */
static inline void add_chunk(global const word *image, ulong i, ulong end, key base, key length,
                             uint shift, int narrow, global cell *t, global key *range)
{
    keyv low = BLANK, high = 0, mask = ((key)1 << shift) - 1;
    for (; i + LANES <= end; i += LANES) {
        keyv k = keys_load(i, image), o = k - base, h = o >> LOW, d = o & LOW_MASK;
        low = min(low, k);
        high = max(high, PAST(k));
        if (narrow) {
            keyv fine = o < length ? (keyv)BLANK : (keyv)0;
            h = select(h, (o >> shift) + WIDE_BINS, fine);
            d = select(d, o & mask, fine);
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
    add_rest(image, i, end, base, length, shift, t, &least, &past);
    range[0] = least;
    range[1] = past;
}

kernel ALONE void histogram_fill(global const word *image, ulong first, ulong n, key base, key length, uint shift,
            global cell *slices, global key *range)
{
    size_t w = get_group_id(0), workers = get_num_groups(0);
    ulong chunks = (n + CHUNK - 1) / CHUNK;
    global cell *t = slices + w * BINS;
    image += first;
    for (uint b = 0; b < BINS; b++)
        t[b] = 0;
    for (ulong c = chunks * w / workers; c < chunks * (w + 1) / workers; c++) {
        ulong i = c * CHUNK, end = min(i + CHUNK, n);
        if (length != 0)
            add_chunk(image, i, end, base, length, shift, 1, t, range + 2 * c);
        else
            add_chunk(image, i, end, base, length, shift, 0, t, range + 2 * c);
    }
}

/* Launch: one work-item a bin. */
kernel GROUPED void histogram_merge(global const ulong *slices, uint workers, global ulong *total)
{
    size_t b = get_global_id(0);
    ulong count = 0, d = 0;
    for (uint w = 0; w < workers; w++) {
        ulong v = slices[(w * (size_t)BINS + b) * CELL_WORDS];
        count += v >> COUNT_AT;
        d += v & ONE - 1;
    }
    total[b] = count;
    total[BINS + b] = d;
    for (uint j = 2; j < WORDS; j++) {
        ulong sum = 0;
        if (count != 0)
            for (uint w = 0; w < workers; w++)
                sum += slices[(w * (size_t)BINS + b) * CELL_WORDS + j - 1];
        total[j * BINS + b] = sum;
    }
}
#else
#define CELL_WORDS (2 * WORDS - 1) /* 32-bit words of a bin: count, then low and high of each sum */

/* Adds v to the 64-bit sum at p. */
static inline void add_wide(volatile global uint *p, ulong v)
{
    uint low = (uint)v, old = atomic_add(p, low);
    uint high = (uint)(v >> 32) + (old + low < old);
    if (high != 0)
        atomic_add(p + 1, high);
}

kernel GROUPED void histogram_fill(global const word *image, ulong first, ulong n, key base, key length, uint shift,
            volatile global uint *table, global key *range)
{
    local key low[GROUP], high[GROUP];
    size_t c = get_group_id(0);
    uint l = get_local_id(0);
    ulong end = min((c + 1) * (ulong)CHUNK, n);
    key least = BLANK, past = 0;
    for (ulong i = c * (ulong)CHUNK + l; i < end; i += GROUP) {
        key k = key_of(image[first + i]), o = k - base, d = low_of(o, length, shift);
        volatile global uint *t = table + bin_of(o, length, shift) * CELL_WORDS;
        least = min(least, k);
        past = max(past, PAST(k));
        atomic_inc(t);
#if KEY_BITS == 32
        add_wide(t + 1, d);
        add_wide(t + 3, (ulong)d * d);
#else
        add_wide(t + 1, d >> 32);
        add_wide(t + 3, d & 0xffffffff);
        add_wide(t + 5, PART0(d));
        add_wide(t + 7, PART1(d));
        add_wide(t + 9, PART2(d));
#endif
    }
    low[l] = least;
    high[l] = past;
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step) {
            low[l] = min(low[l], low[l + step]);
            high[l] = max(high[l], high[l + step]);
        }
    }
    if (l == 0) {
        range[2 * c] = low[0];
        range[2 * c + 1] = high[0];
    }
}

/* Launch: one work-item a bin. `workers` is the number of tables. */
kernel GROUPED void histogram_merge(global const uint *table, uint workers, global ulong *total)
{
    size_t b = get_global_id(0);
    for (uint j = 0; j < WORDS; j++) {
        ulong sum = 0;
        for (uint w = 0; w < workers; w++) {
            global const uint *t = table + (w * (size_t)BINS + b) * CELL_WORDS;
            sum += j == 0 ? t[0] : t[2 * j - 1] | (ulong)t[2 * j] << 32;
        }
        total[j * BINS + b] = sum;
    }
}
#endif

/* Every so many pixels the key of one. Launch: one work-item a sample. */
kernel GROUPED void histogram_sample(global const word *image, ulong n, global key *sample)
{
    size_t i = get_global_id(0), samples = get_global_size(0);
    ulong stride = n / samples;
    sample[i] = key_of(image[i * stride + (uint)(i * 2654435761u >> 7) % stride]);
}

/*
 * Finds the first pixel of key `least` in chunk start_least + c and that of key `most` in chunk
 * start_most + c, as offsets in place[2 * c] and place[2 * c + 1], ~0 where there is none. Launch:
 * coarse as histogram_fill, fine one group a chunk.
 */
#if COARSE
/* The first pixel of this key from number i on, or `end`. */
static inline ulong first_of(global const word *image, ulong i, ulong end, key sought)
{
    for (; i + 2 * LANES <= end; i += 2 * LANES)
        if (is_any((keys_load(i, image) == (keyv)sought) |
                   (keys_load(i + LANES, image) == (keyv)sought)))
            break;
    while (i < end && key_of(image[i]) != sought)
        i++;
    return i;
}

/* Looks through a worker's chunks, and no further than the first pixel. */
static inline void seek(global const word *image, ulong n, ulong start, key sought, ulong chunks,
                        global uint *place)
{
    size_t w = get_group_id(0), workers = get_num_groups(0);
    ulong first = chunks * w / workers, past = chunks * (w + 1) / workers;
    ulong end = min((start + past) * CHUNK, n), at = end;
    if (first < past)
        at = first_of(image, (start + first) * CHUNK, end, sought);
    for (ulong c = first; c < past; c++)
        place[2 * c] = ~0u;
    if (at < end)
        place[2 * (at / CHUNK - start)] = at % CHUNK;
}

kernel ALONE void histogram_seek(global const word *image, ulong n, ulong start_least, ulong start_most, key least,
           key most, ulong chunks, global uint *place)
{
    seek(image, n, start_least, least, chunks, place);
    seek(image, n, start_most, most, chunks, place + 1);
}
#else
kernel GROUPED void histogram_seek(global const word *image, ulong n, ulong start_least, ulong start_most, key least,
           key most, ulong chunks, global uint *place)
{
    local uint first[2];
    ulong c = get_group_id(0);
    for (uint j = get_local_id(0); j < 2; j += GROUP)
        first[j] = ~0u;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint i = get_local_id(0); c < chunks && i < CHUNK; i += GROUP) {
        ulong a = (start_least + c) * CHUNK + i, b = (start_most + c) * CHUNK + i;
        if (a < n && key_of(image[a]) == least)
            atomic_min(first, i);
        if (b < n && key_of(image[b]) == most)
            atomic_min(first + 1, i);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = get_local_id(0); c < chunks && j < 2; j += GROUP)
        place[2 * c + j] = first[j];
}
#endif

/* Whether k lies in one of the intervals [chosen[2 * i], chosen[2 * i + 1]], which ascend. */
static inline int is_chosen(key k, global const key *chosen, uint intervals)
{
    uint low = 0, high = intervals;
    while (low < high) {
        uint middle = (low + high) / 2;
        if (k > chosen[2 * middle + 1])
            low = middle + 1;
        else
            high = middle;
    }
    return low < intervals && k >= chosen[2 * low];
}

/*
 * Appends the keys in the chosen intervals to `out`, `limit` at most, in no order, after a head of
 * 16 bytes, the first word of which counts them all and begins as 0. All intervals lie in three
 * zones, `span` keys from `from`. Launch: coarse as histogram_fill, fine any number of groups.
 */
#define HEAD (16 / sizeof(key))
#define ROOM(out) ((volatile global uint *)(out))
#if COARSE
#define HELD 256 /* keys that a worker keeps before it asks for room */
/* Signed comparisons are cheap where unsigned ones are not: all sides are less by KEY_SIGN. */
#define BEFORE(a, b) (AS_ORDER(a) < AS_ORDER(b))
#define IN_ZONES(k) (BEFORE(k - f0, s0) | BEFORE(k - f1, s1) | BEFORE(k - f2, s2))

static inline uint flush(const key *held, uint count, uint limit, global key *out)
{
    uint at = atomic_add(ROOM(out), count);
    for (uint j = 0; j < count && at + j < limit; j++)
        out[HEAD + at + j] = held[j];
    return 0;
}

#define HOLD(s)                                                                                    \
    if (hit.s && is_chosen(k.s, chosen, intervals))                                                \
        held[count++] = k.s;

kernel ALONE void histogram_gather(global const word *image, ulong n, key from0, key span0, key from1, key span1,
             key from2, key span2, global const key *chosen, uint intervals,
             uint limit, global key *out)
{
    size_t w = get_group_id(0), workers = get_num_groups(0);
    ulong chunks = (n + CHUNK - 1) / CHUNK, end = min(chunks * (w + 1) / workers * CHUNK, n);
    ulong i = chunks * w / workers * CHUNK;
    keyv f0 = from0 + KEY_SIGN, f1 = from1 + KEY_SIGN, f2 = from2 + KEY_SIGN;
    keyv s0 = span0 - KEY_SIGN, s1 = span1 - KEY_SIGN, s2 = span2 - KEY_SIGN;
    key held[HELD + LANES];
    uint count = 0;
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
    for (; i < end; i++) { /* fewer than 2 * LANES, at the image's end */
        key k = key_of(image[i]);
        if (is_chosen(k, chosen, intervals))
            held[count++] = k;
        if (count >= HELD)
            count = flush(held, count, limit, out);
    }
    flush(held, count, limit, out);
}
#else
kernel GROUPED void histogram_gather(global const word *image, ulong n, key from0, key span0, key from1, key span1,
             key from2, key span2, global const key *chosen, uint intervals,
             uint limit, global key *out)
{
    for (ulong i = get_global_id(0); i < n; i += get_global_size(0)) {
        key k = key_of(image[i]);
        if (k - from0 < span0 || k - from1 < span1 || k - from2 < span2)
            if (is_chosen(k, chosen, intervals)) {
                uint at = atomic_inc(ROOM(out));
                if (at < limit)
                    out[HEAD + at] = k;
            }
    }
}
#endif
