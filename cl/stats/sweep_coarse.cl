/* SPDX-License-Identifier: MIT */
/*
 * The coarse half of sweep.cl.
 *
 * Method:    VECTOR floats at a time. Numbers of units are added as pairs of 32-bit lanes in one
 *            64-bit word (docs/statistics.md, "Pair-lane sums"). Which pixels of a BLOCK are odd or
 *            lie between low and high is kept in bits, one per vector, and these few pixels are
 *            looked at again afterwards, one by one.
 * Launch:    one work-item per worker, in groups of one.
 * Exactness: integers. DEPTH squares of numbers below 2^31 fit 64 bits.
 * Limits:    SWEEP_CHUNK is a multiple of BLOCK, so that only the image's end is taken one by one.
 * Others:    as in sweep.cl.
 */
#define DEPTH 4             /* squares whose sum stays below 2^64 */
#define BLOCK (32 * VECTOR) /* pixels whose bits make one vector */
#define HELD  256           /* keys that a worker holds back before it asks for room */
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

/* What struct sweep_part has of a chunk, per lane. */
struct sums {
    ulongv sum, sum_odd; /* of pairs of lanes as 64-bit numbers; of the second lane of each pair */
    ulongv even, odd;    /* up to DEPTH squares of the first and of the second lane of each pair */
    ulongv square_low, square_high;
    intv to_low; /* counts, which go down from 0: a true comparison is -1 */
#if TIES
    intv below_low, to_high;
#endif
    floatv least, most;
    intv listed, usual; /* a bit per vector of the block, the first vector in the highest bit */
};

/* Adds a vector of pixels to the lanes. */
static inline void add_vector(floatv x, struct aim aim, struct sums *s)
{
    intv k = JOIN(convert_int, VECTOR)(x * aim.scale), to_low = x <= aim.low;
    intv same = AS_INTS(JOIN(convert_float, VECTOR)(k) * aim.unit) == AS_INTS(x);
    k = AS_INTS(AS_UINTS(k) + BIAS); /* negative where |k| is too large to be usual */
    s->usual = s->usual + s->usual + AS_INTS(AS_UINTS(same & ~k) >> 31);
    s->listed = s->listed + s->listed - ((x < aim.high) & ~to_low);
    ulongv pairs = AS_PAIRS(max(k & same, (intv)0)), odds = pairs >> 32, evens = pairs & LOW32;
    s->sum += pairs;
    s->sum_odd += odds;
    s->even += evens * evens;
    s->odd += odds * odds;
    s->to_low += to_low;
#if TIES
    s->below_low += x < aim.low;
    s->to_high += x <= aim.high;
#endif
    s->least = x < s->least ? x : s->least;
    s->most = x > s->most ? x : s->most;
}

/* Cuts the squares into halves of 32 bits, before another one could overflow their sums. */
static inline void add_squares(struct sums *s)
{
    s->square_low += (s->even & LOW32) + (s->odd & LOW32);
    s->square_high += (s->even >> 32) + (s->odd >> 32);
    s->even = s->odd = 0;
}

/* The sum of all lanes. */
static inline ulong total(ulongv v)
{
#if HALF == 8
    v.lo += v.hi;
#endif
    return v.s0 + v.s1 + v.s2 + v.s3;
}

/* The sum of all lanes, which are counts that have gone down from 0. */
static inline uint count(intv v)
{
    ulongv pairs = AS_PAIRS(-v);
    return (uint)(total(pairs & LOW32) + total(pairs >> 32));
}

/* Adds up the lanes. */
static inline struct sweep_part part_of(const struct sums *s)
{
    struct sweep_part part = {.sum = total(s->sum - (s->sum_odd << 32)) + total(s->sum_odd),
                              .square_low = total(s->square_low),
                              .square_high = total(s->square_high),
                              .to_low = count(s->to_low),
                              .least = INFINITY,
                              .most = -INFINITY};
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
    uint blank, zeros; /* blank pixels of the chunk; negative zeros of all chunks */
    global key *list;
    key held[HELD + BLOCK + 1];
};

/* Appends the held keys to the list, as far as there is room. */
static inline void flush(struct worker *w)
{
    uint at = atomic_add(w->room, w->count);
    for (uint j = 0; j < w->count && at + j < w->limit; j++)
        w->list[at + j] = w->held[j];
    w->count = 0;
}

