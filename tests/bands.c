/* SPDX-License-Identifier: MIT */
/*
 * Bands: whatever way the rows of an image are cut, the results are those of the whole image, to
 * the last bit, which the reference makes by another way.
 */
#include "support.h"

#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <clump/bands.h>

static struct memory memory;
static uint64_t state = 1;

static uint64_t any(uint64_t below)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % below;
}

/* About normal noise. */
static double noise(void)
{
    double sum = 0;
    for (int i = 0; i < 12; i++)
        sum += (double)any(1 << 20) / (1 << 20);
    return sum - 6;
}

enum picture { SKY, SPIRAL, COMB, PILLAR, HOLES, DOTS, CHESS, FLAT, EMPTY, PICTURES };
static const char *const names[PICTURES] = {"sky",  "spiral", "comb", "pillar", "holes",
                                            "dots", "chess",  "flat", "empty"};

/* Whether a pixel stands out, in the worst ways for borders between rows. */
static bool stands_out(enum picture picture, int r, int c, int rows, int cols)
{
    int y = r < rows - 1 - r ? r : rows - 1 - r, x = c < cols - 1 - c ? c : cols - 1 - c;
    int ring = y < x ? y : x; /* distance from the border */
    switch (picture) {
    case SPIRAL: /* rings, cut where the next one begins */
        return ring % 2 == 0 ? !(r == ring + 1 && c == ring) : r == ring + 1 && c == ring;
    case COMB: /* teeth that only the last row joins, every second column */
        return c % 2 == 0 || r == rows - 1;
    case PILLAR: /* one region through all rows, others beside it */
        return c == cols / 2 || (c < cols / 3 && r % 4 == 0 && c % 5 < 3);
    case HOLES: /* frames with frames in them */
        return ring % 4 == 0 && ring < 12;
    case DOTS: /* in a frame, whose blank pixels are not theirs */
        return ring == 0 || (r % 4 == 2 && c % 6 == 3);
    case CHESS:
        return (r + c) % 2 == 0;
    default:
        return false;
    }
}

/* A value, from what the pixel is. Few stand out in a sky, and some of these are very bright. */
static double value(enum picture picture, int r, int c, int rows, int cols)
{
    double base = 100 + noise();
    if (picture == FLAT)
        return 7;
    if (picture == SKY && any(40) == 0)
        return base + (double)any(1 << any(20));
    return stands_out(picture, r, c, rows, cols) ? 5000 + 100 * noise() : base;
}

static void put(enum clump_type type, void *pixels, size_t i, double x)
{
    switch (type) {
    case CLUMP_U8:
        ((uint8_t *)pixels)[i] = (uint8_t)(x > 255 ? 255 : x / 2);
        break;
    case CLUMP_U16:
        ((uint16_t *)pixels)[i] = (uint16_t)(x > 65535 ? 65535 : x);
        break;
    case CLUMP_I16:
        ((int16_t *)pixels)[i] = (int16_t)(x > 32000 ? 32000 : x - 200);
        break;
    case CLUMP_I32:
        ((int32_t *)pixels)[i] = (int32_t)(x * 1000 - 1e5);
        break;
    case CLUMP_U32:
        ((uint32_t *)pixels)[i] = (uint32_t)(x * 100);
        break;
    case CLUMP_I64:
        ((int64_t *)pixels)[i] = (int64_t)(x * 1e9) - INT64_C(100000000000);
        break;
    case CLUMP_F32:
        ((float *)pixels)[i] = (float)(x - 100);
        break;
    default:
        ((double *)pixels)[i] = x / 3;
        break;
    }
}

/* Blank rows and pixels, and infinite ones, also within what stands out. */
static void spoil(enum clump_type type, void *pixels, int rows, int cols)
{
    bool stripe = any(2);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            if ((stripe && r > 2 && r < 6) || any(50) == 0)
                put(type, pixels, (size_t)(r * cols + c), NAN);
            else if (any(100) == 0)
                put(type, pixels, (size_t)(r * cols + c), any(2) ? INFINITY : -INFINITY);
}

struct input {
    enum clump_type type;
    int rows, cols;
    void *pixels;
    size_t row_bytes;
};

