/* SPDX-License-Identifier: MIT */
/*
 * Pixels as whole numbers of a unit, and their sums.
 *
 * Method:    a pixel is divided by the unit, made a whole number and multiplied by the unit again;
 *            it is usual if its bits have survived. Numbers of units of a float have 31 bits.
 *            Those of a double have two parts of 31 bits (sweep.h). Integers of up to 16 bits are
 *            whole numbers of the unit 1 without a test.
 * Launch:    no kernels here.
 * Exactness: division by a power of two and products of whole numbers of 31 bits are exact, except
 *            that a device may flush subnormal numbers to zero: then the bits do not survive.
 * Limits:    sums of products: 2^31 pixels, since low and high 32 bits are added apart.
 * Others:    cl/stats/sweep.cl includes this file; docs/statistics.md, "Units".
 */
#define BIAS  (1u << SWEEP_SPAN) /* makes numbers of units positive */
#define LOW32 0xffffffff

#if defined(T_double)
#define REAL            double
#define SUMS            SWEEP_SUMS_64
#define REAL_OF_BITS(b) as_double(b)
#define WORD_OF(x)      as_ulong(x)
/* A double of this size has ones as its unit; adding it rounds to whole numbers, which then stand
 * in the low 32 bits with the bias. */
#define MAGIC (0x1.8p52 + 0x1p30)
#define PART  0x1p30 /* 2^SWEEP_SPAN */
#else
#define REAL            float
#define SUMS            SWEEP_SUMS_32
#define REAL_OF_BITS(b) as_float((uint)(b))
#if FLOATING
#define WORD_OF(x) as_uint(x)
#else
#define WORD_OF(x) ((word)(x))
#endif
#endif

struct unit {
    REAL scale, unit; /* 1 / unit, and the unit */
};

static inline void add_product(ulong a, ulong b, ulong *sums)
{
    sums[0] += a * b & LOW32;
    sums[1] += a * b >> 32;
}

/* A pixel as a number of units, biased; of a double as its two parts. */
struct number {
    ulong high, low; /* `high` only of doubles */
    bool usual;
};

static inline struct number number_of(REAL x, struct unit unit)
{
#if defined(T_double)
    double t = x * unit.scale, r = t + MAGIC, high = r - MAGIC;
    double rest = (t - high) * PART, s = rest + MAGIC, low = s - MAGIC;
    bool same = as_ulong((high * PART + low) * unit.unit) == as_ulong(x);
    struct number number = {as_ulong(r) & LOW32, as_ulong(s) & LOW32, same && fabs(high) < PART};
#elif FLOATING
    int k = convert_int(x * unit.scale);
    uint biased = as_uint(k) + BIAS;
    bool same = as_uint(convert_float(k) * unit.unit) == as_uint(x);
    struct number number = {0, biased, same && biased < 2 * BIAS};
#else
    struct number number = {0, (uint)(convert_int(x) + (int)BIAS), true};
#endif
    return number;
}

/* Adds a number of units to the sums. */
static inline void add_number(struct number number, ulong *sums)
{
#if defined(T_double)
    sums[0] += number.high;
    sums[1] += number.low;
    add_product(number.high, number.high, sums + 2);
    add_product(number.high, number.low, sums + 4);
    add_product(number.low, number.low, sums + 6);
#else
    sums[0] += number.low;
    add_product(number.low, number.low, sums + 1);
#endif
}

#if COARSE
#if VECTOR == 16
#define HALF 8
#else
#define HALF 4
#endif
/* A vector has WIDTH pixels, or HALF numbers of 64 bits. */
#if defined(T_double)
#define WIDTH     HALF
#define LANE      long
#define LANE_BITS 64
#else
#define WIDTH     VECTOR
#define LANE      int
#define LANE_BITS 32
#endif
typedef JOIN(REAL, WIDTH) realv;
typedef JOIN(LANE, WIDTH) intv;
typedef JOIN(ulong, HALF) ulongv;
#define AS_INTS   JOIN(JOIN(as_, LANE), WIDTH)
#define AS_ULONGS JOIN(as_ulong, HALF)
#define AS_UINTS  JOIN(as_uint, WIDTH)
#define DEPTH     4 /* products whose sum stays below 2^64 */

