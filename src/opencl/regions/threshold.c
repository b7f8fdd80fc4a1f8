/* SPDX-License-Identifier: MIT */
#include "opencl/stats/keys.h"
#include "opencl/core/opencl.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

#include "regions/threshold.h"

/* A value of any pixel type, as a kernel takes it. */
union pixel {
    uint8_t u8;
    uint16_t u16;
    int16_t i16;
    int32_t i32;
    uint32_t u32;
    int64_t i64;
    float f32;
    double f64;
};

struct range {
    double low, high; /* of an integer type; exact, except that int64's high is one too much */
};

static struct range range_of(enum clump_type type)
{
    switch (type) {
    case CLUMP_U8:
        return (struct range){0, UINT8_MAX};
    case CLUMP_U16:
        return (struct range){0, UINT16_MAX};
    case CLUMP_I16:
        return (struct range){INT16_MIN, INT16_MAX};
    case CLUMP_I32:
        return (struct range){INT32_MIN, INT32_MAX};
    case CLUMP_U32:
        return (struct range){0, UINT32_MAX};
    default:
        return (struct range){-0x1p63, 0x1p63};
    }
}

/* The least float that is greater than `level`, or not less if `equal`. */
static float float_above(double level, bool equal)
{
    float f = (float)level; /* the nearest float, which may be less or greater */
    return (double)f > level || (equal && (double)f == level) ? f : nextafterf(f, INFINITY);
}

static void put_whole(enum clump_type type, int64_t value, union pixel *pixel)
{
    switch (type) {
    case CLUMP_U8:
        pixel->u8 = (uint8_t)value;
        break;
    case CLUMP_U16:
        pixel->u16 = (uint16_t)value;
        break;
    case CLUMP_I16:
        pixel->i16 = (int16_t)value;
        break;
    case CLUMP_I32:
        pixel->i32 = (int32_t)value;
        break;
    case CLUMP_U32:
        pixel->u32 = (uint32_t)value;
        break;
    default:
        pixel->i64 = value;
    }
}

/* The least value of the type that is greater than `level`, or not less if `equal`; false when
 * there is none. */
static bool least_above(enum clump_type type, double level, bool equal, union pixel *least)
{
    bool real = type == CLUMP_F32 || type == CLUMP_F64;
    if (level == INFINITY && !(real && equal))
        return false;
    if (type == CLUMP_F32) {
        least->f32 = float_above(level, equal);
        return true;
    }
    if (type == CLUMP_F64) {
        least->f64 = equal ? level : nextafter(level, INFINITY);
        return true;
    }
    struct range range = range_of(type);
    double next = equal ? ceil(level) : floor(level) + 1;
    if (next > range.high || (type == CLUMP_I64 && next >= range.high))
        return false;
    if (next < range.low)
        next = range.low;
    int64_t value = (int64_t)next;
    if (!equal && type == CLUMP_I64 && floor(level) == next) /* level + 1 has rounded to level */
        value = (int64_t)level + 1;
    put_whole(type, value, least);
    return true;
}

/* The greatest value of the type that is less than `level`, or not greater if `equal`: the one
 * before the least value that is not; false when there is none. */
static bool greatest_below(enum clump_type type, double level, bool equal, union pixel *greatest)
{
    union pixel least = {0};
    struct range range = range_of(type);
    bool above = least_above(type, level, !equal, &least);
    if (type == CLUMP_F32)
        greatest->f32 = above ? nextafterf(least.f32, -INFINITY) : INFINITY;
    else if (type == CLUMP_F64)
        greatest->f64 = above ? nextafter(least.f64, -INFINITY) : (double)INFINITY;
    if (type == CLUMP_F32 || type == CLUMP_F64)
        return level > -(double)INFINITY || equal;
    int64_t value = type == CLUMP_U8    ? least.u8
                    : type == CLUMP_U16 ? least.u16
                    : type == CLUMP_I16 ? least.i16
                    : type == CLUMP_I32 ? least.i32
                    : type == CLUMP_U32 ? (int64_t)least.u32
                                        : least.i64;
    int64_t lowest = type == CLUMP_I64 ? INT64_MIN : (int64_t)range.low;
    if (above && value == lowest)
        return false;
    if (!above)
        value = type == CLUMP_I64 ? INT64_MAX : (int64_t)range.high + 1;
    put_whole(type, above || type != CLUMP_I64 ? value - 1 : value, greatest);
    return true;
}

