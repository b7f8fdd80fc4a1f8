/* SPDX-License-Identifier: MIT */
/*
 * Statistics of an image of floats by one sweep over it.
 *
 * Method. A sample tells the host what is usual: multiples of `unit`, a power of two, of at most
 * 2^SPAN units; and that the median lies between `low` and `high`, most likely. The sweep adds up
 * the usual pixels, as whole numbers of units, and their squares, counts the pixels up to `low` and
 * `high`, and lists the keys (prelude.cl) of those between. The others, odd ones, are added up by
 * sign and exponent: GROUPS groups of a count, the sum of d and the sum of d^2, d being the
 * fraction's bits. Infinities are in the first and the last group; blank pixels are counted apart,
 * or they are in the last group too, with a d of ones only.
 * With TIES 0 nothing is counted that only equals of low and high need: the host leaves it out
 * where the sample has either once.
 * Memory. One piece, for the host to wait and to map once: HEAD words, the first being the number
 * of listed keys, the next two the places of the least and of the greatest pixel; the groups of
 * each worker; from `parts_at` on the parts, one a chunk; then the list, or the sample before it.
 * Launch. sweep_sample flat. sweep_parts coarse: one work-item a worker; fine: one group a chunk, all
 * of them one worker. sweep_place two groups, for the least and for the greatest pixel.
 * Exactness. Integers. A pixel is usual if it survives the way to units and back, bit by bit: tiny
 * ones, which a device may flush to zero, never do. Where there are any, low, high and the extremes
 * are to be relied on only if they are not tiny.
 * Limits. 2^31 pixels; `unit` is from 2^-126 to 2^126; the list takes `limit` keys, more are lost.
 * Host src/opencl/stats/sweep.c, definition src/reference/stats.c.
 */
#ifndef CHUNK
#define CHUNK 16384 /* pixels of a part; a multiple of BLOCK */
#endif
#ifndef VECTOR
#define VECTOR 8 /* floats that a coarse work-item takes at once: 8 or 16 */
#endif
#ifndef TIES
#define TIES 1
#endif
#define SPAN     30
#define BIAS     (1u << SPAN) /* makes numbers of units positive */
#define GROUPS   512
#define FRACTION 23
#define HEAD     8
#define LOW32    0xffffffff

struct part {
    ulong sum, square_low, square_high; /* of units + BIAS; squares cut into 32 bits and 32 */
    uint below_low, to_low, to_high;    /* pixels < low, <= low, <= high; see TIES */
    float least, most;
    uint blank;
};

/* What the host chose by the sample. */
#define AIM float scale, float unit, float low, float high

enum { BETWEEN = 1, ODD = 2 };

/* Adds a pixel to a part; tells whether it is between low and high and whether it is odd. */
static inline uint add_pixel(float x, AIM, struct part *part)
{
    int k = convert_int(x * scale);
    uint biased = as_uint(k) + BIAS, bits = as_uint(x) == KEY_SIGN ? 0 : as_uint(x);
    bool odd = as_uint(convert_float(k) * unit) != bits || biased >= 2 * BIAS;
    ulong square = (ulong)biased * biased;
    part->sum += odd ? 0 : biased;
    part->square_low += odd ? 0 : square & LOW32;
    part->square_high += odd ? 0 : square >> 32;
    part->below_low += x < low;
    part->to_low += x <= low;
    part->to_high += x <= high;
    part->least = x < part->least ? x : part->least;
    part->most = x > part->most ? x : part->most;
    part->blank += isnan(x);
    return (x > low && x < high ? BETWEEN : 0) | (odd && !isnan(x) ? ODD : 0);
}

/* Takes the keys of pixels from all over the image, and clears `zeros` words. */
kernel GROUPED void sweep_sample(global const word *image, ulong n, uint samples, uint zeros,
                         ulong sample_at, global ulong *memory)
{
    size_t i = get_global_id(0);
    global key *sample = (global key *)(memory + sample_at);
    ulong stride = n / samples; /* below 2^32 */
    if (i < zeros)
        memory[i] = 0;
    if (i < samples)
        sample[i] = key_of(image[i * stride + ((uint)i * 2654435761u * stride >> 32)]);
}

