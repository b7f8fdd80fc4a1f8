/* SPDX-License-Identifier: MIT */
/*
 * The pictures of the two walk-throughs, and masks that are hard to label. exp, sin and cos may
 * differ in the last digit from machine to machine; everything else is the same everywhere.
 */
#include "pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NOISE           0.0133 /* standard deviation of the sky, that of the lesson's image */
#define PIXELS_PER_STAR 20000
#define STAR_REACH      12 /* a star is drawn up to so many pixels from its centre */
#define CELL_PITCH      70 /* pixels from cell to cell */
#define CELLS_PER_GAP   70 /* one of so many cells is left out: 829 of 29 x 29 remain */

static double uniform(uint64_t *state, double low, double high)
{
    return low + (high - low) * ((double)(pair_random(state) >> 11) * 0x1p-53);
}

/* Nearly normal, of standard deviation 1: the sum of eight uniform 16-bit numbers. */
static double normal(uint64_t *state)
{
    uint64_t a = pair_random(state), b = pair_random(state);
    double sum = -8 * 32767.5;
    for (int i = 0; i < 64; i += 16)
        sum += (double)(a >> i & 0xffff) + (double)(b >> i & 0xffff);
    return sum / (65536 * 0.816496580927726);
}

/* Integers of 16 bits are counts as a camera has them, on a level. */
#define COUNTS 2000
#define LEVEL  1000

static void put(const struct pair_case *test, void *pixels, uint64_t i, double value)
{
    if (test->type == CLUMP_F64)
        ((double *)pixels)[i] = value;
    else if (test->type == CLUMP_U16 || test->type == CLUMP_I16)
        ((uint16_t *)pixels)[i] = (uint16_t)(LEVEL + COUNTS * value);
    else
        ((float *)pixels)[i] = (float)value;
}

static void add(const struct pair_case *test, void *pixels, uint64_t i, double value)
{
    if (test->type == CLUMP_F64)
        ((double *)pixels)[i] += value;
    else if (test->type == CLUMP_U16 || test->type == CLUMP_I16)
        ((uint16_t *)pixels)[i] = (uint16_t)(((uint16_t *)pixels)[i] + COUNTS * value);
    else
        ((float *)pixels)[i] += (float)value;
}

void pair_picture_deltas(const struct pair_case *test, void *pixels)
{
    uint64_t n = test->rows * test->cols;
    uint64_t cols = test->rows > 1 ? test->cols : (uint64_t)sqrt((double)n);
    for (uint64_t i = 0; i < n; i++)
        put(test, pixels, i, i / cols % 16 == 8 && i % cols % 16 == 8);
}

static void put_star(const struct pair_case *test, void *pixels, uint64_t *state)
{
    double row = uniform(state, 0, (double)test->rows), col = uniform(state, 0, (double)test->cols);
    double peak = NOISE * exp(uniform(state, 2.1, 5.3)), width = uniform(state, 1.6, 3);
    for (int64_t r = (int64_t)row - STAR_REACH; r <= (int64_t)row + STAR_REACH; r++)
        for (int64_t c = (int64_t)col - STAR_REACH; c <= (int64_t)col + STAR_REACH; c++) {
            double y = (double)r - row, x = (double)c - col;
            if (r >= 0 && c >= 0 && (uint64_t)r < test->rows && (uint64_t)c < test->cols)
                add(test, pixels, (uint64_t)r * test->cols + (uint64_t)c,
                    peak * exp(-(x * x + y * y) / (2 * width * width)));
        }
}

void pair_picture_stars(const struct pair_case *test, void *pixels)
{
    uint64_t state = test->seed + 1, n = test->rows * test->cols;
    for (uint64_t i = 0; i < n; i++)
        put(test, pixels, i, NOISE * normal(&state));
    for (uint64_t star = 0; star < n / PIXELS_PER_STAR; star++)
        put_star(test, pixels, &state);
}

