/* SPDX-License-Identifier: MIT */
#include "pair.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 64

void *pair_memory(size_t bytes)
{
    void *memory = aligned_alloc(ALIGNMENT, bytes / ALIGNMENT * ALIGNMENT + ALIGNMENT);
    if (memory)
        return memory;
    fprintf(stderr, "pairs: no memory for %zu bytes\n", bytes);
    exit(1);
}

void pair_add_image(struct pair_output *out, const char *name, clump_image *image)
{
    assert(out->image_count < sizeof out->images / sizeof *out->images);
    out->images[out->image_count].name = name;
    out->images[out->image_count++].image = image;
}

void pair_add_number(struct pair_output *out, const char *name, double value)
{
    assert(out->number_count < PAIR_ITEMS);
    out->numbers[out->number_count].name = name;
    out->numbers[out->number_count++].value = value;
}

void pair_add_list(struct pair_output *out, const char *name, double *values, uint64_t count)
{
    assert(out->list_count < sizeof out->lists / sizeof *out->lists);
    out->lists[out->list_count].name = name;
    out->lists[out->list_count].values = values;
    out->lists[out->list_count++].count = count;
}

void pair_output_release(struct pair_output *out)
{
    for (unsigned i = 0; i < out->image_count; i++)
        clump_image_destroy(&out->images[i].image);
    for (unsigned i = 0; i < out->list_count; i++)
        free(out->lists[i].values);
    *out = (struct pair_output){0};
}

double pair_image_bytes(const struct pair_case *test, enum clump_type type)
{
    return (double)clump_type_row_bytes(type, test->cols) * (double)test->rows;
}

enum clump_status pair_input_make(clump_context *context, const struct pair *pair,
                                  const struct pair_case *test, struct pair_input *in)
{
    void *pixels;
    *in = (struct pair_input){0};
    enum clump_status status =
        clump_image_create(context, test->type, test->rows, test->cols, &in->image);
    if (status)
        return status;
    status = clump_image_map(in->image, CLUMP_IMAGE_WRITE, &pixels);
    if (!status) {
        pair->picture(test, pixels);
        status = clump_image_unmap(in->image);
    }
    if (!status && pair->prepare)
        status = pair->prepare(context, test, in);
    if (status)
        pair_input_release(in);
    return status;
}

void pair_input_release(struct pair_input *in)
{
    for (unsigned i = 0; i < sizeof in->extra / sizeof *in->extra; i++)
        clump_image_destroy(&in->extra[i]);
    clump_image_destroy(&in->image);
}

/* Equal, or both NaN, or within the tolerance. */
static bool close_enough(double a, double b, double tolerance)
{
    return a == b || (isnan(a) && isnan(b)) || fabs(a - b) <= tolerance;
}

/* A pixel as a double, for messages and to compare floats; integers are compared as bytes. */
static double pixel_value(enum clump_type type, const void *pixels, uint64_t i)
{
    switch (type) {
    case CLUMP_U8:
    case CLUMP_RGB:
        return ((const uint8_t *)pixels)[i];
    case CLUMP_U16:
        return ((const uint16_t *)pixels)[i];
    case CLUMP_I16:
        return ((const int16_t *)pixels)[i];
    case CLUMP_I32:
        return ((const int32_t *)pixels)[i];
    case CLUMP_BITS:
    case CLUMP_U32:
        return ((const uint32_t *)pixels)[i];
    case CLUMP_I64:
        return (double)((const int64_t *)pixels)[i];
    case CLUMP_F32:
        return (double)((const float *)pixels)[i];
    default:
        return ((const double *)pixels)[i];
    }
}

/* Elements of a row as pixel_value counts them: words of a mask, bytes of a colour image. */
static uint64_t row_elements(enum clump_type type, uint64_t cols)
{
    return type == CLUMP_BITS ? (cols + 31) / 32 : type == CLUMP_RGB ? 3 * cols : cols;
}

static bool compare_pixels(const char *name, const clump_image *a, const void *pa, const void *pb,
                           double tolerance, char *message, size_t room)
{
    enum clump_type type = clump_image_type(a);
    uint64_t rows = clump_image_rows(a), row = row_elements(type, clump_image_cols(a));
    size_t bytes = clump_type_row_bytes(type, clump_image_cols(a)) * (size_t)rows;
    size_t size = bytes / (size_t)(rows * row);
    if (!memcmp(pa, pb, bytes))
        return true;
    for (uint64_t i = 0; i < rows * row; i++) {
        double x = pixel_value(type, pa, i), y = pixel_value(type, pb, i);
        bool exact = type != CLUMP_F32 && type != CLUMP_F64;
        if (exact ? !memcmp((const char *)pa + i * size, (const char *)pb + i * size, size)
                  : close_enough(x, y, tolerance))
            continue;
        snprintf(message, room,
                 "%s at row %" PRIu64 ", element %" PRIu64
                 ": reference %.17g, device %.17g, difference %g, tolerance %g",
                 name, i / row, i % row, x, y, y - x, tolerance);
        return false;
    }
    return true;
}