#if COARSE
#define DEPTH 4             /* squares whose sum is below 2^64 */
#define BLOCK (32 * VECTOR) /* pixels that are looked at again together */
#define HELD  256           /* keys that a worker keeps before it asks for room */
#if VECTOR == 16
#define HALF 8
#else
#define HALF 4
#endif
typedef JOIN(float, VECTOR) floatv;
typedef JOIN(int, VECTOR) intv;
typedef JOIN(ulong, HALF) ulongv;
#define AS_INTS  JOIN(as_int, VECTOR)
#define AS_UINTS JOIN(as_uint, VECTOR)
#define AS_PAIRS JOIN(as_ulong, HALF)

/* Of the pixels in each lane what struct part has of a chunk's. */
struct sums {
    ulongv sum, sum_odd; /* of lanes in pairs, as they lie; of each pair's second */
    ulongv even, odd;    /* squares of each pair's first and second, DEPTH of them */
    ulongv square_low, square_high;
    intv to_low; /* counted downwards */
#if TIES
    intv below_low, to_high;
#endif
    floatv least, most;
    intv listed, usual; /* a bit a vector of the block, the first the highest */
};

static inline void add_vector(floatv x, AIM, struct sums *s)
{
    intv k = JOIN(convert_int, VECTOR)(x * scale), to_low = x <= low;
    intv same = AS_INTS(JOIN(convert_float, VECTOR)(k) * unit) == AS_INTS(x);
    k = AS_INTS(AS_UINTS(k) + BIAS); /* negative where there are too many units */
    s->usual = s->usual + s->usual + AS_INTS(AS_UINTS(same & ~k) >> 31);
    s->listed = s->listed + s->listed - ((x < high) & ~to_low);
    ulongv pairs = AS_PAIRS(max(k & same, (intv)0)), odds = pairs >> 32, evens = pairs & LOW32;
    s->sum += pairs;
    s->sum_odd += odds;
    s->even += evens * evens;
    s->odd += odds * odds;
    s->to_low += to_low;
#if TIES
    s->below_low += x < low;
    s->to_high += x <= high;
#endif
    s->least = x < s->least ? x : s->least;
    s->most = x > s->most ? x : s->most;
}

static inline void add_squares(struct sums *s)
{
    s->square_low += (s->even & LOW32) + (s->odd & LOW32);
    s->square_high += (s->even >> 32) + (s->odd >> 32);
    s->even = s->odd = 0;
}

static inline ulong total(ulongv v)
{
#if HALF == 8
    v.lo += v.hi;
#endif
    return v.s0 + v.s1 + v.s2 + v.s3;
}

static inline uint count(intv v)
{
    ulongv pairs = AS_PAIRS(-v);
    return (uint)(total(pairs & LOW32) + total(pairs >> 32));
}

static inline struct part part_of(const struct sums *s)
{
    struct part part = {total(s->sum - (s->sum_odd << 32)) + total(s->sum_odd),
                        total(s->square_low), total(s->square_high),
                        0, count(s->to_low), 0, INFINITY, -INFINITY, 0};
#if TIES
    part.below_low = count(s->below_low);
    part.to_high = count(s->to_high);
#endif
    float least[VECTOR], most[VECTOR];
    JOIN(vstore, VECTOR)(s->least, 0, least);
    JOIN(vstore, VECTOR)(s->most, 0, most);
    for (uint j = 0; j < VECTOR; j++) {
        part.least = least[j] < part.least ? least[j] : part.least;
        part.most = most[j] > part.most ? most[j] : part.most;
    }
    return part;
}

struct worker {
    global ulong4 *groups;
    volatile global uint *room;
    uint limit, count;
    uint blank, zeros; /* negative zeros */
    global key *list;
    key held[HELD + BLOCK + 1];
};

static inline void flush(struct worker *w)
{
    uint at = atomic_add(w->room, w->count);
    for (uint j = 0; j < w->count && at + j < w->limit; j++)
        w->list[at + j] = w->held[j];
    w->count = 0;
}

/* Lists a pixel if it is between and adds it to its group if it is odd, each 0 or 1. */
static inline void note(struct worker *w, float pixel, uint between, ulong odd)
{
    key k = key_of(as_uint(pixel));
    ulong d = k & ((1u << FRACTION) - 1), square = d * d;
    w->held[w->count] = k;
    w->count += between;
    w->groups[k >> FRACTION] += (ulong4)(1, d, square & LOW32, square >> 32) & -odd;
}

