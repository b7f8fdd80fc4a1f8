/* SPDX-License-Identifier: MIT */
/*
 * The coarse half of sweep.cl.
 *
 * Method:    WIDTH pixels at a time. Which pixels of a BLOCK are usual with the first unit and
 *            belong to no list is kept in bits, one per vector; the other, few pixels are looked
 *            at again afterwards, one by one: each is held for the lists that it belongs to.
 *            Pixels that are not usual with the first unit are held too, and tried with the
 *            second one, again as vectors, when there are HELD of them.
 * Launch:    one work-item per worker, in groups of one.
 * Exactness: integers.
 * Limits:    SWEEP_CHUNK is a multiple of BLOCK, so that only the image's end is taken one by one.
 * Others:    as in sweep.cl.
 */
#define BLOCK (LANE_BITS * WIDTH) /* pixels whose bits make one vector */
#define HELD  256                 /* entries that a worker holds before it asks for room */

/* What a worker has of a chunk, per lane. */
struct lanes {
    struct sumsv sums;
    intv to_low; /* counts, which go down from 0: a true comparison is -1 */
#if TIES
    intv below_low, to_high;
#endif
    realv least, most;
    intv quiet; /* a bit per vector of the block, the first vector in the highest bit */
};

/* Adds a vector of pixels to the lanes. */
static inline void add_vector(realv x, struct aim aim, struct lanes *s)
{
    intv to_low = x <= aim.low, listed = (x < aim.high) & ~to_low;
#if CLIP
    listed |= (x <= aim.core_low) | (x >= aim.core_high);
#endif
    intv usual = add_usuals(x, aim.first, &s->sums);
    s->quiet = s->quiet + s->quiet - (usual & ~listed);
    s->to_low += to_low;
#if TIES
    s->below_low += x < aim.low;
    s->to_high += x <= aim.high;
#endif
    s->least = x < s->least ? x : s->least;
    s->most = x > s->most ? x : s->most;
}

/* The sum of all lanes, which are counts that have gone down from 0. */
static inline uint count(intv v)
{
#if LANE_BITS == 64
    return (uint)total(AS_ULONGS(-v));
#else
    ulongv pairs = AS_ULONGS(-v);
    return (uint)(total(pairs & LOW32) + total(pairs >> 32));
#endif
}

struct worker {
    volatile global uint *room;
    global key *bracket, *odd;
    global entry *tails;
    uint bracket_limit, tails_limit, odd_limit; /* entries that the lists have room for */
    uint bracket_held, tails_held, odd_held, rest_held;
    uint blank;        /* blank pixels of the chunk */
    uint zeros;        /* negative zeros that nothing else has counted, of all chunks */
    uint second;       /* usual pixels of the second unit, of all chunks */
    struct sumsv rest; /* their sums */
    key held_bracket[HELD + BLOCK + 1], held_odd[HELD + BLOCK + 2 * WIDTH];
    entry held_tails[HELD + BLOCK + 1];
    REAL held_rest[HELD + BLOCK + WIDTH];
};