/* A comparison: with a level, by pixels or by keys, or with a map of levels. */
struct comparison {
    const clump_image *map;
    double level;
    bool below, inclusive;
    bool by_key;
    union pixel least; /* the least value that is set; `below`: the greatest */
    uint32_t least_key;
};

/* Prepares a comparison; false when no pixel can be set. */
static bool compare_with(const clump_image *image, const struct clump_threshold_params *params,
                         double level, struct comparison *comparison)
{
    *comparison = (struct comparison){.map = params->map,
                                      .level = level,
                                      .below = params->below,
                                      .inclusive = params->inclusive};
    if (params->map)
        return true;
    if (!(params->below ? greatest_below : least_above)(image->type, level, params->inclusive,
                                                        &comparison->least))
        return false;
    if (image->type == CLUMP_F32 && fabsf(comparison->least.f32) < FLT_MIN) {
        struct keys keys = clump_keys(image->type);
        comparison->by_key = true; /* a device without denormals would take the level for 0 */
        comparison->least_key =
            (uint32_t)clump_keys_above(&keys, (double)comparison->least.f32, true);
    }
    return true;
}

static enum clump_status kernel_of(const clump_image *image, const clump_image *mask,
                                   const struct comparison *comparison, cl_kernel *kernel)
{
    char options[112];
    const char *text = clump_type_opencl(image->type);
    bool bits = mask->type == CLUMP_BITS;
    snprintf(options, sizeof options, "-DT=%s%s%s%s%s%s", text, bits ? "" : " -DMASK_U8",
             comparison->below ? " -DBELOW" : "",
             comparison->map && comparison->inclusive ? " -DINCLUSIVE" : "",
             comparison->map      ? " -DBY_MAP -DT_"
             : comparison->by_key ? " -DBY_KEY -DT_"
                                  : "",
             comparison->map || comparison->by_key ? text : "");
    return clump_kernel(mask->context, "regions/threshold", options,
                        bits ? "threshold_bits" : "threshold_u8", kernel);
}

/* The number of groups of a launch, each of which leaves a count. */
static size_t groups_of(const clump_context *context, const clump_image *mask)
{
    const struct layout *layout = &context->opencl->layout;
    uint64_t pixels = (uint64_t)(layout->coarse ? THRESHOLD_SHARE : layout->group) * 32;
    uint64_t n = mask->type == CLUMP_BITS ? clump_row_words(mask->cols) * 32 * mask->rows
                                          : mask->cols * mask->rows;
    return (size_t)((n + pixels - 1) / pixels);
}

static enum clump_status add_counts(clump_context *context, cl_mem counts, size_t groups,
                                    uint64_t *count)
{
    void *mapped;
    enum clump_status status =
        clump_buffer_map(context, counts, CLUMP_IMAGE_READ, groups * sizeof(uint32_t), &mapped);
    if (status)
        return status;
    *count = 0;
    for (size_t i = 0; i < groups; i++)
        *count += ((const uint32_t *)mapped)[i];
    return clump_buffer_unmap(context, counts, mapped);
}

/* Makes the mask, of bits or bytes, and counts its set pixels unless `count` is NULL. */
static enum clump_status run(clump_context *context, const clump_image *image,
                             const struct comparison *comparison, clump_image *mask,
                             uint64_t *count)
{
    cl_kernel kernel;
    cl_mem counts = NULL;
    size_t groups = groups_of(context, mask);
    size_t local = context->opencl->layout.coarse ? 1 : context->opencl->layout.group;
    size_t global = groups * local;
    struct clump_arg level = {clump_type_row_bytes(image->type, 1), &comparison->least};
    if (comparison->map)
        level = CLUMP_ARG_IMAGE(comparison->map);
    else if (comparison->by_key)
        level = CLUMP_ARG(comparison->least_key);
    enum clump_status status = kernel_of(image, mask, comparison, &kernel);
    if (!status)
        status = clump_buffer_borrow(context, groups * sizeof(uint32_t), &counts);
    if (!status)
        status = clump_launch(context, kernel, 1, &global, &local,
                              CLUMP_ARGS(CLUMP_ARG_IMAGE(image), CLUMP_ARG(image->rows),
                                         CLUMP_ARG(image->cols), level, CLUMP_ARG_IMAGE(mask),
                                         CLUMP_ARG(counts)));
    if (!status && count)
        status = add_counts(context, counts, groups, count);
    clump_buffer_return(context, &counts);
    return status;
}

