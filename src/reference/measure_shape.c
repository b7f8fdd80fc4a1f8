/* SPDX-License-Identifier: MIT */
#include "reference/measure_shape.h"

#include <stdlib.h>

#define SQRT2 1.41421356237309504880

/* Tells whether (row, col) belongs to the region; no place beyond the border does. */
static bool inside(const clump_image *labels, const struct clump_region *region, int64_t row,
                   int64_t col)
{
    if (row < 0 || col < 0 || row >= (int64_t)labels->rows || col >= (int64_t)labels->cols)
        return false;
    int32_t label = ((const int32_t *)labels->pixels)[row * (int64_t)labels->cols + col];
    return (uint64_t)label == region->label;
}

/* Tells whether (row, col) is a pixel of the region with one of its four neighbours outside. */
static bool on_border(const clump_image *labels, const struct clump_region *region, int64_t r,
                      int64_t c)
{
    return inside(labels, region, r, c) &&
           !(inside(labels, region, r - 1, c) && inside(labels, region, r + 1, c) &&
             inside(labels, region, r, c - 1) && inside(labels, region, r, c + 1));
}

/*
 * skimage.measure.perimeter with 4 neighbours: a border pixel is classified by a sum over the
 * border pixels around it, 2 for each that shares a side, 10 for each that shares a corner, and 1
 * for itself.
 */
double clump_measure_shape_perimeter(const clump_image *labels, const uint64_t *pixels,
                                     const struct clump_region *region)
{
    uint64_t n1 = 0, n2 = 0, n3 = 0;
    for (uint64_t i = 0; i < region->area; i++) {
        int64_t r = (int64_t)(pixels[i] / labels->cols), c = (int64_t)(pixels[i] % labels->cols);
        if (!on_border(labels, region, r, c))
            continue;
        int pattern = 1;
        for (int dr = -1; dr <= 1; dr++)
            for (int dc = -1; dc <= 1; dc++)
                if ((dr || dc) && on_border(labels, region, r + dr, c + dc))
                    pattern += dr && dc ? 10 : 2;
        switch (pattern) {
        case 5:
        case 7:
        case 15:
        case 17:
        case 25:
        case 27:
            n1++;
            break;
        case 21:
        case 33:
            n2++;
            break;
        case 13:
        case 23:
            n3++;
            break;
        default:
            break;
        }
    }
    return (double)n1 + (double)n2 * SQRT2 + (double)n3 * ((1 + SQRT2) / 2);
}

/*
 * Objects less holes from the 2 x 2 squares with one pixel, with three, and with two on a
 * diagonal: (q1 - q3 - 2 qd) / 4, which is the 8-connected number. A square is counted at its
 * first pixel in raster order.
 */
int64_t clump_measure_shape_euler(const clump_image *labels, const uint64_t *pixels,
                                  const struct clump_region *region)
{
    int64_t sum = 0;
    for (uint64_t i = 0; i < region->area; i++) {
        int64_t row = (int64_t)(pixels[i] / labels->cols);
        int64_t col = (int64_t)(pixels[i] % labels->cols);
        for (int64_t r = row - 1; r <= row; r++)
            for (int64_t c = col - 1; c <= col; c++) {
                bool a = inside(labels, region, r, c), b = inside(labels, region, r, c + 1);
                bool d = inside(labels, region, r + 1, c), e = inside(labels, region, r + 1, c + 1);
                bool first = (r == row && c == col) || (r == row && !a) ||
                             (r < row && !a && !b && (c == col || !d));
                int set = a + b + d + e;
                if (first)
                    sum += set == 1 ? 1 : set == 3 ? -1 : set == 2 && a == e ? -2 : 0;
            }
    }
    return sum / 4;
}

/* Floor of a / b, b > 0. */
static int64_t floor_divide(int64_t a, int64_t b) { return a / b - (a % b < 0); }

/*
 * One side of the hull: points (y, x[y]) for the y where has[y], and of these the corners of the
 * chain that leaves all others on its right (sign 1: least x) or left (sign -1: greatest x).
 */
static uint64_t chain(const int64_t *x, const uint8_t *has, uint64_t rows, int64_t sign,
                      uint64_t *corners)
{
    uint64_t count = 0;
    for (uint64_t y = 0; y < rows; y++) {
        if (!has[y])
            continue;
        while (count >= 2) {
            uint64_t p = corners[count - 2], q = corners[count - 1];
            int64_t turn = (x[q] - x[p]) * (int64_t)(y - p) - (x[y] - x[p]) * (int64_t)(q - p);
            if (sign * turn < 0)
                break;
            count--;
        }
        corners[count++] = y;
    }
    return count;
}

/* The first whole column in (sign 1), or the last (sign -1), at the odd y of each pixel row. */
static int64_t sum_columns(const int64_t *x, const uint64_t *corners, int64_t sign, uint64_t rows)
{
    int64_t sum = 0;
    for (uint64_t y = 1, at = 0; y < rows; y += 2) {
        while (corners[at + 1] < y)
            at++;
        int64_t p = (int64_t)corners[at], q = (int64_t)corners[at + 1];
        int64_t above = x[p] * (q - p) + (x[q] - x[p]) * ((int64_t)y - p);
        sum += sign * -floor_divide(-sign * above, 2 * (q - p));
    }
    return sum;
}

/*
 * As skimage's convex_hull_image: each pixel gives the middles of its four sides. In units of half
 * a pixel and with y = 1 at the centres of the box's first row, these are (y +- 1, x) and
 * (y, x +- 1); of a row only its first and last pixel matter.
 */
bool clump_measure_shape_convex_area(const clump_image *labels, const uint64_t *pixels,
                                     struct clump_region *region)
{
    uint64_t rows = 2 * (region->row_max - region->row_min) + 1;
    int64_t *least = malloc(rows * sizeof *least), *greatest = malloc(rows * sizeof *greatest);
    uint64_t *corners = malloc((rows + 1) * sizeof *corners);
    uint8_t *has = calloc(rows, 1);
    bool done = least && greatest && corners && has;
    for (uint64_t i = 0; done && i < region->area; i++) {
        uint64_t y = 2 * (pixels[i] / labels->cols - region->row_min) + 1;
        int64_t x = 2 * (int64_t)(pixels[i] % labels->cols);
        for (uint64_t z = y - 1; z <= y + 1; z++) {
            int64_t reach = z == y;
            least[z] = !has[z] || x - reach < least[z] ? x - reach : least[z];
            greatest[z] = !has[z] || x + reach > greatest[z] ? x + reach : greatest[z];
            has[z] = 1;
        }
    }
    if (done) {
        chain(least, has, rows, 1, corners);
        int64_t first = sum_columns(least, corners, 1, rows);
        chain(greatest, has, rows, -1, corners);
        int64_t last = sum_columns(greatest, corners, -1, rows);
        region->area_convex = (uint64_t)(last - first) + rows / 2;
    }
    free(has);
    free(corners);
    free(greatest);
    free(least);
    return done;
}
