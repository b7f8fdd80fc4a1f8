/* SPDX-License-Identifier: MIT */
#include "golden.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct golden golden_open(const char *name)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/%s.txt", GOLDEN_DIR, name);
    struct golden golden = {.file = fopen(path, "r")};
    cr_assert(golden.file, "%s cannot be opened", path);
    for (int i = 0; i < 2; i++) {
        cr_assert(golden_line(&golden));
        cr_assert_eq(golden.text[0], '#', "%s:%u", path, golden.number);
    }
    return golden;
}

void golden_close(struct golden *golden)
{
    cr_assert_gt(golden->number, 2, "no case was read");
    fclose(golden->file);
    free(golden->text);
}

bool golden_line(struct golden *golden)
{
    if (getline(&golden->text, &golden->size, golden->file) < 0)
        return false;
    golden->next = golden->text;
    golden->number++;
    return true;
}

const char *golden_word(struct golden *golden)
{
    char *word = strtok_r(golden->next, " \n", &golden->next);
    cr_assert(word, "line %u has too few words", golden->number);
    return word;
}

double golden_number(struct golden *golden)
{
    const char *word = golden_word(golden);
    char *end;
    double value = strtod(word, &end);
    cr_assert(!*end, "line %u: %s is no number", golden->number, word);
    return value;
}

uint64_t golden_count(struct golden *golden)
{
    const char *word = golden_word(golden);
    char *end;
    uint64_t value = strtoull(word, &end, 10);
    cr_assert(!*end, "line %u: %s is no count", golden->number, word);
    return value;
}

int golden_choice(struct golden *golden, const char *const *words)
{
    const char *word = golden_word(golden);
    for (int i = 0; words[i]; i++)
        if (!strcmp(word, words[i]))
            return i;
    cr_assert(false, "line %u: %s is unknown", golden->number, word);
    return 0;
}

enum clump_type golden_type(struct golden *golden)
{
    const char *word = golden_word(golden);
    int type = 0;
    while (type < CLUMP_TYPE_COUNT && strcmp(word, clump_type_text((enum clump_type)type)))
        type++;
    cr_assert_lt(type, CLUMP_TYPE_COUNT, "line %u: no type %s", golden->number, word);
    return (enum clump_type)type;
}

void golden_expect(struct golden *golden, const char *what, double value, double tolerance)
{
    double wanted = golden_number(golden);
    bool same = isnan(wanted) ? isnan(value) : value == wanted || fabs(value - wanted) <= tolerance;
    if (tolerance == 0 && wanted == 0)
        same = value == 0 && !signbit(value);
    cr_expect(same, "line %u: %s is %a (%.17g), must be %a (%.17g)", golden->number, what, value,
              value, wanted, wanted);
}

void golden_expect_count(struct golden *golden, const char *what, uint64_t value)
{
    uint64_t wanted = golden_count(golden);
    cr_expect_eq(value, wanted, "line %u: %s is %" PRIu64 ", must be %" PRIu64, golden->number,
                 what, value, wanted);
}

void golden_expect_hash(struct golden *golden, const char *what, const void *bytes, size_t size)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * UINT64_C(0x100000001b3);
    char text[17];
    snprintf(text, sizeof text, "%016" PRIx64, hash);
    cr_expect_str_eq(text, golden_word(golden), "line %u: %s differs", golden->number, what);
}

clump_context *golden_context(void)
{
    const char *device = getenv("CLUMP_TEST_DEVICE");
    return open_context(device ? device : "reference", NULL);
}

bool golden_takes(clump_context *context, enum clump_type type)
{
    return type != CLUMP_F64 || clump_context_device(context)->fp64;
}

