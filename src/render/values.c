/* SPDX-License-Identifier: MIT */
/* Reads the values of pixels and computes their brightness. */
#include "render.h"

#include <math.h>

#define COPY(T)                                                                                    \
    do {                                                                                           \
        const T *from = (const T *)view->pixels + row * view->image_cols + view->col;              \
        for (uint64_t i = 0; i < view->cols; i++)                                                  \
            values[i] = (float)from[i];                                                            \
        return;                                                                                    \
    } while (0)

void clump_view_row(const struct view *view, uint64_t row, float *values)
{
    switch (view->type) {
    case CLUMP_U8:
        COPY(uint8_t);
    case CLUMP_U16:
        COPY(uint16_t);
    case CLUMP_I16:
        COPY(int16_t);
    case CLUMP_I32:
        COPY(int32_t);
    case CLUMP_U32:
        COPY(uint32_t);
    case CLUMP_I64:
        COPY(int64_t);
    case CLUMP_F32:
        COPY(float);
    case CLUMP_F64:
        COPY(double);
    default:
        break;
    }
    uint64_t words = (view->image_cols + 31) / 32;
    const uint32_t *from = (const uint32_t *)view->pixels + row * words;
    for (uint64_t i = 0; i < view->cols; i++)
        values[i] = from[(view->col + i) / 32] >> ((view->col + i) % 32) & 1;
}

bool clump_view_looks_labelled(const struct view *view)
{
    const int32_t *row = (const int32_t *)view->pixels + view->row * view->image_cols + view->col;
    uint64_t equal = 0, pairs = view->rows * (view->cols - 1);
    int32_t least = INT32_MAX;
    if (view->type != CLUMP_I32)
        return false;
    for (uint64_t i = 0; i < view->rows; i++, row += view->image_cols)
        for (uint64_t k = 0; k < view->cols; k++) {
            least = row[k] < least ? row[k] : least;
            equal += k > 0 && row[k] == row[k - 1];
        }
    return least == 0 && 2 * equal > pairs;
}

double clump_stretch_at(const struct view *view, double value)
{
    double t = (value - view->low) / (view->high - view->low);
    if (isnan(t))
        return NAN;
    t = fmin(fmax(t, 0), 1);
    switch (view->params->stretch) {
    case CLUMP_RENDER_STRETCH_SQRT:
        return sqrt(t);
    case CLUMP_RENDER_STRETCH_LOG:
        return log1p(1000 * t) / log(1001);
    case CLUMP_RENDER_STRETCH_ASINH:
        return asinh(10 * t) / asinh(10);
    case CLUMP_RENDER_STRETCH_SQUARED:
        return t * t;
    case CLUMP_RENDER_STRETCH_SINH:
        return sinh(3 * t) / sinh(3);
    case CLUMP_RENDER_STRETCH_LOGNORM:
        return log1p(t * (view->high / view->low - 1)) / log(view->high / view->low);
    case CLUMP_RENDER_STRETCH_LINEAR:
        break;
    }
    return t;
}
