/* SPDX-License-Identifier: MIT */
/* Values: reading them, their limits, their brightness. */
#include "render.h"

#include <math.h>
#include <stdlib.h>

#define SAMPLE_LIMIT (UINT64_C(1) << 22) /* pixels looked at for percentiles */

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

/* The value that would stand at `place` if all were in order; moves them about (Hoare). */
static float select_value(float *values, uint64_t count, uint64_t place)
{
    uint64_t left = 0, right = count - 1;
    while (left < right) {
        float pivot = values[left + (right - left) / 2];
        uint64_t i = left, k = right;
        for (;;) {
            while (values[i] < pivot)
                i++;
            while (values[k] > pivot)
                k--;
            if (i >= k)
                break;
            float swap = values[i];
            values[i++] = values[k];
            values[k--] = swap;
        }
        if (place <= k)
            right = k;
        else
            left = k + 1;
    }
    return values[place];
}

/* By linear interpolation, as NumPy's. */
static double percentile(float *values, uint64_t count, double percent)
{
    double place = percent / 100 * (double)(count - 1);
    uint64_t below = (uint64_t)place;
    uint64_t above = below + 1 < count ? below + 1 : below;
    double low = select_value(values, count, below), high = select_value(values, count, above);
    return low + (place - (double)below) * (high - low);
}

/* The finite values shown, of large parts only every so many rows and columns. */
static bool gather(const struct view *view, float **values, uint64_t *count)
{
    uint64_t step = (uint64_t)ceil(sqrt((double)view->rows * (double)view->cols / SAMPLE_LIMIT));
    step = step ? step : 1;
    uint64_t across = (view->cols + step - 1) / step, down = (view->rows + step - 1) / step;
    float *row = malloc(view->cols * sizeof *row);
    *values = malloc(across * down * sizeof **values);
    *count = 0;
    for (uint64_t i = 0; row && *values && i < view->rows; i += step) {
        clump_view_row(view, view->row + i, row);
        for (uint64_t k = 0; k < view->cols; k += step)
            if (isfinite(row[k]))
                (*values)[(*count)++] = row[k];
    }
    bool good = row && *values;
    free(row);
    return good;
}

bool clump_view_limits(struct view *view)
{
    const struct clump_render_params *params = view->params;
    view->low = params->low;
    view->high = params->high;
    if (view->type == CLUMP_RGB)
        return true;
    if (isnan(view->low) || isnan(view->high)) {
        float *values = NULL;
        uint64_t count;
        bool good = gather(view, &values, &count);
        if (good && isnan(view->low))
            view->low = count ? percentile(values, count, params->low_percentile) : 0;
        if (good && isnan(view->high))
            view->high = count ? percentile(values, count, params->high_percentile) : 1;
        free(values);
        if (!good)
            return false;
    }
    if (!(view->low < view->high)) { /* a constant part, or a limit beyond all values */
        double width = fmax(fabs(view->low), 1) * 0.5;
        if (isnan(params->low))
            view->low = fmin(view->low, view->high) - width;
        if (isnan(params->high))
            view->high = view->low + 2 * width;
    }
    return true;
}

double clump_stretch_at(const struct view *view, double value)
{
    double t = (value - view->low) / (view->high - view->low);
    if (isnan(t))
        return NAN;
    t = fmin(fmax(t, 0), 1);
    switch (view->params->stretch) {
    case CLUMP_STRETCH_SQRT:
        return sqrt(t);
    case CLUMP_STRETCH_LOG:
        if (view->low > 0)
            return log1p(t * (view->high / view->low - 1)) / log(view->high / view->low);
        return log1p(1000 * t) / log(1001);
    case CLUMP_STRETCH_ASINH:
        return asinh(10 * t) / asinh(10);
    case CLUMP_STRETCH_LINEAR:
        break;
    }
    return t;
}
