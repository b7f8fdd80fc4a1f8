/* SPDX-License-Identifier: MIT */
#include "samples.h"

#include <math.h>
#include <string.h>

static const struct {
    size_t bytes;
    enum clump_type type;
    bool native;
} samples_table[] = {
    [SAMPLE_U8] = {1, CLUMP_U8, true},    [SAMPLE_I8] = {1, CLUMP_I16, false},
    [SAMPLE_U16] = {2, CLUMP_U16, true},  [SAMPLE_I16] = {2, CLUMP_I16, true},
    [SAMPLE_U32] = {4, CLUMP_U32, true},  [SAMPLE_I32] = {4, CLUMP_I32, true},
    [SAMPLE_U64] = {8, CLUMP_I64, false}, [SAMPLE_I64] = {8, CLUMP_I64, true},
    [SAMPLE_F16] = {2, CLUMP_F32, false}, [SAMPLE_F32] = {4, CLUMP_F32, true},
    [SAMPLE_F64] = {8, CLUMP_F64, true},
};

size_t clump_sample_bytes(enum sample sample) { return samples_table[sample].bytes; }

enum clump_type clump_sample_type(enum sample sample, bool float32)
{
    return float32 ? CLUMP_F32 : samples_table[sample].type;
}

bool clump_sample_native(enum sample sample, enum clump_type type)
{
    return samples_table[sample].native && samples_table[sample].type == type;
}

void clump_samples_swap(void *samples, size_t bytes, size_t count)
{
    if (bytes == 2) {
        uint16_t *p = samples;
        for (size_t i = 0; i < count; i++)
            p[i] = __builtin_bswap16(p[i]);
    } else if (bytes == 4) {
        uint32_t *p = samples;
        for (size_t i = 0; i < count; i++)
            p[i] = __builtin_bswap32(p[i]);
    } else if (bytes == 8) {
        uint64_t *p = samples;
        for (size_t i = 0; i < count; i++)
            p[i] = __builtin_bswap64(p[i]);
    }
}

/* IEEE half precision, subnormals, infinities and NaN included. */
static float half(uint16_t bits)
{
    int exponent = bits >> 10 & 31, fraction = bits & 1023;
    float sign = bits & 0x8000 ? -1.0f : 1.0f;
    if (exponent == 31)
        return fraction ? NAN : sign * INFINITY;
    if (exponent == 0)
        return sign * ldexpf((float)fraction, -24);
    return sign * ldexpf((float)(fraction + 1024), exponent - 25);
}

#define COPY(S, D)                                                                                 \
    do {                                                                                           \
        const S *from = samples;                                                                   \
        D *to = pixels;                                                                            \
        for (size_t i = 0; i < count; i++)                                                         \
            to[i] = (D)from[i * stride];                                                           \
        return true;                                                                               \
    } while (0)

static bool to_f32(enum sample sample, const void *samples, size_t stride, size_t count,
                   void *pixels)
{
    switch (sample) {
    case SAMPLE_U8:
        COPY(uint8_t, float);
    case SAMPLE_I8:
        COPY(int8_t, float);
    case SAMPLE_U16:
        COPY(uint16_t, float);
    case SAMPLE_I16:
        COPY(int16_t, float);
    case SAMPLE_U32:
        COPY(uint32_t, float);
    case SAMPLE_I32:
        COPY(int32_t, float);
    case SAMPLE_U64:
        COPY(uint64_t, float);
    case SAMPLE_I64:
        COPY(int64_t, float);
    case SAMPLE_F32:
        COPY(float, float);
    case SAMPLE_F64:
        COPY(double, float);
    case SAMPLE_F16:
        break;
    }
    const uint16_t *from = samples;
    for (size_t i = 0; i < count; i++)
        ((float *)pixels)[i] = half(from[i * stride]);
    return true;
}

static bool to_i64(const void *samples, size_t stride, size_t count, void *pixels)
{
    const uint64_t *from = samples;
    int64_t *to = pixels;
    uint64_t all = 0;
    for (size_t i = 0; i < count; i++) {
        all |= from[i * stride];
        to[i] = (int64_t)from[i * stride];
    }
    return !(all >> 63);
}

bool clump_samples_convert(enum sample sample, const void *samples, size_t stride, size_t count,
                           enum clump_type type, void *pixels)
{
    if (type == CLUMP_F32)
        return to_f32(sample, samples, stride, count, pixels);
    switch (sample) {
    case SAMPLE_U8:
        COPY(uint8_t, uint8_t);
    case SAMPLE_I8:
        COPY(int8_t, int16_t);
    case SAMPLE_U16:
        COPY(uint16_t, uint16_t);
    case SAMPLE_I16:
        COPY(int16_t, int16_t);
    case SAMPLE_U32:
        COPY(uint32_t, uint32_t);
    case SAMPLE_I32:
        COPY(int32_t, int32_t);
    case SAMPLE_I64:
        COPY(int64_t, int64_t);
    case SAMPLE_F64:
        COPY(double, double);
    case SAMPLE_U64:
        return to_i64(samples, stride, count, pixels);
    case SAMPLE_F16:
    case SAMPLE_F32:
        break;
    }
    return false;
}

/* One sample as a double: exact, except for 64-bit integers, which no colour image has. */
static double value(enum sample sample, const void *samples, size_t index)
{
    switch (sample) {
    case SAMPLE_U8:
        return ((const uint8_t *)samples)[index];
    case SAMPLE_I8:
        return ((const int8_t *)samples)[index];
    case SAMPLE_U16:
        return ((const uint16_t *)samples)[index];
    case SAMPLE_I16:
        return ((const int16_t *)samples)[index];
    case SAMPLE_U32:
        return ((const uint32_t *)samples)[index];
    case SAMPLE_I32:
        return ((const int32_t *)samples)[index];
    case SAMPLE_U64:
        return (double)((const uint64_t *)samples)[index];
    case SAMPLE_I64:
        return (double)((const int64_t *)samples)[index];
    case SAMPLE_F16:
        return half(((const uint16_t *)samples)[index]);
    case SAMPLE_F32:
        return ((const float *)samples)[index];
    case SAMPLE_F64:
        break;
    }
    return ((const double *)samples)[index];
}

static bool store(enum clump_type type, double grey, size_t index, void *pixels)
{
    switch (type) {
    case CLUMP_U8:
        ((uint8_t *)pixels)[index] = (uint8_t)rint(grey);
        return true;
    case CLUMP_U16:
        ((uint16_t *)pixels)[index] = (uint16_t)rint(grey);
        return true;
    case CLUMP_I16:
        ((int16_t *)pixels)[index] = (int16_t)rint(grey);
        return true;
    case CLUMP_I32:
        ((int32_t *)pixels)[index] = (int32_t)rint(grey);
        return true;
    case CLUMP_U32:
        ((uint32_t *)pixels)[index] = (uint32_t)rint(grey);
        return true;
    case CLUMP_F32:
        ((float *)pixels)[index] = (float)grey;
        return true;
    case CLUMP_F64:
        ((double *)pixels)[index] = grey;
        return true;
    default:
        return false;
    }
}

bool clump_samples_grey(enum sample sample, const void *samples, size_t stride, size_t count,
                        enum clump_type type, void *pixels)
{
    bool fits = true;
    for (size_t i = 0; i < count; i++) {
        double red = value(sample, samples, i * stride);
        double green = value(sample, samples, i * stride + 1);
        double blue = value(sample, samples, i * stride + 2);
        double grey = (2125 * red + 7154 * green + 721 * blue) / 10000;
        fits = store(type, grey, i, pixels) && fits;
    }
    return fits;
}
