/* SPDX-License-Identifier: MIT */
/*
 * What a device can do at best, for `clump bench` to compare the operations with.
 *
 * Method:    peak_copy moves and peak_read adds up all words; coarse: one stretch per work-item,
 *            fine: work-items side by side. peak_fma only multiplies and adds in registers, in
 *            twelve chains that do not wait for each other.
 * Launch:    any number of work-items.
 * Exactness: results are not used.
 * Limits:    n is a multiple of 4 * LANES * get_global_size(0).
 * Others:    host src/opencl/core/peak.c, no definition and no pair, docs/benchmarks.md.
 */
#ifndef T
#define T float
#endif
#ifndef LANES
#define LANES 1 /* elements of a vector: 1, 4, 8 or 16 */
#endif
#if LANES == 1
typedef T vec;
#define LOAD(p)     (*(p))
#define STORE(v, p) (*(p) = (v))
#define ADD_UP(v)   (v)
#else
typedef JOIN(T, LANES) vec;
#define LOAD(p)     JOIN(vload, LANES)(0, p)
#define STORE(v, p) JOIN(vstore, LANES)(v, 0, p)
#define ADD_UP(v)   (v.s0 + v.s1 + v.s2 + v.s3)
#endif

/* The words of a work-item: the first, the end, and the distance between two of them. */
#if COARSE
#define STRETCH size_t i = n / items * me, end = i + n / items, step = LANES;
#else
#define STRETCH size_t i = me * LANES, end = n, step = items * LANES;
#endif

/* Copies n elements: what memory moves at best, read and written. */
kernel SIZED void peak_copy(global const T *in, ulong n, global T *out)
{
    size_t items = get_global_size(0), me = get_global_id(0);
    STRETCH
    for (; i < end; i += 4 * step) {
        STORE(LOAD(in + i), out + i);
        STORE(LOAD(in + i + step), out + i + step);
        STORE(LOAD(in + i + 2 * step), out + i + 2 * step);
        STORE(LOAD(in + i + 3 * step), out + i + 3 * step);
    }
}

/* Adds up n elements: what memory delivers at best. A sum per work-item keeps the loads. */
kernel SIZED void peak_read(global const T *in, ulong n, global T *out)
{
    size_t items = get_global_size(0), me = get_global_id(0);
    vec a = 0, b = 0, c = 0, d = 0;
    STRETCH
    for (; i < end; i += 4 * step) {
        a += LOAD(in + i);
        b += LOAD(in + i + step);
        c += LOAD(in + i + 2 * step);
        d += LOAD(in + i + 3 * step);
    }
    out[me] = ADD_UP((a + b + c + d));
}

#define CHAINS(f) f(a) f(b) f(c) f(d) f(e) f(g) f(h) f(i) f(j) f(k) f(l) f(m)
#define START(a)  vec a = x * (T)__COUNTER__;
#define TURN(a)   a = fma(a, x, y);
#define SUM(a)    sum += a;

/* Fused multiply-adds in twelve chains, none of which waits for another: the arithmetic peak. */
kernel SIZED void peak_fma(uint turns, T near_one, global T *out)
{
    vec x = near_one, y = (T)get_global_id(0), sum = 0;
    CHAINS(START)
    for (uint turn = 0; turn < turns; turn++) {
        CHAINS(TURN)
    }
    CHAINS(SUM)
    out[get_global_id(0)] = ADD_UP(sum);
}