static struct input make(enum clump_type type, enum picture picture, int rows, int cols, bool blank)
{
    struct input in = {type, rows, cols, NULL, clump_type_row_bytes(type, (uint64_t)cols)};
    in.pixels = malloc((size_t)rows * in.row_bytes);
    for (int r = 0; r < rows; r++)
        for (int c = 0; c < cols; c++)
            put(type, in.pixels, (size_t)(r * cols + c), value(picture, r, c, rows, cols));
    if (blank && (type == CLUMP_F32 || type == CLUMP_F64))
        spoil(type, in.pixels, rows, cols);
    if (picture == EMPTY)
        for (int i = 0; i < rows * cols; i++)
            put(type, in.pixels, (size_t)i, type == CLUMP_F32 || type == CLUMP_F64 ? NAN : 0);
    return in;
}

/* How the rows are cut: 0, single rows; 1, one band; else at random. */
static uint64_t next_rows(int split, uint64_t left)
{
    uint64_t n = split == 0 ? 1 : split == 1 ? left : 1 + any(left);
    return n;
}

/* Gives all rows in all passes; `labels` may be NULL. */
static void feed(clump_context *context, clump_bands *bands, const struct input *in, int split,
                 int32_t *labels)
{
    bool more;
    for (unsigned pass = 0;; pass++) {
        ok(clump_bands_begin(bands, &more));
        if (!more)
            return;
        cr_assert_lt(pass, 40);
        bool labelling = clump_bands_labelling(bands);
        for (uint64_t row = 0, n; row < (uint64_t)in->rows; row += n) {
            clump_image *band = NULL, *numbers = NULL;
            n = next_rows(split, (uint64_t)in->rows - row);
            ok(clump_image_upload(context, in->type, n, (uint64_t)in->cols,
                                  (char *)in->pixels + row * in->row_bytes, &band));
            ok(clump_bands_rows(bands, band, labels ? &numbers : NULL));
            cr_assert_eq(labels && labelling, numbers != NULL);
            if (numbers)
                ok(clump_image_download(numbers, labels + row * (uint64_t)in->cols));
            clump_image_destroy(&numbers);
            clump_image_destroy(&band);
        }
        cr_assert_eq(clump_bands_finish(bands), CLUMP_OK, "%s", memory.text);
    }
}

static bool same(const void *a, const void *b, size_t bytes) { return memcmp(a, b, bytes) == 0; }

static bool same_clip(const struct clump_clip_result *a, const struct clump_clip_result *b)
{
    return same(&a->lower, &b->lower, 3 * sizeof(double)) && a->iterations == b->iterations &&
           a->converged == b->converged && same(&a->before, &b->before, sizeof a->before) &&
           same(&a->after, &b->after, sizeof a->after);
}

static bool same_region(const struct clump_region *a, const struct clump_region *b)
{
    return same(a, b, offsetof(struct clump_region, flags)) && a->flags == b->flags;
}

static struct clump_bands_params params_of(const struct input *in, enum clump_bands_task task)
{
    return (struct clump_bands_params){.task = task,
                                       .type = in->type,
                                       .rows = (uint64_t)in->rows,
                                       .cols = (uint64_t)in->cols,
                                       .memory = any(2) ? 0 : 1 + any(1 << 12)};
}

static clump_bands *begin(clump_context *context, const struct clump_bands_params *params,
                          const struct input *in)
{
    clump_bands *bands = NULL;
    clump_image *hint = NULL;
    ok(clump_bands_create(context, params, &bands));
    if (any(2)) {
        ok(clump_image_upload(context, in->type, (uint64_t)(in->rows + 1) / 2, (uint64_t)in->cols,
                              in->pixels, &hint));
        ok(clump_bands_hint(bands, hint));
        clump_image_destroy(&hint);
    }
    return bands;
}