/* Lists a pixel if `between` is 1, and adds it to its group if `odd` is 1. Both are 0 or 1; there
 * is no branch on them. */
static inline void note(struct worker *w, float pixel, uint between, ulong odd)
{
    key k = key_of(as_uint(pixel));
    ulong d = k & FRACTION_MASK, square = d * d;
    w->held[w->count] = k;
    w->count += between;
    w->groups[k >> SWEEP_FRACTION] += (ulong4)(1, d, square & LOW32, square >> 32) & -odd;
}

/* Counts the blank pixels and the negative zeros of a block, and clears their bits in `odd`: there
 * may be many of them, and one by one they would take long. */
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

/* Goes through the pixels of a block that are odd or between low and high. */
static inline void look(struct worker *w, global const float *block, intv listed, intv usual)
{
    ulong between[HALF], odd[HALF]; /* 32 bits of each lane of a pair */
    JOIN(vstore, HALF)(AS_PAIRS(listed), 0, between);
    JOIN(vstore, HALF)(AS_PAIRS(~usual), 0, odd);
    uint odds = 0;
    for (uint j = 0; j < HALF; j++)
        odds += (uint)popcount(odd[j]);
    if (odds > BLOCK / 8)
        sift(w, block, odd);
    for (uint j = 0; j < HALF; j++)
        for (ulong rest = between[j] | odd[j]; rest != 0; rest &= rest - 1) {
            uint bit = (uint)popcount(~rest & (rest - 1)); /* the number of the lowest bit set */
            note(w, block[(31 - bit % 32) * VECTOR + 2 * j + bit / 32], between[j] >> bit & 1,
                 odd[j] >> bit & 1);
        }
    if (w->count >= HELD)
        flush(w);
}

#define ADD(k) add_vector(JOIN(vload, VECTOR)(k, image + i + j), aim, &s)

static inline struct sweep_part add_chunk(struct worker *w, global const float *image, ulong i,
                                          ulong end, struct aim aim)
{
    struct sums s = {.least = INFINITY, .most = -INFINITY};
    for (; i + BLOCK <= end; i += BLOCK) {
        s.listed = s.usual = 0;
        for (uint j = 0; j < BLOCK; j += DEPTH * VECTOR) {
            ADD(0); /* DEPTH of them */
            ADD(1);
            ADD(2);
            ADD(3);
            add_squares(&s);
        }
        look(w, image + i, s.listed, s.usual);
    }
    struct sweep_part part = part_of(&s);
    part.blank = w->blank;
    w->blank = 0;
    for (; i < end; i++) { /* fewer than BLOCK pixels, at the image's end */
        uint what = add_pixel(image[i], aim, &part);
        note(w, image[i], what & BETWEEN, (what & ODD) / ODD);
    }
    return part;
}

/* Leaves a part per chunk, the groups of every worker, and the keys between low and high. */
kernel ALONE void sweep_parts(global const float *image, struct sweep_parts_args args,
                              global ulong *memory)
{
    size_t id = get_group_id(0), workers = get_num_groups(0);
    ulong n = args.n, chunks = (n + SWEEP_CHUNK - 1) / SWEEP_CHUNK;
    struct aim aim = {args.scale, args.unit, args.low, args.high};
    global struct sweep_part *parts = (global struct sweep_part *)(memory + args.parts_at);
    struct worker w;
    w.groups = (global ulong4 *)(memory + SWEEP_HEAD) + id * SWEEP_GROUPS;
    w.room = (volatile global uint *)(memory + SWEEP_LISTED);
    w.limit = args.limit;
    w.count = w.blank = w.zeros = 0;
    w.list = (global key *)(parts + chunks);
    for (uint g = 0; g < SWEEP_GROUPS; g++)
        w.groups[g] = 0;
    for (ulong c = chunks * id / workers; c < chunks * (id + 1) / workers; c++)
        parts[c] = add_chunk(&w, image, c * SWEEP_CHUNK, min((c + 1) * SWEEP_CHUNK, n), aim);
    w.groups[SWEEP_GROUPS / 2] += (ulong4)(w.zeros, 0, 0, 0);
    flush(&w);
}
