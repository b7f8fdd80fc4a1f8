/* SPDX-License-Identifier: MIT */
/* Labels and morphology against SciPy and scikit-image, pixel for pixel. */
#include "golden.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void label_case(struct golden *g, clump_context *context)
{
    enum clump_type type = golden_type(g);
    const char *kind = golden_word(g);
    uint64_t rows = golden_count(g), cols = golden_count(g), seed = golden_count(g);
    uint64_t permille = golden_count(g), count = 0, again = 0;
    struct clump_label_params params = {(unsigned)golden_count(g)};
    uint8_t *bytes = golden_mask(kind, rows, cols, seed, permille);
    clump_image *mask = NULL, *labels = NULL;
    if (type == CLUMP_BITS) {
        mask = golden_upload_mask(context, bytes, rows, cols);
    } else {
        for (uint64_t i = 0; i < rows * cols; i++) /* any value but 0 is set */
            bytes[i] = bytes[i] ? (uint8_t)(1 + i % 255) : 0;
        ok(clump_image_upload(context, CLUMP_U8, rows, cols, bytes, &mask));
    }
    ok(clump_label(context, mask, &params, &labels, &count));
    golden_expect_count(g, "count", count);
    int32_t *numbers = golden_download(labels);
    golden_expect_hash(g, "the label image", numbers, rows * cols * sizeof *numbers);
    ok(clump_label(context, mask, &params, NULL, &again));
    cr_expect_eq(again, count, "line %u: without a label image the count differs", g->number);
    free(numbers);
    clump_image_destroy(&labels);
    clump_image_destroy(&mask);
    free(bytes);
}

Test(golden, label, .timeout = 300)
{
    clump_context *context = golden_context();
    struct golden g = golden_open("label");
    while (golden_line(&g))
        label_case(&g, context);
    golden_close(&g);
    clump_context_destroy(&context);
}

/* As custom() in make.py; the seed is the footprint's number of cells' own. */
static uint8_t *custom_cells(uint32_t rows, uint32_t cols, uint64_t seed)
{
    uint8_t *cells = malloc((size_t)rows * cols);
    for (uint64_t i = 0; i < (uint64_t)rows * cols; i++)
        cells[i] = i == 0 || golden_draw(seed, i) % 3 > 0;
    return cells;
}

/* Reads shape and size (or connectivity and area); returns cells to be freed, or NULL. */
static uint8_t *read_footprint(struct golden *g, struct clump_morphology_params *p)
{
    static const char *const shapes[] = {"disk", "square", "diamond", "custom", NULL};
    if (p->operation == CLUMP_MORPHOLOGY_REMOVE) {
        p->connectivity = (unsigned)golden_count(g);
        p->min_area = golden_count(g);
        return NULL;
    }
    if (p->operation == CLUMP_MORPHOLOGY_FILL) {
        golden_word(g);
        golden_word(g);
        return NULL;
    }
    p->footprint.kind = (enum clump_footprint_kind)golden_choice(g, shapes);
    if (p->footprint.kind != CLUMP_FOOTPRINT_CUSTOM) {
        p->footprint.size = (uint32_t)golden_count(g);
        return NULL;
    }
    uint64_t seed;
    cr_assert_eq(sscanf(golden_word(g), "%ux%u", &p->footprint.rows, &p->footprint.cols), 2);
    seed = golden_count(g);
    uint8_t *cells = custom_cells(p->footprint.rows, p->footprint.cols, seed);
    p->footprint.cells = cells;
    return cells;
}

static void morphology_case(struct golden *g, clump_context *context)
{
    static const char *const operations[] = {"erosion", "dilation", "opening", "closing",
                                             "fill",    "remove",   NULL};
    const char *kind = golden_word(g);
    uint64_t rows = golden_count(g), cols = golden_count(g), seed = golden_count(g), set = 0;
    uint64_t permille = golden_count(g);
    struct clump_morphology_params p = clump_morphology_defaults;
    p.operation = (enum clump_morphology_operation)golden_choice(g, operations);
    uint8_t *cells = read_footprint(g, &p), *bytes = golden_mask(kind, rows, cols, seed, permille);
    clump_image *mask = golden_upload_mask(context, bytes, rows, cols), *result = NULL;
    ok(clump_morphology(context, mask, &p, &result));
    uint8_t *found = golden_download_mask(result);
    for (uint64_t i = 0; i < rows * cols; i++)
        set += found[i];
    golden_expect_count(g, "count", set);
    golden_expect_hash(g, "the mask", found, rows * cols);
    free(found);
    clump_image_destroy(&result);
    clump_image_destroy(&mask);
    free(bytes);
    free(cells);
}

Test(golden, morphology, .timeout = 300)
{
    clump_context *context = golden_context();
    struct golden g = golden_open("morphology");
    while (golden_line(&g))
        morphology_case(&g, context);
    golden_close(&g);
    clump_context_destroy(&context);
}