/* Appends held entries to a list, as far as there is room. */
#define FLUSH(w, name, word)                                                                       \
    do {                                                                                           \
        uint at = atomic_add((w)->room + word, (w)->name##_held);                                  \
        for (uint j = 0; j < (w)->name##_held && at + j < (w)->name##_limit; j++)                  \
            (w)->name[at + j] = (w)->held_##name[j];                                               \
        (w)->name##_held = 0;                                                                      \
    } while (0)

#if FLOATING
/* Adds the held pixels that are usual with the second unit, and lists the others as odd. */
static inline void flush_rest(struct worker *w, struct unit unit)
{
    uint held = w->rest_held;
    for (uint j = 0; j < WIDTH; j++)
        w->held_rest[held + j] = NAN; /* fills the last vector and is not usual */
    for (uint j = 0; j < held; j += WIDTH) {
        intv usual = add_usuals(JOIN(vload, WIDTH)(0, w->held_rest + j), unit, &w->rest);
        LANE lanes[WIDTH];
        fold(&w->rest);
        JOIN(vstore, WIDTH)(usual, 0, lanes);
        for (uint l = 0; l < WIDTH; l++) {
            w->held_odd[w->odd_held] = KEY_OF(w->held_rest[j + l]);
            w->odd_held += lanes[l] == 0 && j + l < held;
            w->second += lanes[l] != 0;
        }
        if (w->odd_held >= HELD)
            FLUSH(w, odd, SWEEP_ODD);
    }
    w->rest_held = 0;
}

/* Counts the blank pixels of a block and, unless zeros are listed, the negative zeros, and sets
 * their bits in `quiet`: there may be many of them, and one by one they would take long. */
static inline intv sift(struct worker *w, global const T *block, intv quiet, struct aim aim)
{
    intv blank = 0, zero = 0;
    for (uint j = 0; j < LANE_BITS; j++) {
        realv x = JOIN(vload, WIDTH)(j, block);
        blank = blank + blank - (x != x);
        zero = zero + zero - (AS_INTS(x) == (intv)(LANE)KEY_SIGN);
    }
    if (is_between(0, aim) || is_tail(0, aim))
        zero = 0;
    ulong blanks[HALF], zeros[HALF];
    JOIN(vstore, HALF)(AS_ULONGS(blank), 0, blanks);
    JOIN(vstore, HALF)(AS_ULONGS(zero), 0, zeros);
    for (uint j = 0; j < HALF; j++) {
        w->blank += (uint)popcount(blanks[j]);
        w->zeros += (uint)popcount(zeros[j]);
    }
    return quiet | blank | zero;
}
#endif

/* The place in its block of the pixel of a bit of word j. */
static inline uint place_of(uint bit, uint j)
{
#if LANE_BITS == 64
    return (63 - bit) * WIDTH + j;
#else
    return (31 - bit % 32) * WIDTH + 2 * j + bit / 32;
#endif
}

/* How many entries are held, and blank pixels were seen. */
struct held {
    uint bracket, tails, rest, blank;
};

/* Holds a pixel for every list that it belongs to. There are no branches: an entry is written in
 * any case, and the next one takes its place if it did not belong there. */
static inline void hold(struct worker *w, T pixel, ulong number, struct aim aim, struct held *held)
{
    REAL x = pixel;
    key k = KEY_OF(pixel);
    w->held_bracket[held->bracket] = k;
    held->bracket += is_between(x, aim);
#if CLIP
    w->held_tails[held->tails] = ENTRY(k, number);
    held->tails += is_tail(x, aim);
#endif
#if FLOATING
    w->held_rest[held->rest] = WORD_OF(x) == KEY_SIGN ? 0 : x;
    held->rest += !number_of(x, aim.first).usual && x == x;
    held->blank += x != x;
#endif
}

static inline struct held take_held(const struct worker *w)
{
    struct held held = {w->bracket_held, w->tails_held, w->rest_held, w->blank};
    return held;
}

static inline void put_held(struct worker *w, struct held held)
{
    w->bracket_held = held.bracket;
    w->tails_held = held.tails;
    w->rest_held = held.rest;
    w->blank = held.blank;
}

/* Goes through the pixels of a block that are not quiet. `at` is the number of its first pixel. */
static inline void look(struct worker *w, global const T *image, ulong at, intv quiet,
                        struct aim aim)
{
    ulong noted[HALF];
    JOIN(vstore, HALF)(AS_ULONGS(~quiet), 0, noted);
#if FLOATING
    uint many = 0;
    for (uint j = 0; j < HALF; j++)
        many += (uint)popcount(noted[j]);
    if (many > BLOCK / 8)
        JOIN(vstore, HALF)(AS_ULONGS(~sift(w, image + at, quiet, aim)), 0, noted);
#endif
    struct held held = take_held(w);
    for (uint j = 0; j < HALF; j++)
        for (ulong rest = noted[j]; rest != 0; rest &= rest - 1) {
            uint bit = (uint)popcount(~rest & (rest - 1)); /* the number of the lowest bit set */
            ulong i = at + place_of(bit, j);
            hold(w, image[i], i, aim, &held);
        }
    put_held(w, held);
    if (w->bracket_held >= HELD)
        FLUSH(w, bracket, SWEEP_LISTED);
#if CLIP
    if (w->tails_held >= HELD)
        FLUSH(w, tails, SWEEP_TAILS);
#endif
#if FLOATING
    if (w->rest_held >= HELD)
        flush_rest(w, aim.second);
#endif
}

/* Leaves the part of a chunk; the pixels from i to past - 1, fewer than BLOCK, are missing. */
static inline void store_part(struct worker *w, const struct lanes *s, global const T *image,
                              ulong i, ulong past, struct aim aim, global ulong *part)
{
    ulong sums[SUMS] = {0};
    uint to_low = count(s->to_low), below_low = to_low, to_high = 0;
    REAL least = INFINITY, most = -INFINITY, lows[WIDTH], highs[WIDTH];
#if TIES
    below_low = count(s->below_low);
    to_high = count(s->to_high);
#endif
    JOIN(vstore, WIDTH)(s->least, 0, lows);
    JOIN(vstore, WIDTH)(s->most, 0, highs);
    for (uint j = 0; j < WIDTH; j++) {
        least = lows[j] < least ? lows[j] : least;
        most = highs[j] > most ? highs[j] : most;
    }
    struct held held = take_held(w);
    for (; i < past; i++) {
        REAL x = image[i];
        struct number number = number_of(x, aim.first);
        if (number.usual)
            add_number(number, sums);
        hold(w, image[i], i, aim, &held);
        to_low += x <= aim.low;
        below_low += TIES ? x < aim.low : x <= aim.low;
        to_high += TIES && x <= aim.high;
        least = x < least ? x : least;
        most = x > most ? x : most;
    }
    put_held(w, held);
    store_sums(&s->sums, part);
    for (uint j = 0; j < SUMS; j++) {
        part[j] += sums[j];
        part[SUMS + j] = 0;
    }
    part += 2 * SUMS;
    part[SWEEP_SECOND] = (ulong)w->blank << 32;
    part[SWEEP_BELOW] = below_low | (ulong)to_low << 32;
    part[SWEEP_TO_HIGH] = to_high;
    part[SWEEP_LEAST] = KEY_OF((T)least);
    part[SWEEP_MOST] = KEY_OF((T)most);
    w->blank = 0;
}

#define LOAD(at) JOIN(convert_, JOIN(REAL, WIDTH))(JOIN(vload, WIDTH)(0, image + (at)))
#define ADD(k)   add_vector(LOAD(i + j + (k)*WIDTH), aim, &s)

static inline void add_chunk(struct worker *w, global const T *image, ulong i, ulong past,
                             struct aim aim, global ulong *part)
{
    struct lanes s = {.least = INFINITY, .most = -INFINITY};
    for (; i + BLOCK <= past; i += BLOCK) {
        s.quiet = 0;
        for (uint j = 0; j < BLOCK; j += DEPTH * WIDTH) {
            ADD(0); /* DEPTH of them */
            ADD(1);
            ADD(2);
            ADD(3);
            fold(&s.sums);
        }
        look(w, image, i, s.quiet, aim);
    }
    store_part(w, &s, image, i, past, aim, part);
}

/* Leaves a part per chunk and the lists. The sums of the second unit are in the first part of a
 * worker. */
kernel ALONE void sweep_parts(global const T *image, struct sweep_parts_args args,
                              global ulong *memory)
{
    size_t id = get_group_id(0), workers = get_num_groups(0);
    ulong n = args.n, chunks = (n + SWEEP_CHUNK - 1) / SWEEP_CHUNK;
    ulong first = chunks * id / workers, past = chunks * (id + 1) / workers;
    struct aim aim = aim_of(&args);
    global ulong *parts = memory + args.parts_at;
    struct worker w;
    struct sumsv none = {0};
    if (first == past)
        return;
    w.room = (volatile global uint *)memory;
    w.bracket = (global key *)(memory + args.bracket_at);
    w.tails = (global entry *)(memory + args.tails_at);
    w.odd = (global key *)(memory + args.odd_at);
    w.bracket_limit = args.bracket;
    w.tails_limit = args.tails;
    w.odd_limit = args.odd;
    w.bracket_held = w.tails_held = w.odd_held = w.rest_held = 0;
    w.blank = w.zeros = w.second = 0;
    w.rest = none;
    for (ulong c = first; c < past; c++)
        add_chunk(&w, image, c * SWEEP_CHUNK, min((c + 1) * SWEEP_CHUNK, n), aim,
                  parts + c * PART_WORDS);
    FLUSH(&w, bracket, SWEEP_LISTED);
#if CLIP
    FLUSH(&w, tails, SWEEP_TAILS);
#endif
#if FLOATING
    flush_rest(&w, aim.second);
    FLUSH(&w, odd, SWEEP_ODD);
    global ulong *part = parts + first * PART_WORDS;
    struct number zero = number_of(0, aim.second);
    ulong zeros[SUMS] = {0};
    store_sums(&w.rest, part + SUMS);
    for (uint z = 0; z < w.zeros; z++)
        add_number(zero, zeros);
    for (uint j = 0; j < SUMS; j++)
        part[SUMS + j] += zeros[j];
    part[2 * SUMS + SWEEP_SECOND] |= w.second + w.zeros;
#endif
}
