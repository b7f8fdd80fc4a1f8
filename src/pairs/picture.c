/* SPDX-License-Identifier: MIT */
/* Pictures by seed. They are made from integers, so that they are the same on every machine. */
#include "pair.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* splitmix64 */
uint64_t pair_random(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

static uint64_t start(const struct pair_case *test)
{
    return test->seed * 0x2545f4914f6cdd1du + test->rows * 0x9e37u + test->cols;
}

/* Roughly normal: the sum of eight uniform bytes around 0, in -1020..1020. */
static int noise(uint64_t *state)
{
    uint64_t r = pair_random(state);
    int sum = -1020;
    for (int i = 0; i < 8; i++)
        sum += (int)(r >> 8 * i & 255);
    return sum;
}

/* A source every few hundred pixels, some of them several pixels wide, up to 60 sigma. */
static int source(uint64_t row, uint64_t col, uint64_t seed)
{
    uint64_t cell = (row / 24 * 0x1000003u + col / 24) ^ seed, state = cell * 0x9e3779b97f4a7c15u;
    uint64_t r = pair_random(&state);
    int64_t dr = (int64_t)(row % 24) - (int64_t)(r & 15) - 4;
    int64_t dc = (int64_t)(col % 24) - (int64_t)(r >> 4 & 15) - 4;
    int64_t distance = dr * dr + dc * dc, radius = 1 + (int64_t)(r >> 8 & 7);
    if (r >> 20 & 1 || distance > radius * radius)
        return 0;
    return (int)((r >> 24) % 16000 * (uint64_t)(radius * radius + 1 - distance) /
                 (uint64_t)(radius * radius + 1));
}

static void store(enum clump_type type, void *pixels, uint64_t i, int value)
{
    switch (type) {
    case CLUMP_U8:
        ((uint8_t *)pixels)[i] = (uint8_t)(value / 64 + 64 > 255 ? 255 : value / 64 + 64);
        break;
    case CLUMP_U16:
        ((uint16_t *)pixels)[i] = (uint16_t)(value + 2000);
        break;
    case CLUMP_I16:
        ((int16_t *)pixels)[i] = (int16_t)value;
        break;
    case CLUMP_I32:
        ((int32_t *)pixels)[i] = value * 1000;
        break;
    case CLUMP_U32:
        ((uint32_t *)pixels)[i] = (uint32_t)(value + 2000) * 1000u;
        break;
    case CLUMP_I64:
        ((int64_t *)pixels)[i] = (int64_t)value * 1000003 * 1000;
        break;
    case CLUMP_F32:
        ((float *)pixels)[i] = (float)value * 5.1e-5f;
        break;
    case CLUMP_F64:
        ((double *)pixels)[i] = value * 5.1e-5;
        break;
    default:
        break;
    }
}

void pair_picture_sky(const struct pair_case *test, void *pixels)
{
    uint64_t state = start(test), i = 0;
    bool blanks = test->seed % 2;
    for (uint64_t row = 0; row < test->rows; row++)
        for (uint64_t col = 0; col < test->cols; col++, i++) {
            store(test->type, pixels, i, noise(&state) + source(row, col, test->seed));
            if (!blanks || (row * 7 + col * 3 + test->seed) % 101)
                continue;
            if (test->type == CLUMP_F32)
                ((float *)pixels)[i] = NAN;
            if (test->type == CLUMP_F64)
                ((double *)pixels)[i] = NAN;
        }
}

void pair_picture_bits(const struct pair_case *test, void *pixels)
{
    uint64_t state = start(test);
    size_t bytes = clump_type_row_bytes(test->type, test->cols) * (size_t)test->rows;
    unsigned char *out = pixels;
    for (size_t i = 0; i < bytes; i += 8) {
        uint64_t r = pair_random(&state);
        memcpy(out + i, &r, bytes - i < 8 ? bytes - i : 8);
    }
    if (test->type == CLUMP_F32)
        for (size_t i = 0; i < bytes / 4; i++)
            if (isnan(((float *)pixels)[i]))
                ((float *)pixels)[i] = i % 3 ? NAN : i % 2 ? INFINITY : -INFINITY;
    if (test->type == CLUMP_F64)
        for (size_t i = 0; i < bytes / 8; i++)
            if (isnan(((double *)pixels)[i]) || i % 97 == 5)
                ((double *)pixels)[i] = i % 3 ? NAN : i % 2 ? INFINITY : -INFINITY;
}

static bool pattern(const struct pair_case *test, uint64_t row, uint64_t col, uint64_t *state)
{
    uint64_t rows = test->rows, cols = test->cols;
    uint64_t ring = row < col ? row : col; /* distance from the nearest border */
    ring = ring < rows - 1 - row ? ring : rows - 1 - row;
    ring = ring < cols - 1 - col ? ring : cols - 1 - col;
    switch (test->seed % 16) {
    case 10: /* all set */
        return true;
    case 11: /* checkerboard */
        return (row + col) % 2;
    case 12: /* comb: teeth that meet in the last row only */
        return col % 2 == 0 || row == rows - 1;
    case 13: /* rings, each opened at one place: a spiral of sorts */
        return ring % 2 == 0 || (row == col + 1 && ring % 4 == 1);
    case 14: /* nothing */
        return false;
    case 15: /* diagonals */
        return (row + 2 * col) % 5 == 0;
    default: /* noise of density 5, 15, ... 95 % */
        return pair_random(state) % 100 < 5 + 10 * (test->seed % 16);
    }
}

void pair_picture_mask(const struct pair_case *test, void *pixels)
{
    uint64_t state = start(test), words = (test->cols + 31) / 32;
    memset(pixels, 0, clump_type_row_bytes(test->type, test->cols) * (size_t)test->rows);
    for (uint64_t row = 0; row < test->rows; row++)
        for (uint64_t col = 0; col < test->cols; col++) {
            bool set = pattern(test, row, col, &state);
            if (test->type == CLUMP_BITS)
                ((uint32_t *)pixels)[row * words + col / 32] |= (uint32_t)set << col % 32;
            else
                ((uint8_t *)pixels)[row * test->cols + col] = set;
        }
}

void pair_picture_any(const struct pair_case *test, void *pixels)
{
    if (test->type == CLUMP_BITS)
        pair_picture_mask(test, pixels);
    else
        pair_picture_bits(test, pixels);
}
