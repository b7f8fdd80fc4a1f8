/* SPDX-License-Identifier: MIT */
/*
 * What comes before every kernel file.
 *
 * Method:    defines the layout of work. COARSE is 1 where few work-items with memory of their own
 *            do best (CPUs), 0 where many share local memory (GPUs); GROUP is the size of a
 *            work-group.
 * Launch:    ALONE, GROUPED and SIZED name the work-groups of a kernel.
 * Exactness: products and sums are fused only by fma(), so that the same source gives the same bits
 *            on every device.
 * Limits:    OpenCL C 1.2; double is optional.
 * Others:    host src/opencl/core/program.c, src/opencl/core/layout.c, docs/architecture.md.
 */
#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#ifndef COARSE
#define COARSE 0
#endif
#ifndef GROUP
#define GROUP 64
#endif

/* The work-groups that a kernel is launched in: of one work-item (ALONE), of GROUP (GROUPED), or of
 * either by COARSE (SIZED). */
#define ALONE   __attribute__((reqd_work_group_size(1, 1, 1)))
#define GROUPED __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#if COARSE
#define SIZED ALONE
#else
#define SIZED GROUPED
#endif

/* Vectors wider than the CPU's registers are passed in memory: slower, not wrong. */
#if defined(__clang__) && defined(__has_warning)
#if __has_warning("-Wpsabi")
#pragma clang diagnostic ignored "-Wpsabi"
#endif
#endif

/* PREFETCH lets a CPU fetch what is at p, to be read or written. On x86 and ARM CPUs the built-in
 * prefetch() does nothing, and the compiler's own function is used. The simulator of the race checker
 * knows neither, nor what inlining leaves of `restrict`. */
#ifdef CHECK_RACES
#define INLINE __attribute__((unused)) static inline
#else
#define INLINE __attribute__((unused, always_inline)) static inline
#endif
#if !COARSE || defined(CHECK_RACES)
#define PREFETCH(p, write)
#elif defined(__x86_64__) || defined(__aarch64__)
#define PREFETCH(p, write) __builtin_prefetch((const void *)(uintptr_t)(p), write)
#else
#define PREFETCH(p, write) prefetch(p, 1)
#endif
#define LINE 64 /* bytes of a cache line */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)

/*
 * Keys: an integer for every pixel value, in the order of the values. A float's is its bit pattern
 * with the sign bit flipped, or all bits where it is negative; both zeros share one key and every
 * NaN has the highest, BLANK. Integers are shifted to be unsigned; those of 8 and 16 bits fill the
 * top of a 32-bit key. A program asks for them with -DKEYS -DT_float and so on.
 */
#ifdef KEYS
#if defined(T_double) || defined(T_long)
#define KEY ulong
#define KEY_SIGNED long
#define KEY_BITS 64
#define LANES 4 /* of a vector of keys, keyv */
#define EACH_LANE(M) M(s0) M(s1) M(s2) M(s3)
#else
#define KEY uint
#define KEY_SIGNED int
#define KEY_BITS 32
#define LANES 8
#define EACH_LANE(M) M(s0) M(s1) M(s2) M(s3) M(s4) M(s5) M(s6) M(s7)
#endif
typedef KEY key;
typedef JOIN(KEY, LANES) keyv;
typedef JOIN(KEY_SIGNED, LANES) order; /* what comparisons of keyv give */
#define AS_ORDER JOIN(JOIN(as_, KEY_SIGNED), LANES)
#define AS_KEYS JOIN(JOIN(as_, KEY), LANES)
#define KEY_SIGN ((key)1 << (KEY_BITS - 1))
#define BLANK (~(key)0)

#if COARSE
/* Whether a comparison holds in any lane; the built-in any() takes longer on CPUs. */
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
#endif
