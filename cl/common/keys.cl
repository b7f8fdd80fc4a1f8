/* SPDX-License-Identifier: MIT */
/*
 * Keys: an unsigned integer for every pixel value, in the order of the values.
 *
 * Method:    the key of a float is its bit pattern with the sign bit flipped, or with all bits
 *            flipped where it is negative. Both zeros share one key, and every NaN has the
 *            highest key, BLANK. Integers are shifted to be unsigned; those of 8 and 16 bits
 *            fill the top of a 32-bit key. `word` is a pixel as it lies in memory, `key` its
 *            key, `keyv` a vector of LANES keys, `order` what comparisons of keyv give.
 * Launch:    no kernels here. A program that includes this file is built with -DT_float, or the
 *            same for the type of its pixels.
 * Exactness: integer operations. Floats are never computed with, so that a device that flushes
 *            tiny numbers to zero gives the same keys.
 * Limits:    none.
 * Others:    host src/opencl/stats/keys.c, pairs src/pairs/stats.c and src/pairs/threshold.c,
 *            derivation docs/statistics.md, "Keys".
 */
#if defined(T_double) || defined(T_long)
#define KEY          ulong
#define KEY_SIGNED   long
#define KEY_BITS     64
#define LANES        4 /* keys in a keyv */
#define EACH_LANE(M) M(s0) M(s1) M(s2) M(s3)
#else
#define KEY          uint
#define KEY_SIGNED   int
#define KEY_BITS     32
#define LANES        8 /* keys in a keyv */
#define EACH_LANE(M) M(s0) M(s1) M(s2) M(s3) M(s4) M(s5) M(s6) M(s7)
#endif
typedef KEY key;
typedef JOIN(KEY, LANES) keyv;
typedef JOIN(KEY_SIGNED, LANES) order; /* what comparisons of keyv give */
#define AS_ORDER JOIN(JOIN(as_, KEY_SIGNED), LANES)
#define AS_KEYS  JOIN(JOIN(as_, KEY), LANES)
#define KEY_SIGN ((key)1 << (KEY_BITS - 1))
#define BLANK    (~(key)0)

#if COARSE
/* Tells whether a comparison holds in any lane. The built-in any() takes longer on CPUs. */
__attribute__((unused)) static inline int is_any(order v)
{
#if LANES == 8
    v.lo |= v.hi;
#endif
    v.s01 |= v.s23;
    return (v.s0 | v.s1) != 0;
}
#endif

#if defined(T_float) || defined(T_double)
#define FLOATING 1
typedef key word; /* a pixel as it lies in memory */
#define KEY_INF (KEY_BITS == 32 ? (key)0x7f800000 : (key)(0x7fful << 52))

__attribute__((unused)) static inline key key_of(word b)
{
    key k = b & KEY_SIGN ? ~b : b | KEY_SIGN;
    k = b == KEY_SIGN ? KEY_SIGN : k;
    return (b & ~KEY_SIGN) > KEY_INF ? BLANK : k;
}

#if COARSE
__attribute__((unused)) static inline keyv keys_load(size_t i, global const word *image)
{
    keyv b = JOIN(vload, LANES)(0, image + i);
    keyv k = b ^ (AS_KEYS(AS_ORDER(b) < 0) | KEY_SIGN);
    k = select(k, (keyv)KEY_SIGN, b == (keyv)KEY_SIGN);
    return select(k, (keyv)BLANK, (b & ~KEY_SIGN) > (keyv)KEY_INF);
}
#endif
#else
#define FLOATING 0
#if defined(T_uchar)
typedef uchar word;
#define KEY_PAD 24
#elif defined(T_ushort) || defined(T_short)
typedef ushort word;
#define KEY_PAD 16
#else
typedef key word;
#define KEY_PAD 0
#endif
#if defined(T_short) || defined(T_int) || defined(T_long)
#define KEY_FLIP KEY_SIGN
#else
#define KEY_FLIP 0
#endif

__attribute__((unused)) static inline key key_of(word b) { return (key)b << KEY_PAD ^ KEY_FLIP; }

#if COARSE
__attribute__((unused)) static inline keyv keys_load(size_t i, global const word *image)
{
    return JOIN(convert_, JOIN(KEY, LANES))(JOIN(vload, LANES)(0, image + i)) << KEY_PAD ^ KEY_FLIP;
}
#endif
#endif