/* The sum of all lanes. */
static inline ulong total(ulongv v)
{
#if HALF == 8
    v.lo += v.hi;
#endif
    return v.s0 + v.s1 + v.s2 + v.s3;
}

/* Adds the low and the high 32 bits of up to DEPTH products, and forgets the products. */
#define FOLD(products, low, high)                                                                  \
    low += products & LOW32;                                                                       \
    high += products >> 32;                                                                        \
    products = 0;

#if defined(T_double)
struct sumsv {
    ulongv a, b;       /* sums of the high and of the low parts */
    ulongv aa, ab, bb; /* up to DEPTH products */
    ulongv aa_low, aa_high, ab_low, ab_high, bb_low, bb_high;
};

/* Adds the usual pixels of a vector to the sums. Returns all ones in the lanes of usual pixels. */
static inline intv add_usuals(realv x, struct unit unit, struct sumsv *s)
{
    realv t = x * unit.scale, r = t + MAGIC, high = r - MAGIC;
    realv rest = (t - high) * PART, q = rest + MAGIC, low = q - MAGIC;
    intv usual = (AS_INTS((high * PART + low) * unit.unit) == AS_INTS(x)) & (fabs(high) < PART);
    ulongv a = AS_ULONGS(AS_INTS(r) & usual) & LOW32, b = AS_ULONGS(AS_INTS(q) & usual) & LOW32;
    s->a += a;
    s->b += b;
    s->aa += a * a;
    s->ab += a * b;
    s->bb += b * b;
    return usual;
}

static inline void fold(struct sumsv *s)
{
    FOLD(s->aa, s->aa_low, s->aa_high)
    FOLD(s->ab, s->ab_low, s->ab_high)
    FOLD(s->bb, s->bb_low, s->bb_high)
}

/* Leaves the sums of all lanes. */
static inline void store_sums(const struct sumsv *s, global ulong *sums)
{
    sums[0] = total(s->a);
    sums[1] = total(s->b);
    sums[2] = total(s->aa_low);
    sums[3] = total(s->aa_high);
    sums[4] = total(s->ab_low);
    sums[5] = total(s->ab_high);
    sums[6] = total(s->bb_low);
    sums[7] = total(s->bb_high);
}
#else
struct sumsv {
    ulongv sum, sum_odd; /* of pairs of lanes as 64-bit numbers; of the second lane of each pair */
    ulongv even, odd;    /* up to DEPTH squares of the first and of the second lane of each pair */
    ulongv square_low, square_high;
};

/* Adds the usual pixels of a vector to the sums. Returns all ones in the lanes of usual pixels. */
static inline intv add_usuals(realv x, struct unit unit, struct sumsv *s)
{
#if FLOATING
    intv k = JOIN(convert_int, WIDTH)(x * unit.scale);
    intv same = AS_INTS(JOIN(convert_float, WIDTH)(k) * unit.unit) == AS_INTS(x);
    k = AS_INTS(AS_UINTS(k) + BIAS); /* negative where |k| is too large to be usual */
    intv usual = same & (k > (intv)-1);
    k &= usual;
#else
    intv k = JOIN(convert_int, WIDTH)(x) + (int)BIAS, usual = (intv)-1;
#endif
    ulongv pairs = AS_ULONGS(k), odds = pairs >> 32, evens = pairs & LOW32;
    s->sum += pairs;
    s->sum_odd += odds;
    s->even += evens * evens;
    s->odd += odds * odds;
    return usual;
}

static inline void fold(struct sumsv *s)
{
    FOLD(s->even, s->square_low, s->square_high)
    FOLD(s->odd, s->square_low, s->square_high)
}

/* Leaves the sums of all lanes. */
static inline void store_sums(const struct sumsv *s, global ulong *sums)
{
    sums[0] = total(s->sum - (s->sum_odd << 32)) + total(s->sum_odd);
    sums[1] = total(s->square_low);
    sums[2] = total(s->square_high);
}
#endif
#endif
