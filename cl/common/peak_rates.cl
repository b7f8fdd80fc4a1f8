/* SPDX-License-Identifier: MIT */
/*
 * Rates that no operation is held against, but that buyers ask for: whole numbers, atomics, and
 * what a launch costs.
 *
 * Method:    peak_integer multiplies and adds in registers, in twelve chains that do not wait for
 *            each other. peak_atomics adds to counters in global memory: to one that all share, or
 *            each work-item to one of its own. peak_nothing is launched for its launch.
 * Launch:    any number of work-items.
 * Exactness: results are not used; sums wrap around.
 * Limits:    peak_atomics takes (get_global_size(0) - 1) * apart + 1 counters.
 * Others:    host src/opencl/core/peak.c, no definition and no pair, docs/benchmarks.md.
 */
#ifndef LANES
#define LANES 1 /* elements of a vector: 1, 4, 8 or 16 */
#endif
#if LANES == 1
typedef uint vec;
#define ADD_UP(v) (v)
#else
typedef JOIN(uint, LANES) vec;
#define ADD_UP(v) (v.s0 + v.s1 + v.s2 + v.s3)
#endif

#define CHAINS(f) f(a) f(b) f(c) f(d) f(e) f(g) f(h) f(i) f(j) f(k) f(l) f(m)
#define START(a)  vec a = x + (uint)__COUNTER__;
#define TURN(a)   a = a * x + y;
#define SUM(a)    sum += a;

/* Leaves in out[item] a sum that depends on every product. */
kernel SIZED void peak_integer(uint turns, uint odd, global uint *out)
{
    vec x = odd, y = (uint)get_global_id(0), sum = 0;
    CHAINS(START)
    for (uint turn = 0; turn < turns; turn++) {
        CHAINS(TURN)
    }
    CHAINS(SUM)
    out[get_global_id(0)] = ADD_UP(sum);
}

/* Adds `turns` to a counter per work-item; apart is 0 where all share one. */
kernel SIZED void peak_atomics(uint turns, uint apart, global uint *counters)
{
    for (uint turn = 0; turn < turns; turn++)
        atomic_inc(counters + get_global_id(0) * apart);
}

/* Leaves the number of turns, so that it is not nothing at all. */
kernel SIZED void peak_nothing(uint turns, uint apart, global uint *out)
{
    if (!get_global_id(0))
        out[0] = turns + apart;
}