static void check_stats(clump_context *context, clump_context *judge, const clump_image *whole,
                        const struct input *in, int split, const char *name)
{
    const double wanted[] = {0, 0.01, 0.37, 0.5, 1};
    double expected[5], found[5];
    struct clump_stats_params stats = clump_stats_defaults;
    struct clump_stats_result right, result;
    stats.quantiles = wanted;
    stats.quantile_count = 5;
    stats.ddof = 1;
    stats.mad = any(2);
    ok(clump_stats(judge, whole, &stats, expected, &right));
    struct clump_bands_params params = params_of(in, CLUMP_BANDS_STATS);
    params.stats = &stats;
    clump_bands *bands = begin(context, &params, in);
    feed(context, bands, in, split, NULL);
    ok(clump_bands_stats(bands, found, &result));
    cr_assert(same(&result, &right, sizeof right), "stats of %s in bands differ", name);
    cr_assert(same(found, expected, sizeof found), "quantiles of %s in bands differ", name);
    clump_bands_destroy(&bands);
}

static void check_clip(clump_context *context, clump_context *judge, const clump_image *whole,
                       const struct input *in, int split, const char *name)
{
    struct clump_clip_params clip = clump_clip_defaults;
    struct clump_clip_result right, result;
    clip.mad = any(2);
    clip.scale = any(2) ? CLUMP_CLIP_SCALE_MAD : CLUMP_CLIP_SCALE_STD;
    clip.kappa_low = 2 + (double)any(3);
    ok(clump_clip(judge, whole, &clip, NULL, NULL, &right));
    struct clump_bands_params params = params_of(in, CLUMP_BANDS_CLIP);
    params.clip = &clip;
    clump_bands *bands = begin(context, &params, in);
    feed(context, bands, in, split, NULL);
    ok(clump_bands_clip(bands, &result));
    cr_assert(same_clip(&result, &right), "clipping of %s in bands differs", name);
    clump_bands_destroy(&bands);
}

static void check_find(clump_context *context, clump_context *judge, const clump_image *whole,
                       const struct input *in, int split, const char *name)
{
    struct clump_find_params find = clump_find_defaults;
    struct clump_find_result right = {0}, result = {0};
    clump_image *numbers = NULL;
    size_t pixels = (size_t)(in->rows * in->cols);
    int32_t *labels = calloc(pixels, sizeof *labels), *expected = calloc(pixels, sizeof *expected);
    find.connectivity = any(2) ? 4 : 8;
    find.sigmas = 1 + (double)any(5);
    find.min_area = any(3);
    find.level = any(3) ? CLUMP_FIND_LEVEL_MEDIAN : CLUMP_FIND_LEVEL_ZERO;
    find.subtract = any(4) != 0;
    bool wanted = any(3) != 0;
    struct clump_bands_params params = params_of(in, CLUMP_BANDS_FIND);
    params.find = &find;
    ok(clump_find(judge, whole, &find, &numbers, &right));
    ok(clump_image_download(numbers, expected));
    clump_bands *bands = begin(context, &params, in);
    feed(context, bands, in, split, wanted ? labels : NULL);
    ok(clump_bands_find(bands, &result));
    cr_assert(same_clip(&result.clip, &right.clip), "clipping for find of %s differs", name);
    cr_assert(same(&result.level, &right.level, sizeof right.level) &&
              same(&result.threshold, &right.threshold, sizeof right.threshold) &&
              same(&result.expected_false, &right.expected_false, sizeof right.expected_false) &&
              result.subtracted == right.subtracted);
    cr_assert_eq(result.count, right.count);
    for (uint64_t i = 0; i < right.count; i++)
        cr_assert(same_region(&result.regions[i], &right.regions[i]),
                  "source %d of %s differs: area %d, sum %.17g and %.17g, flags %u and %u",
                  (int)i + 1, name, (int)right.regions[i].area, result.regions[i].sum,
                  right.regions[i].sum, result.regions[i].flags, right.regions[i].flags);
    cr_assert(!wanted || same(labels, expected, pixels * sizeof *labels), "labels of %s differ",
              name);
    clump_find_release(&right);
    clump_find_release(&result);
    clump_bands_destroy(&bands);
    clump_image_destroy(&numbers);
    free(expected);
    free(labels);
}