static enum clump_status threshold(clump_context *context, const clump_image *image,
                                   const struct clump_threshold_params *params, double level,
                                   enum clump_type output, clump_image **mask, uint64_t *count)
{
    struct comparison comparison;
    enum clump_status status = clump_image_create(context, output, image->rows, image->cols, mask);
    if (status)
        return status;
    if (compare_with(image, params, level, &comparison))
        return run(context, image, &comparison, *mask, count);
    if (count)
        *count = 0;
    return clump_buffer_fill(context, (*mask)->buffer, 0, (*mask)->bytes);
}

static enum clump_status count_set(clump_image *mask, uint64_t *count)
{
    void *mapped;
    enum clump_status status =
        clump_buffer_map(mask->context, mask->buffer, CLUMP_IMAGE_READ, mask->bytes, &mapped);
    if (status)
        return status;
    *count = 0;
    for (size_t i = 0; i < mask->bytes / sizeof(uint32_t); i++)
        *count += (uint64_t)__builtin_popcount(((const uint32_t *)mapped)[i]);
    return clump_buffer_unmap(mask->context, mask->buffer, mapped);
}

/* Clears in `low` the regions that have no pixel of `high`. */
static enum clump_status keep_reached(clump_context *context, const clump_image *high,
                                      const clump_image *labels, uint64_t regions, clump_image *low)
{
    size_t bytes = (size_t)(regions + 1) * sizeof(uint32_t);
    cl_kernel mark, keep;
    cl_mem flags = NULL;
    uint64_t words = clump_row_words(low->cols) * low->rows;
    enum clump_status status =
        clump_kernel(context, "regions/hysteresis", "", "hysteresis_mark", &mark);
    if (!status)
        status = clump_kernel(context, "regions/hysteresis", "", "hysteresis_keep", &keep);
    if (!status)
        status = clump_buffer_borrow(context, bytes, &flags);
    if (!status)
        status = clump_buffer_fill(context, flags, 0, bytes);
    if (!status)
        status =
            clump_launch_flat(context, mark, words,
                              CLUMP_ARGS(CLUMP_ARG_IMAGE(high), CLUMP_ARG_IMAGE(labels),
                                         CLUMP_ARG(low->cols), CLUMP_ARG(words), CLUMP_ARG(flags)));
    if (!status)
        status =
            clump_launch_flat(context, keep, words,
                              CLUMP_ARGS(CLUMP_ARG_IMAGE(labels), CLUMP_ARG(low->cols),
                                         CLUMP_ARG(words), CLUMP_ARG(flags), CLUMP_ARG_IMAGE(low)));
    clump_buffer_return(context, &flags);
    return status;
}

static enum clump_status hysteresis(clump_context *context, const clump_image *image,
                                    const struct clump_threshold_params *params, clump_image **mask,
                                    uint64_t *count)
{
    struct clump_label_params label = clump_label_defaults;
    clump_image *high = NULL, *labels = NULL;
    uint64_t regions;
    label.connectivity = params->connectivity;
    enum clump_status status =
        threshold(context, image, params, params->low, CLUMP_BITS, mask, NULL);
    if (!status)
        status = threshold(context, image, params, params->above, CLUMP_BITS, &high, NULL);
    if (!status)
        status = context->backend->label(context, *mask, &label, &labels, &regions);
    if (!status)
        status = keep_reached(context, high, labels, regions, *mask);
    if (!status && count)
        status = count_set(*mask, count);
    clump_image_destroy(&labels);
    clump_image_destroy(&high);
    return status;
}

enum clump_status clump_opencl_threshold(clump_context *context, const clump_image *image,
                                         const struct clump_threshold_params *params,
                                         clump_image **mask, uint64_t *count)
{
    clump_image *made = NULL, *bits = NULL;
    uint64_t set = 0;
    enum clump_status status;
    if (params->hysteresis)
        status = hysteresis(context, image, params, &made, count ? &set : NULL);
    else
        status = threshold(context, image, params, params->above, params->output, &made,
                           count ? &set : NULL);
    if (!status && made->type != params->output) {
        bits = made;
        made = NULL;
        status = clump_opencl_convert(context, bits, params->output, &made);
    }
    clump_image_destroy(&bits);
    if (status) {
        clump_image_destroy(&made);
        return status;
    }
    *mask = made;
    if (count)
        *count = set;
    return CLUMP_OK;
}
