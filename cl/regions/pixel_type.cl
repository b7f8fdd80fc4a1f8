/* SPDX-License-Identifier: MIT */
/*
 * What the types of pixels have of their own; for the kernel files that include this one. T is the
 * type, with F32, F64 or I64 where it is one of these.
 *
 * ORDER(x) is a signed number that is greater for a greater value, -0 being 0; KEY_OF its unsigned
 * like, in the high word where 32 bits are enough; MAGNITUDE(x) the magnitude's bits, if finite.
 * Nothing here depends on whether a device takes denormals for 0.
 * fixed() is the value times scale times more, rounded to nearest even: a sum that is too large for
 * a fraction rounds so, and the part of a float above 2^16 is an even number anyway.
 */
#ifndef T
#define T float
#define F32
#endif

#if defined(F32)
typedef int order;
typedef float factor;
typedef uint bits_of;
#define LEAST_ORDER INT_MIN
#define ORDER(x) (as_int(x) ^ (as_int(x) >> 31 & INT_MAX))
#define NO_ZERO_SIGN(x) (as_uint(x) == 0x80000000u ? 0.0f : (x))
#define IS_FINITE(x) (fabs(x) < INFINITY)
#define IS_BLANK(x) isnan(x)
#define MAGNITUDE(x) (as_uint(x) & INT_MAX)
#define INFINITE 0x7f800000u
__attribute__((unused)) static inline long fixed(float x, float scale, float more)
{
    uint bits = as_uint(x);
    if (bits << 1 < 1u << 24) { /* what a device may take for 0 is this fraction times 2^-149 */
        x = (float)(bits >> 31 ? -(int)(bits & 0x7fffff) : (int)(bits & 0x7fffff));
        scale *= 0x1p-100f;
        more *= 0x1p-49f;
    }
    float t = x * scale * more;
    int high = (int)(t * 0x1p-16f);
    float rest = t - (float)high * 0x1p16f;
    return ((long)high << 16) + (int)(rest + 0x1.8p23f - 0x1.8p23f);
}
#elif defined(F64)
typedef long order;
typedef double factor;
typedef ulong bits_of;
#define LEAST_ORDER LONG_MIN
#define ORDER(x) (as_long(x) ^ (as_long(x) >> 63 & LONG_MAX))
#define NO_ZERO_SIGN(x) (as_ulong(x) == (ulong)1 << 63 ? 0.0 : (x))
#define IS_FINITE(x) (fabs(x) < (double)INFINITY)
#define IS_BLANK(x) isnan(x)
#define MAGNITUDE(x) (as_ulong(x) & LONG_MAX)
#define INFINITE ((ulong)0x7ff << 52)
__attribute__((unused)) static inline long fixed(double x, double scale, double more)
{
    ulong bits = as_ulong(x), fraction = bits & (((ulong)1 << 52) - 1);
    if (bits << 1 < (ulong)1 << 53) { /* as above, 2^-1074 */
        x = (double)(bits >> 63 ? -(long)fraction : (long)fraction);
        scale *= 0x1p-1000;
        more *= 0x1p-74;
    }
    return (long)(x * scale * more + 0x1.8p52 - 0x1.8p52);
}
#elif defined(I64)
typedef long order;
typedef uint factor;
typedef ulong bits_of;
#define LEAST_ORDER LONG_MIN
#define ORDER(x) (x)
#define MAGNITUDE(x) ((ulong)((x) ^ (x) >> 63) + ((ulong)(x) >> 63))
#define INFINITE ULONG_MAX
__attribute__((unused)) static inline long fixed(long x, uint shift, uint unused)
{
    long whole = x >> shift;
    ulong rest = (ulong)x & (((ulong)1 << shift) - 1), middle = shift ? (ulong)1 << (shift - 1) : 1;
    return whole + (rest > middle || (rest == middle && (whole & 1)));
}
#else
typedef int order;
typedef uint factor;
typedef uint bits_of;
#define LEAST_ORDER INT_MIN
#define ORDER(x) ((T)-1 > 0 ? (int)((uint)(x) ^ 0x80000000u) : (int)(x))
#define MAGNITUDE(x) ((void)(x), 0)
#define INFINITE 1
#define fixed(x, scale, more) ((long)(x))
#endif

#ifndef IS_FINITE
#define NO_ZERO_SIGN(x) (x)
#define IS_FINITE(x) true
#define IS_BLANK(x) false
#endif

#if defined(F64) || defined(I64)
#define KEY_OF(o) ((ulong)(o) ^ (ulong)1 << 63)
#define ORDER_OF(key) ((long)((key) ^ (ulong)1 << 63))
#else
#define KEY_OF(o) ((ulong)((uint)(o) ^ 0x80000000u) << 32)
#define ORDER_OF(key) ((int)((uint)((key) >> 32) ^ 0x80000000u))
#endif