/* Counts the blank pixels and the negative zeros of a block; they are odd no longer. */
static inline void sift(struct worker *w, global const float *block, ulong *odd)
{
    ulong blanks[HALF], zeros[HALF];
    intv blank = 0, zero = 0;
    for (uint j = 0; j < 32; j++) {
        floatv x = JOIN(vload, VECTOR)(j, block);
        blank = blank + blank - (x != x);
        zero = zero + zero - (AS_UINTS(x) == KEY_SIGN);
    }
    JOIN(vstore, HALF)(AS_PAIRS(blank), 0, blanks);
    JOIN(vstore, HALF)(AS_PAIRS(zero), 0, zeros);
    for (uint j = 0; j < HALF; j++) {
        w->blank += (uint)popcount(blanks[j]);
        w->zeros += (uint)popcount(zeros[j]);
        odd[j] &= ~(blanks[j] | zeros[j]);
    }
}

/* Notes the pixels of a block that are listed or odd. */
static inline void look(struct worker *w, global const float *block, intv listed, intv usual)
{
    ulong between[HALF], odd[HALF]; /* of a pair of lanes each */
    JOIN(vstore, HALF)(AS_PAIRS(listed), 0, between);
    JOIN(vstore, HALF)(AS_PAIRS(~usual), 0, odd);
    uint odds = 0;
    for (uint j = 0; j < HALF; j++)
        odds += (uint)popcount(odd[j]);
    if (odds > BLOCK / 8)
        sift(w, block, odd);
    for (uint j = 0; j < HALF; j++)
        for (ulong rest = between[j] | odd[j]; rest != 0; rest &= rest - 1) {
            uint bit = (uint)popcount(~rest & (rest - 1)); /* zeros below the lowest one */
            note(w, block[(31 - bit % 32) * VECTOR + 2 * j + bit / 32], between[j] >> bit & 1,
                 odd[j] >> bit & 1);
        }
    if (w->count >= HELD)
        flush(w);
}

#define ADD(k)                                                                                     \
    add_vector(JOIN(vload, VECTOR)(k, image + i + j), scale, unit, low, high, &s);

static inline struct part add_chunk(struct worker *w, global const float *image, ulong i, ulong end,
                                    AIM)
{
    struct sums s = {.least = INFINITY, .most = -INFINITY};
    for (; i + BLOCK <= end; i += BLOCK) {
        s.listed = s.usual = 0;
        for (uint j = 0; j < BLOCK; j += DEPTH * VECTOR) {
            ADD(0) ADD(1) ADD(2) ADD(3)
            add_squares(&s);
        }
        look(w, image + i, s.listed, s.usual);
    }
    struct part part = part_of(&s);
    part.blank = w->blank;
    w->blank = 0;
    for (; i < end; i++) { /* less than BLOCK, at the image's end */
        uint what = add_pixel(image[i], scale, unit, low, high, &part);
        note(w, image[i], what & BETWEEN, (what & ODD) / ODD);
    }
    return part;
}

kernel ALONE void sweep_parts(global const float *image, ulong n, AIM, uint limit, ulong parts_at,
            global ulong *memory)
{
    size_t id = get_group_id(0), workers = get_num_groups(0);
    ulong chunks = (n + CHUNK - 1) / CHUNK;
    global struct part *parts = (global struct part *)(memory + parts_at);
    struct worker w;
    w.groups = (global ulong4 *)(memory + HEAD) + id * GROUPS;
    w.room = (volatile global uint *)memory;
    w.limit = limit;
    w.count = w.blank = w.zeros = 0;
    w.list = (global key *)(parts + chunks);
    for (uint g = 0; g < GROUPS; g++)
        w.groups[g] = 0;
    for (ulong c = chunks * id / workers; c < chunks * (id + 1) / workers; c++)
        parts[c] = add_chunk(&w, image, c * CHUNK, min((c + 1) * CHUNK, n), scale, unit, low, high);
    w.groups[GROUPS / 2] += (ulong4)(w.zeros, 0, 0, 0);
    flush(&w);
}
#else
#define HELD 1024 /* keys that a group keeps before it asks for room */

