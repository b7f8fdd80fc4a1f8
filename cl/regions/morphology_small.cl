/* SPDX-License-Identifier: MIT */
/*
 * Erodes or dilates a mask by a small footprint, in one pass.
 *
 * Method:    the footprint is part of the program, so that a compiler sees every shift: it has RUNS
 *            runs of cells, of which run i covers cells A<i>..B<i> of row Y<i>. An erosion is the
 *            complement of the dilation of the clear pixels (INVERT).
 * Launch:    coarse: one work-item per band of rows, in groups of one. Fine: one per word.
 * Exactness: bits.
 * Limits:    nine runs; cells at most 31 rows and columns from the centre.
 * Others:    host run_small in src/opencl/regions/morphology.c, definition
 *            src/reference/morphology.c, pair src/pairs/morphology.c.
 */
#include "regions/runs.cl"

#ifndef RUNS
#define RUNS 1
#define Y0   0
#define A0   0
#define B0   0
#endif
#if RUNS > 9
#error a small footprint has at most nine runs
#endif
/* a | b of words that have no common bit. A race checker's simulator lacks the funnel shift that a
 * compiler makes of two shifts and an or. */
#ifdef CHECK_RACES
#define EITHER(a, b) add_sat(a, b)
#else
#define EITHER(a, b) ((a) | (b))
#endif
/* The pixels k to the right of those of word c; p and n are the words before and after c. */
#define MOVED(p, c, n, k)                                                                          \
    ((k) == 0  ? c                                                                                 \
     : (k) > 0 ? EITHER(c >> (uint)(k), n << (uint)(32 - (k)))                                     \
               : EITHER(c << (uint)(-(k)), p >> (uint)(32 + (k))))

#if COARSE
#ifndef LANES /* words of a vector; at most as many as the device's registers hold */
#define LANES 4
#endif
typedef JOIN(uint, LANES) uints;
#define LOAD(p)        JOIN(vload, LANES)(0, p)
#define ADD(sum, more) (INVERT ? (sum) & (more) : (sum) | (more))

#if LANES == 8
#define UP   s00123456 /* the words before those of a vector, except before the first */
#define DOWN s12345677 /* the words after those of a vector, except after the last */
#define END  s7
#else
#define UP   s0012
#define DOWN s1233
#define END  s3
#endif
#define OUTSIDE (INVERT ? ~0u : 0u)

/* Adds to `found` what a run of cells reaches: c are the words, p and n those before and after. */
#define JOIN_RUN(a, b)                                                                             \
    _Pragma("unroll") for (int k = a; k <= b; k++) found = ADD(found, MOVED(p, c, n, k));

/* LANES words from j on, neither a row's first nor its last. INNER and FIRST do not know which
 * pixels of the row's last word are outside the image; words next to it are wrong until LAST, which
 * runs after both, writes them again. */
#define INNER(y, a, b)                                                                             \
    if (row + (y) < rows) {                                                                        \
        global const uint *at = mask + (size_t)(row + (y)) * words + j;                            \
        uints c = LOAD(at), p = (a) < 0 ? LOAD(at - 1) : c, n = (b) > 0 ? LOAD(at + 1) : c;        \
        JOIN_RUN(a, b)                                                                             \
    }

/* The first LANES words of a row that has more than LANES; below, the last LANES words. */
#define FIRST(y, a, b)                                                                             \
    if (row + (y) < rows) {                                                                        \
        global const uint *at = mask + (size_t)(row + (y)) * words;                                \
        uints c = LOAD(at), p = c.UP, n = c.DOWN;                                                  \
        p.s0 = OUTSIDE;                                                                            \
        n.END = at[LANES];                                                                         \
        JOIN_RUN(a, b)                                                                             \
    }
#define LAST(y, a, b)                                                                              \
    if (row + (y) < rows) {                                                                        \
        global const uint *at = mask + (size_t)(row + (y) + 1) * words - LANES;                    \
        uints c = LOAD(at) | (OUTSIDE & ~tails), p = c.UP, n = c.DOWN;                             \
        p.s0 = at[-1];                                                                             \
        n.END = OUTSIDE;                                                                           \
        JOIN_RUN(a, b)                                                                             \
    }
#endif

/* Any one word, slowly. */
#define OUTER(y, a, b)                                                                             \
    if (row + (y) < rows) {                                                                        \
        global const uint *at = mask + (size_t)(row + (y)) * words;                                \
        uint p = j ? word32(at, j - 1, cols) : 0, c = word32(at, j, cols);                         \
        uint n = j + 1 < words ? word32(at, j + 1, cols) : 0;                                      \
        _Pragma("unroll") for (int k = a; k <= b; k++) some |= MOVED(p, c, n, k);                  \
    }

#define EACH_RUN1(DO) DO(Y0, A0, B0)
#define EACH_RUN2(DO) EACH_RUN1(DO) DO(Y1, A1, B1)
#define EACH_RUN3(DO) EACH_RUN2(DO) DO(Y2, A2, B2)
#define EACH_RUN4(DO) EACH_RUN3(DO) DO(Y3, A3, B3)
#define EACH_RUN5(DO) EACH_RUN4(DO) DO(Y4, A4, B4)
#define EACH_RUN6(DO) EACH_RUN5(DO) DO(Y5, A5, B5)
#define EACH_RUN7(DO) EACH_RUN6(DO) DO(Y6, A6, B6)
#define EACH_RUN8(DO) EACH_RUN7(DO) DO(Y7, A7, B7)
#define EACH_RUN9(DO) EACH_RUN8(DO) DO(Y8, A8, B8)

/* Word j of the result. */
uint outer(global const uint *mask, uint cols, uint rows, uint row, uint j)
{
    uint words = (cols + 31) / 32, left = cols - 32 * j, some = 0;
    JOIN(EACH_RUN, RUNS)(OUTER);
    return (INVERT ? ~some : some) & (left < 32 ? (1u << left) - 1 : ~0u);
}

/* Dilates by all cells of a small footprint at once, which the options list as runs. */
kernel SIZED void morphology_small(global const uint *restrict mask, uint cols, uint rows,
                                   uint band_rows, global uint *restrict result)
{
    uint words = (cols + 31) / 32;
#if COARSE
    uint top = get_global_id(0) * band_rows, bottom = min(rows, top + band_rows);
    uints tails = ~0u; /* the pixels of a row's last words that are in the image */
    tails.END = cols % 32 ? (1u << cols % 32) - 1 : ~0u;
    for (uint row = top; row < bottom; row++) {
        global uint *out = result + (size_t)row * words;
        if (words <= LANES) {
            for (uint j = 0; j < words; j++)
                out[j] = outer(mask, cols, rows, row, j);
            continue;
        }
        uints found = OUTSIDE;
        JOIN(EACH_RUN, RUNS)(FIRST);
        JOIN(vstore, LANES)(found, 0, out);
        for (uint j = LANES; j + LANES < words; j += LANES) {
            found = OUTSIDE;
            JOIN(EACH_RUN, RUNS)(INNER);
            JOIN(vstore, LANES)(found, 0, out + j);
        }
        found = OUTSIDE;
        JOIN(EACH_RUN, RUNS)(LAST);
        JOIN(vstore, LANES)(found & tails, 0, out + words - LANES);
    }
#else
    size_t i = get_global_id(0);
    uint row = i / words, j = i % words;
    if (row < rows)
        result[i] = outer(mask, cols, rows, row, j);
#endif
}