/* All pictures and types, each cut in three ways. Destroys the context. */
static void check_all(clump_context *context, uint64_t seed, bool small)
{
    static const enum clump_type types[] = {CLUMP_F32, CLUMP_F64, CLUMP_U8,  CLUMP_I16,
                                            CLUMP_U16, CLUMP_I32, CLUMP_U32, CLUMP_I64};
    clump_context *judge = open_context("reference", NULL);
    state = seed;
    for (int t = 0; t < (small ? 4 : 8); t++)
        for (int p = 0; p < PICTURES; p++)
            for (int split = 0; split < 3; split++) {
                int rows = 1 + (int)any(40), cols = 1 + (int)any(90);
                bool blank = any(2);
                struct input in = make(types[t], (enum picture)p, rows, cols, blank);
                char name[100];
                clump_image *whole = NULL;
                struct clump_stats_result about;
                snprintf(name, sizeof name, "%s, %d x %d %s%s, cut in way %d", names[p], rows, cols,
                         clump_type_text(in.type), blank ? " with blanks" : "", split);
                ok(clump_image_upload(judge, in.type, (uint64_t)rows, (uint64_t)cols, in.pixels,
                                      &whole));
                ok(clump_stats(judge, whole, NULL, NULL, &about));
                check_stats(context, judge, whole, &in, split, name);
                check_clip(context, judge, whole, &in, split, name);
                if (about.count > about.infinite)
                    check_find(context, judge, whole, &in, split, name);
                clump_image_destroy(&whole);
                free(in.pixels);
            }
    clump_context_destroy(&judge);
    clump_context_destroy(&context);
}

Test(bands, equal_the_whole_on_the_reference, .timeout = 250)
{
    check_all(open_context("reference", &memory), 8, false);
    check_all(open_context("reference", &memory), 9, true);
}

Test(bands, equal_the_whole_on_the_device, .timeout = 250)
{
    check_all(open_context(NULL, &memory), 9, false);
}

Test(bands, equal_the_whole_in_the_fine_layout, .timeout = 250)
{
    struct clump_context_params params = clump_context_defaults;
    clump_context *context = NULL;
    params.layout = CLUMP_CONTEXT_LAYOUT_FINE;
    params.log = remember(&memory);
    ok(clump_context_create(&params, &context));
    check_all(context, 10, true);
}

/* A hint that fits badly: the rest of the first wide bin is no multiple of what it is split into.
 */
Test(bands, a_bin_is_split_twice)
{
    clump_context *context = open_context("reference", &memory);
    struct clump_bands_params params = {
        .task = CLUMP_BANDS_CLIP, .type = CLUMP_I64, .rows = 2, .cols = 1024, .memory = 1};
    struct clump_clip_result right, result;
    static int64_t pixels[2048], far[1024];
    clump_image *whole = NULL, *hint = NULL;
    clump_bands *bands = NULL;
    for (int i = 0; i < 2048; i++)
        pixels[i] = (int64_t)any(UINT64_C(1) << 31) - (INT64_C(1) << 30);
    for (int i = 0; i < 1024; i++)
        far[i] = (INT64_C(1) << 40) - (INT64_C(1) << 48) + i * (INT64_C(1) << 24);
    ok(clump_image_upload(context, CLUMP_I64, 2, 1024, pixels, &whole));
    ok(clump_image_upload(context, CLUMP_I64, 1, 1024, far, &hint));
    ok(clump_bands_create(context, &params, &bands));
    ok(clump_bands_hint(bands, hint));
    const struct input in = {CLUMP_I64, 2, 1024, pixels, sizeof far};
    feed(context, bands, &in, 0, NULL);
    ok(clump_bands_clip(bands, &result));
    ok(clump_clip(context, whole, NULL, NULL, NULL, &right));
    cr_expect(same_clip(&result, &right));
    clump_bands_destroy(&bands);
    clump_image_destroy(&hint);
    clump_image_destroy(&whole);
    clump_context_destroy(&context);
}