static void put_cell(const struct pair_case *test, void *pixels, uint64_t at_row, uint64_t at_col,
                     uint64_t *state)
{
    double row = (double)at_row + uniform(state, -6, 6),
           col = (double)at_col + uniform(state, -6, 6);
    double a = uniform(state, 12, 22), b = uniform(state, 10, 20),
           turn = uniform(state, 0, 3.14159);
    double light = uniform(state, 0.3, 0.9), s = sin(turn), c = cos(turn);
    double bite = uniform(state, 0, 1) < 0.33 ? 6 : 0; /* for a solidity below 1 */
    for (uint64_t i = at_row - CELL_PITCH / 2; i < at_row + CELL_PITCH / 2; i++)
        for (uint64_t j = at_col - CELL_PITCH / 2; j < at_col + CELL_PITCH / 2; j++) {
            double y = (double)i - row, x = (double)j - col, u = (c * x + s * y) / a;
            double v = (c * y - s * x) / b, away = hypot(x - c * a, y - s * a);
            if (u * u + v * v < 1 && away >= bite)
                add(test, pixels, i * test->cols + j, light);
        }
}

void pair_picture_cells(const struct pair_case *test, void *pixels)
{
    uint64_t state = test->seed + 1, n = test->rows * test->cols, cell = 0;
    for (uint64_t i = 0; i < n; i++)
        put(test, pixels, i, 0.05 + 0.01 * normal(&state));
    for (uint64_t row = CELL_PITCH / 2; row + CELL_PITCH / 2 <= test->rows; row += CELL_PITCH)
        for (uint64_t col = CELL_PITCH / 2; col + CELL_PITCH / 2 <= test->cols; col += CELL_PITCH)
            if (++cell % CELLS_PER_GAP)
                put_cell(test, pixels, row, col, &state);
}

static void set(const struct pair_case *test, void *pixels, uint64_t row, uint64_t col)
{
    ((uint32_t *)pixels)[row * ((test->cols + 31) / 32) + col / 32] |= (uint32_t)1 << col % 32;
}

static void clear(const struct pair_case *test, void *pixels)
{
    memset(pixels, 0, clump_type_row_bytes(CLUMP_BITS, test->cols) * (size_t)test->rows);
}

/* The mask of what is above `level` in another picture. */
static void mask_of(const struct pair_case *test, void *pixels, double level,
                    void (*picture)(const struct pair_case *, void *))
{
    struct pair_case whole = *test;
    whole.type = CLUMP_F32;
    float *values = pair_memory(test->rows * test->cols * sizeof *values);
    clear(test, pixels);
    picture(&whole, values);
    for (uint64_t row = 0; row < test->rows; row++)
        for (uint64_t col = 0; col < test->cols; col++)
            if ((double)values[row * test->cols + col] > level)
                set(test, pixels, row, col);
    free(values);
}

void pair_picture_stars_mask(const struct pair_case *test, void *pixels)
{
    mask_of(test, pixels, pair_level(CLUMP_F32), pair_picture_stars);
}

void pair_picture_cells_mask(const struct pair_case *test, void *pixels)
{
    mask_of(test, pixels, PAIR_CELLS_LEVEL, pair_picture_cells);
}

void pair_picture_coins(const struct pair_case *test, void *pixels)
{
    uint64_t state = test->seed + 1, r = 0;
    clear(test, pixels);
    for (uint64_t row = 0; row < test->rows; row++)
        for (uint64_t col = 0; col < test->cols; col++, r >>= 1) {
            if (col % 64 == 0)
                r = pair_random(&state);
            if (r & 1)
                set(test, pixels, row, col);
        }
}

/* Square rings, each cut open and joined to the next one beside the cut. */
void pair_picture_spiral(const struct pair_case *test, void *pixels)
{
    clear(test, pixels);
    for (uint64_t row = 0; row < test->rows; row++)
        for (uint64_t col = 0; col < test->cols; col++) {
            uint64_t down = test->rows - 1 - row, left = test->cols - 1 - col;
            uint64_t ring = row < col ? row : col;
            ring = ring < down ? ring : down;
            ring = ring < left ? ring : left;
            bool door = row == ring + 1 && col == ring;
            if (door == (ring % 2 == 1))
                set(test, pixels, row, col);
        }
}