/* Adds v to the 64-bit sum at p. */
static inline void add_wide(volatile global uint *p, ulong v)
{
    uint low = (uint)v, old = atomic_add(p, low);
    uint high = (uint)(v >> 32) + (old + low < old);
    if (high != 0)
        atomic_add(p + 1, high);
}

static inline void add_odd(volatile global uint *groups, key k)
{
    volatile global uint *g = groups + 8 * (k >> FRACTION);
    ulong d = k & ((1u << FRACTION) - 1), square = d * d;
    atomic_inc(g);
    add_wide(g + 2, d);
    add_wide(g + 4, square & LOW32);
    add_wide(g + 6, square >> 32);
}

static inline struct part merge(struct part a, struct part b)
{
    struct part part = {a.sum + b.sum, a.square_low + b.square_low, a.square_high + b.square_high,
                        a.below_low + b.below_low, a.to_low + b.to_low, a.to_high + b.to_high,
                        a.least < b.least ? a.least : b.least, a.most > b.most ? a.most : b.most,
                        a.blank + b.blank};
    return part;
}

kernel GROUPED void sweep_parts(global const float *image, ulong n, AIM, uint limit, ulong parts_at,
            global ulong *memory)
{
    local struct part own[GROUP];
    local key held[HELD];
    local uint count, start;
    uint l = get_local_id(0);
    ulong c = get_group_id(0), end = min((c + 1) * CHUNK, n);
    global struct part *parts = (global struct part *)(memory + parts_at);
    volatile global uint *room = (volatile global uint *)memory;
    global key *list = (global key *)(parts + get_num_groups(0));
    struct part part = {0, 0, 0, 0, 0, 0, INFINITY, -INFINITY, 0};
    if (l == 0)
        count = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (ulong i = c * CHUNK + l; i < end; i += GROUP) {
        uint what = add_pixel(image[i], scale, unit, low, high, &part), at = HELD;
        key k = key_of(as_uint(image[i]));
        if (what & ODD)
            add_odd((volatile global uint *)(memory + HEAD), k);
        if (what & BETWEEN)
            at = atomic_inc(&count);
        if (what & BETWEEN && at < HELD)
            held[at] = k;
        else if (what & BETWEEN && (at = atomic_inc(room)) < limit)
            list[at] = k;
    }
    own[l] = part;
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step)
            own[l] = merge(own[l], own[l + step]);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0) {
        parts[c] = own[0];
        count = min(count, (uint)HELD);
        start = atomic_add(room, count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (uint j = l; j < count && start + j < limit; j += GROUP)
        list[start + j] = held[j];
}
#endif

/*
 * Finds the first pixel that has the extreme value of all parts, in the first chunk that has it.
 * Group 0 for the least value, group 1 for the greatest.
 */
kernel GROUPED void sweep_place(global const float *image, ulong n, ulong parts_at, global ulong *memory)
{
    local float values[GROUP];
    local uint places[GROUP], first;
    uint l = get_local_id(0), most = get_group_id(0), at = 0;
    uint chunks = (uint)((n + CHUNK - 1) / CHUNK);
    global const struct part *parts = (global const struct part *)(memory + parts_at);
    float sign = most ? -1 : 1, best = INFINITY;
    for (uint c = l; c < chunks; c += GROUP) {
        float value = sign * (most ? parts[c].most : parts[c].least);
        at = value < best ? c : at;
        best = value < best ? value : best;
    }
    values[l] = best;
    places[l] = at;
    if (l == 0)
        first = CHUNK;
    for (uint step = GROUP / 2; step > 0; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < step && (values[l + step] < values[l] ||
                         (values[l + step] == values[l] && places[l + step] < places[l]))) {
            values[l] = values[l + step];
            places[l] = places[l + step];
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    ulong start = (ulong)places[0] * CHUNK;
    for (uint i = l; i < CHUNK && start + i < n; i += GROUP)
        if (image[start + i] == sign * values[0]) {
            atomic_min(&first, i);
            break;
        }
    barrier(CLK_LOCAL_MEM_FENCE);
    if (l == 0)
        memory[1 + most] = start + first;
}