uint64_t golden_draw(uint64_t seed, uint64_t i)
{
    uint64_t z = seed * UINT64_C(0x9e3779b97f4a7c15) + (i + 1) * UINT64_C(0xd1b54a32d192ed03);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static int64_t bits(uint64_t h, int low, int count)
{
    return (int64_t)(h >> low & ((UINT64_C(1) << count) - 1));
}

static int64_t bell(uint64_t h)
{
    int64_t sum = bits(h, 0, 16) + bits(h, 16, 16) + bits(h, 32, 16) + bits(h, 48, 16) - 2 * 65536;
    return h % 101 ? sum : 64 * llabs(sum);
}

static bool is(const char *kind, const char *name) { return !strcmp(kind, name); }

/* Just below the edges of 256 bins from -1/3 to 5/3, where rounding decides on the bin. */
static double edge_pixel(bool f32, uint64_t h, uint64_t i)
{
    double low = -1.0 / 3, high = 5.0 / 3;
    if (f32) {
        low = (double)(float)low;
        high = (double)(float)high;
    }
    double edge = (double)(1 + h % 255) * ((high - low) / 256) + low;
    if (i < 2)
        return i ? high : low;
    return f32 ? (double)nextafterf((float)edge, -9) : nextafter(edge, -9);
}

static double real_pixel(enum clump_type type, const char *kind, uint64_t h, uint64_t i)
{
    bool f32 = type == CLUMP_F32;
    int64_t wide = bits(h, 40, 24) - (1 << 23), narrow = bits(h, 40, 20) - (1 << 19);
    if (is(kind, "constant"))
        return 7.25;
    if (is(kind, "two"))
        return h & 1 ? 5.5 : 1.5;
    if (is(kind, "tails"))
        return ldexp((double)wide, (int)(h % 120) - 80);
    if (is(kind, "denormal"))
        return ldexp((double)narrow, f32 ? -149 : -1074);
    if (is(kind, "extremes"))
        return ldexp((double)narrow, h & 1 ? 80 : -120);
    if (is(kind, "huge"))
        return ldexp((double)wide, f32 ? 105 : 1001);
    if (is(kind, "adjacent"))
        return 1 + (h % 3 == 0) * ldexp(1, f32 ? -23 : -52);
    if (is(kind, "narrow"))
        return 1 + (double)(h % 100) * ldexp(1, f32 ? -23 : -52);
    if (is(kind, "edges"))
        return edge_pixel(f32, h, i);
    if (is(kind, "zero"))
        return h & 1 ? -0.0 : 0.0;
    if (is(kind, "uniform"))
        return ldexp((double)wide, -20);
    if (is(kind, "offset"))
        return ldexp((double)(bits(h, 44, 10) + (1 << 23)), -3);
    if (is(kind, "allblank") || (is(kind, "blank") && h % 7 == 0) ||
        (is(kind, "infinite") && h % 53 == 2))
        return (double)NAN;
    if ((is(kind, "infinite") || is(kind, "plusinfinite")) && h % 53 == 0)
        return (double)INFINITY;
    if (is(kind, "infinite") && h % 53 == 1)
        return -(double)INFINITY;
    return ldexp((double)bell(h), -10);
}

static int64_t whole_pixel(enum clump_type type, const char *kind, uint64_t h, uint64_t i)
{
    bool narrow = type == CLUMP_U8, middle = type == CLUMP_U16 || type == CLUMP_I16;
    bool is_unsigned = narrow || type == CLUMP_U16 || type == CLUMP_U32;
    if (is(kind, "constant"))
        return 7;
    if (is(kind, "two"))
        return h & 1 ? 11 : 3;
    if (is(kind, "full"))
        return (int64_t)h;
    if (is(kind, "ramp"))
        return (int64_t)i;
    int64_t value = (bell(h) >> (narrow ? 12 : middle ? 5 : 0)) + (narrow ? 128 : 20000);
    int64_t top = narrow ? 255 : middle ? 32767 : 1 << 24, low = is_unsigned ? 0 : -top;
    return value < low ? low : value > top ? top : value;
}

void *golden_pixels(enum clump_type type, const char *kind, uint64_t rows, uint64_t cols,
                    uint64_t seed)
{
    void *p = malloc(clump_type_row_bytes(type, cols) * rows);
    for (uint64_t i = 0; i < rows * cols; i++) {
        uint64_t h = golden_draw(seed, i);
        int64_t whole = whole_pixel(type, kind, h, i);
        switch (type) {
        case CLUMP_U8:
            ((uint8_t *)p)[i] = (uint8_t)whole;
            break;
        case CLUMP_U16:
            ((uint16_t *)p)[i] = (uint16_t)whole;
            break;
        case CLUMP_I16:
            ((int16_t *)p)[i] = (int16_t)whole;
            break;
        case CLUMP_I32:
            ((int32_t *)p)[i] = (int32_t)whole;
            break;
        case CLUMP_U32:
            ((uint32_t *)p)[i] = (uint32_t)whole;
            break;
        case CLUMP_I64:
            ((int64_t *)p)[i] = whole;
            break;
        case CLUMP_F32:
            ((float *)p)[i] = (float)real_pixel(type, kind, h, i);
            break;
        default:
            ((double *)p)[i] = real_pixel(type, kind, h, i);
            break;
        }
    }
    return p;
}

static uint64_t least(uint64_t a, uint64_t b) { return a < b ? a : b; }

static bool near_a_seed(uint64_t rows, uint64_t cols, uint64_t seed, uint64_t permille, int64_t r,
                        int64_t c)
{
    for (int64_t y = r - 2; y <= r + 2; y++)
        for (int64_t x = c - 2; x <= c + 2; x++)
            if (y >= 0 && x >= 0 && y < (int64_t)rows && x < (int64_t)cols &&
                llabs(y - r) + llabs(x - c) <= 2 &&
                golden_draw(seed, (uint64_t)y * cols + (uint64_t)x) % 1000 < permille)
                return true;
    return false;
}

static bool mask_pixel(const char *kind, uint64_t rows, uint64_t cols, uint64_t seed,
                       uint64_t permille, uint64_t r, uint64_t c)
{
    if (is(kind, "noise"))
        return golden_draw(seed, r * cols + c) % 1000 < permille;
    if (is(kind, "checkerboard"))
        return (r + c) % 2 == 0;
    if (is(kind, "comb"))
        return c % 2 == 0 || r == rows - 1;
    if (is(kind, "hanging"))
        return c % 2 == 0 || r == 0;
    if (is(kind, "serpent"))
        return r % 2 == 0 || c == (r % 4 == 1 ? cols - 1 : 0);
    if (is(kind, "spiral")) {
        uint64_t d = least(least(r, c), least(rows - 1 - r, cols - 1 - c));
        return (d % 2 == 0) != (c == d && r == d + 1);
    }
    if (is(kind, "stairs"))
        return (r + c) % 4 == 0;
    if (is(kind, "blobs"))
        return near_a_seed(rows, cols, seed, permille, (int64_t)r, (int64_t)c);
    return is(kind, "ones");
}

uint8_t *golden_mask(const char *kind, uint64_t rows, uint64_t cols, uint64_t seed,
                     uint64_t permille)
{
    uint8_t *bytes = malloc(rows * cols);
    for (uint64_t i = 0; i < rows * cols; i++)
        bytes[i] = mask_pixel(kind, rows, cols, seed, permille, i / cols, i % cols);
    return bytes;
}

clump_image *golden_image(clump_context *context, enum clump_type type, const char *kind,
                          uint64_t rows, uint64_t cols, uint64_t seed)
{
    clump_image *image = NULL;
    void *pixels = golden_pixels(type, kind, rows, cols, seed);
    ok(clump_image_upload(context, type, rows, cols, pixels, &image));
    free(pixels);
    return image;
}

clump_image *golden_upload_mask(clump_context *context, const uint8_t *bytes, uint64_t rows,
                                uint64_t cols)
{
    clump_image *mask = NULL;
    size_t words = clump_type_row_bytes(CLUMP_BITS, cols) / 4;
    uint32_t *packed = calloc(rows * words, sizeof *packed);
    for (uint64_t i = 0; i < rows * cols; i++)
        packed[i / cols * words + i % cols / 32] |= (uint32_t)bytes[i] << (i % cols % 32);
    ok(clump_image_upload(context, CLUMP_BITS, rows, cols, packed, &mask));
    free(packed);
    return mask;
}

void *golden_download(const clump_image *image)
{
    size_t row = clump_type_row_bytes(clump_image_type(image), clump_image_cols(image));
    void *pixels = malloc(row * clump_image_rows(image));
    ok(clump_image_download(image, pixels));
    return pixels;
}

uint8_t *golden_download_mask(const clump_image *mask)
{
    void *pixels = golden_download(mask);
    if (clump_image_type(mask) == CLUMP_U8)
        return pixels;
    uint64_t rows = clump_image_rows(mask), cols = clump_image_cols(mask);
    size_t words = clump_type_row_bytes(CLUMP_BITS, cols) / 4;
    uint8_t *bytes = malloc(rows * cols);
    for (uint64_t r = 0; r < rows; r++)
        for (uint64_t c = 0; c < words * 32; c++) {
            uint8_t bit = ((uint32_t *)pixels)[r * words + c / 32] >> (c % 32) & 1;
            if (c < cols)
                bytes[r * cols + c] = bit;
            else
                cr_expect_eq(bit, 0, "a bit past the last column is set");
        }
    free(pixels);
    return bytes;
}

static double value_at(const clump_image *image, const void *pixels, uint64_t i)
{
    return clump_image_type(image) == CLUMP_F32 ? (double)((const float *)pixels)[i]
                                                : ((const double *)pixels)[i];
}

void golden_expect_sampled(struct golden *golden, const clump_image *image, uint64_t seed,
                           double tolerance)
{
    uint64_t rows = clump_image_rows(image), cols = clump_image_cols(image), size = rows * cols;
    uint64_t wanted_rows = golden_count(golden), wanted_cols = golden_count(golden);
    cr_assert(rows == wanted_rows && cols == wanted_cols, "line %u: %" PRIu64 " x %" PRIu64,
              golden->number, rows, cols);
    void *pixels = golden_download(image);
    const uint64_t corners[4] = {0, cols - 1, size - cols, size - 1};
    for (uint64_t i = 0; i < 20; i++) {
        uint64_t place = i < 4 ? corners[i] : golden_draw(seed, i - 4) % size;
        golden_expect(golden, "a value", value_at(image, pixels, place), tolerance);
    }
    double sum = 0;
    uint64_t nan = 0;
    for (uint64_t i = 0; i < size; i++) {
        double value = value_at(image, pixels, i);
        if (isnan(value))
            nan++;
        else
            sum += golden_draw(seed + 1, i) & 1 ? value : -value;
    }
    golden_expect(golden, "the signed sum", sum, tolerance * (double)size);
    golden_expect_count(golden, "NaN", nan);
    free(pixels);
}

clump_image *golden_real_image(clump_context *context, enum clump_type type, uint64_t rows,
                               uint64_t cols, uint64_t seed, bool nan)
{
    clump_image *image = NULL;
    void *pixels = malloc(clump_type_row_bytes(type, cols) * rows);
    for (uint64_t i = 0; i < rows * cols; i++) {
        uint64_t h = golden_draw(seed, i);
        double value =
            nan && h % 9 == 0 ? (double)NAN : ldexp((double)(bits(h, 40, 24) - (1 << 23)), -22);
        if (type == CLUMP_F32)
            ((float *)pixels)[i] = (float)value;
        else
            ((double *)pixels)[i] = value;
    }
    ok(clump_image_upload(context, type, rows, cols, pixels, &image));
    free(pixels);
    return image;
}

double *golden_weights(uint64_t rows, uint64_t cols, uint64_t seed, bool positive)
{
    double *weights = malloc(rows * cols * sizeof *weights);
    for (uint64_t i = 0; i < rows * cols; i++) {
        uint64_t h = golden_draw(seed, i);
        weights[i] = positive ? ldexp((double)(bits(h, 44, 20) + (1 << 16)), -20)
                              : ldexp((double)(bits(h, 40, 24) - (1 << 23)), -23);
    }
    return weights;
}