static bool compare_images(const char *name, clump_image *a, clump_image *b, double tolerance,
                           char *message, size_t room)
{
    void *pa, *pb;
    if (!a != !b || (a && (clump_image_type(a) != clump_image_type(b) ||
                           clump_image_rows(a) != clump_image_rows(b) ||
                           clump_image_cols(a) != clump_image_cols(b)))) {
        snprintf(message, room, "%s differs in size or type", name);
        return false;
    }
    if (!a)
        return true;
    if (clump_image_map(a, CLUMP_IMAGE_READ, &pa))
        return false;
    bool same = false;
    if (!clump_image_map(b, CLUMP_IMAGE_READ, &pb)) {
        same = compare_pixels(name, a, pa, pb, tolerance, message, room);
        clump_image_unmap(b);
    }
    clump_image_unmap(a);
    return same;
}

static bool compare_numbers(const char *name, const double *a, const double *b, uint64_t count,
                            double tolerance, char *message, size_t room)
{
    for (uint64_t i = 0; i < count; i++) {
        if (close_enough(a[i], b[i], tolerance))
            continue;
        snprintf(message, room,
                 "%s[%" PRIu64 "]: reference %.17g, device %.17g, difference %g, tolerance %g",
                 name, i, a[i], b[i], b[i] - a[i], tolerance);
        return false;
    }
    return true;
}

bool pair_compare(const struct pair *pair, const struct pair_case *test,
                  const struct pair_input *reference_input, const struct pair_output *reference,
                  const struct pair_output *device, char *message, size_t room)
{
    const struct pair_output *a = reference, *b = device;
    double tolerance = pair->tolerance ? pair->tolerance(test, reference_input) : 0;
    snprintf(message, room, "the results have not the same parts");
    if (a->image_count != b->image_count || a->number_count != b->number_count ||
        a->list_count != b->list_count)
        return false;
    for (unsigned i = 0; i < a->number_count; i++)
        if (!compare_numbers(a->numbers[i].name, &a->numbers[i].value, &b->numbers[i].value, 1,
                             tolerance, message, room))
            return false;
    for (unsigned i = 0; i < a->list_count; i++) {
        if (a->lists[i].count != b->lists[i].count) {
            snprintf(message, room, "%s: reference has %" PRIu64 " values, device %" PRIu64,
                     a->lists[i].name, a->lists[i].count, b->lists[i].count);
            return false;
        }
        if (!compare_numbers(a->lists[i].name, a->lists[i].values, b->lists[i].values,
                             a->lists[i].count, tolerance, message, room))
            return false;
    }
    for (unsigned i = 0; i < a->image_count; i++)
        if (!compare_images(a->images[i].name, a->images[i].image, b->images[i].image, tolerance,
                            message, room))
            return false;
    return true;
}

static enum clump_status run_on(const struct pair *pair, const struct pair_case *test,
                                clump_context *context, struct pair_input *in,
                                struct pair_output *out)
{
    enum clump_status status = pair_input_make(context, pair, test, in);
    if (!status)
        status = pair->run(context, test, in, out);
    return status;
}

/* Fall-backs of a context up to now. */
static uint64_t fallbacks_of(clump_context *context)
{
    struct clump_profile profile = {0};
    return clump_profile_read(context, &profile) ? 0 : profile.fallbacks;
}

/* Whether a device has taken no more fall-backs than the input may call for. */
static bool is_direct(const struct pair *pair, const struct pair_case *test, uint64_t taken,
                      char *message, size_t room)
{
    unsigned most = pair->fallbacks ? pair->fallbacks(test) : 0;
    if (taken <= most)
        return true;
    snprintf(message, room, "%" PRIu64 " fall-backs, where the input calls for %u at most", taken,
             most);
    return false;
}

bool pair_check(const struct pair *pair, const struct pair_case *test, clump_context *reference,
                clump_context *device, bool *skipped, char *message, size_t room)
{
    struct pair_input in_a = {0}, in_b = {0};
    struct pair_output a = {0}, b = {0};
    bool same = false;
    *skipped = (pair->fp64 || test->type == CLUMP_F64) && !clump_context_device(device)->fp64;
    if (*skipped)
        return true;
    enum clump_status status_a = run_on(pair, test, reference, &in_a, &a);
    uint64_t before = fallbacks_of(device);
    enum clump_status status_b = run_on(pair, test, device, &in_b, &b);
    uint64_t fallbacks = fallbacks_of(device) - before;
    if (status_a || status_b) {
        same = status_a == status_b;
        snprintf(message, room, "reference ends in \"%s\", device in \"%s\"",
                 clump_status_text(status_a), clump_status_text(status_b));
    } else {
        same = pair_compare(pair, test, &in_a, &a, &b, message, room) &&
               is_direct(pair, test, fallbacks, message, room);
    }
    pair_output_release(&a);
    pair_output_release(&b);
    pair_input_release(&in_a);
    pair_input_release(&in_b);
    return same;
}