/* The call must fail with ARGUMENT and one line that has `part`. */
#define refused(call, part)                                                                        \
    do {                                                                                           \
        memory = (struct memory){0};                                                               \
        cr_expect_eq((call), CLUMP_ERROR_ARGUMENT, "%s", #call);                                   \
        cr_expect_eq(memory.errors, 1, "%s says: %s", #call, memory.text);                         \
        cr_assert_contains(memory.text, part);                                                     \
    } while (0)

Test(bands, refuse_what_makes_no_sense)
{
    clump_context *context = open_context("reference", &memory);
    struct clump_bands_params params = {.type = CLUMP_BITS, .rows = 4, .cols = 3};
    const float pixels[5 * 3] = {1};
    const double quantile = 2;
    struct clump_stats_params stats = clump_stats_defaults;
    struct clump_clip_params clip = clump_clip_defaults;
    struct clump_stats_result result;
    struct clump_clip_result clipped;
    clump_bands *bands = NULL;
    clump_image *image = NULL, *wide = NULL, *two = NULL;
    bool more;
    refused(clump_bands_create(context, &params, &bands), "must be numbers, not bits");
    params.type = CLUMP_F32;
    params.rows = (UINT64_C(1) << 28) + 1;
    refused(clump_bands_create(context, &params, &bands), "268435457 x 3");
    params.rows = 0;
    refused(clump_bands_create(context, &params, &bands), "not 0 x 3");
    params.rows = 4;
    params.task = (enum clump_bands_task)9;
    refused(clump_bands_create(context, &params, &bands), "9 is not a task");
    params.task = CLUMP_BANDS_STATS;
    stats.quantiles = &quantile;
    stats.quantile_count = 1;
    params.stats = &stats;
    refused(clump_bands_create(context, &params, &bands), "quantile 2 is not between 0 and 1");
    params.task = CLUMP_BANDS_CLIP;
    clip.kappa_low = 0;
    params.clip = &clip;
    refused(clump_bands_create(context, &params, &bands), "kappa_low");
    params.clip = NULL;
    ok(clump_bands_create(context, &params, &bands));
    ok(clump_image_upload(context, CLUMP_F32, 5, 3, pixels, &image));
    ok(clump_image_upload(context, CLUMP_F32, 3, 5, pixels, &wide));
    ok(clump_image_upload(context, CLUMP_F32, 2, 3, pixels, &two));
    refused(clump_bands_rows(bands, two, NULL), "no pass has begun");
    refused(clump_bands_finish(bands), "no pass has begun");
    ok(clump_bands_begin(bands, &more));
    cr_expect(more);
    refused(clump_bands_begin(bands, &more), "was not finished");
    refused(clump_bands_hint(bands, two), "before the first pass");
    refused(clump_bands_rows(bands, image, NULL), "5 rows more were given where 4 are left of 4");
    refused(clump_bands_rows(bands, wide, NULL), "rows of 5 pixels");
    ok(clump_bands_rows(bands, two, NULL));
    refused(clump_bands_finish(bands), "only 2 of 4 rows");
    refused(clump_bands_clip(bands, &clipped), "passes are left");
    refused(clump_bands_stats(bands, NULL, &result), "not the result");
    clump_bands_destroy(&bands);
    clump_image_destroy(&two);
    clump_image_destroy(&wide);
    clump_image_destroy(&image);
    clump_context_destroy(&context);
}

Test(bands, without_a_finite_pixel_nothing_is_found)
{
    clump_context *context = open_context("reference", &memory);
    const float blank[3] = {NAN, NAN, INFINITY};
    const struct clump_bands_params params = {.task = CLUMP_BANDS_FIND,
                                              .type = CLUMP_F32,
                                              .rows = 1,
                                              .cols = 3};
    struct clump_find_result found = {0};
    clump_bands *bands = NULL;
    clump_image *image = NULL;
    bool more;
    ok(clump_image_upload(context, CLUMP_F32, 1, 3, blank, &image));
    ok(clump_bands_create(context, &params, &bands));
    ok(clump_bands_begin(bands, &more));
    ok(clump_bands_rows(bands, image, NULL));
    refused(clump_bands_finish(bands), "none of the image's 1 x 3 pixels is finite");
    refused(clump_bands_find(bands, &found), "a call has failed before");
    clump_bands_destroy(&bands);
    clump_image_destroy(&image);
    clump_context_destroy(&context);
}
