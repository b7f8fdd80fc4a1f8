/* SPDX-License-Identifier: MIT */
/*
 * How many pixels of two images are not close, and which is the worst.
 *
 * Method:    compares as include/clump/allclose.h defines it, in the type C, float or double. The
 *            badness of a pixel is one 64-bit number: the bits of |a - b|, which are ordered as the
 *            values are, and the highest bit where the pixel is not close. NaN has the largest
 *            bits.
 * Launch:    coarse: one work-item per slice of the pixels; fine: groups that take pixels `step`
 *            apart. Each leaves three numbers in `found`: the worst badness, the first pixel that
 *            has it, and the number of pixels that are not close.
 * Exactness: a - b, rtol * |b| and the sum are rounded once each.
 * Limits:    none but memory: pixels are numbered in 64 bits.
 * Others:    host src/opencl/pixels/allclose.c, definition src/reference/allclose.c, pair
 *            src/pairs/allclose.c.
 */
#ifndef C
#define C float
#define T float
#define F32
#endif

#ifdef F32
#define BITS(x)  ((ulong)as_uint(x))
#define NAN_BITS 0x7fffffff
#else
#define BITS(x)  as_ulong(x)
#define NAN_BITS LONG_MAX
#endif
#define NOT_CLOSE ((ulong)1 << 63)

static inline ulong badness(C x, C y, C rtol, C atol, uint equal_nan)
{
    if (x == y || (equal_nan && isnan(x) && isnan(y)))
        return 0;
    C difference = fabs(x - y);
    if (isnan(difference))
        return NOT_CLOSE | NAN_BITS;
    C bound = rtol * fabs(y) + atol;
    return BITS(difference) | (difference <= bound && isfinite(y) ? 0 : NOT_CLOSE);
}

typedef struct {
    ulong worst, index, count;
} finding;

static inline void look(finding *f, ulong i, ulong bad)
{
    f->count += bad >> 63;
    if (bad > f->worst) {
        f->worst = bad;
        f->index = i;
    }
}

#if COARSE
/* Leaves the three numbers of a slice, or of a group, in found[]. */
kernel ALONE void allclose(global const T *a, global const T *b, ulong n, ulong slice, C rtol,
                           C atol, uint equal_nan, global ulong *found)
{
    ulong w = get_group_id(0), end = min((w + 1) * slice, n);
    finding f = {0, 0, 0};
    for (ulong i = w * slice; i < end; i++)
        look(&f, i, badness((C)a[i], (C)b[i], rtol, atol, equal_nan));
    found[3 * w] = f.worst;
    found[3 * w + 1] = f.index;
    found[3 * w + 2] = f.count;
}
#else
/* Leaves the three numbers of a slice, or of a group, in found[]. */
kernel GROUPED void allclose(global const T *a, global const T *b, ulong n, ulong step, C rtol,
                             C atol, uint equal_nan, global ulong *found)
{
    local ulong worst[GROUP], index[GROUP], count[GROUP];
    uint l = get_local_id(0);
    finding f = {0, 0, 0};
    for (ulong i = get_global_id(0); i < n; i += step)
        look(&f, i, badness((C)a[i], (C)b[i], rtol, atol, equal_nan));
    worst[l] = f.worst;
    index[l] = f.index;
    count[l] = f.count;
    for (uint reach = GROUP / 2; reach > 0; reach /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (l < reach) {
            bool more = worst[l + reach] > worst[l];
            bool first = worst[l + reach] == worst[l] && index[l + reach] < index[l];
            worst[l] = more ? worst[l + reach] : worst[l];
            index[l] = more || first ? index[l + reach] : index[l];
            count[l] += count[l + reach];
        }
    }
    if (l == 0) {
        found[3 * get_group_id(0)] = worst[0];
        found[3 * get_group_id(0) + 1] = index[0];
        found[3 * get_group_id(0) + 2] = count[0];
    }
}
#endif
