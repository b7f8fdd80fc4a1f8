/* SPDX-License-Identifier: MIT */
#include "pair.h"

#include <stdlib.h>

/* Whole numbers of the case's own type, whatever it can hold. */
static enum clump_status prepare(clump_context *context, const struct pair_case *test,
                                 struct pair_input *in)
{
    clump_image *whole = NULL;
    if (!(PAIR_FLOATS & 1u << test->type))
        return clump_convert(context, in->image, test->type, &in->extra[0]);
    enum clump_status status = clump_convert(context, in->image, CLUMP_I32, &whole);
    if (!status)
        status = clump_convert(context, whole, test->type, &in->extra[0]);
    clump_image_destroy(&whole);
    return status;
}

#define MOST    300
#define COLUMNS 5

/* A table of some labels near zero and of some at the ends; without gaps for odd seeds, and empty
 * for seed 2. */
static enum clump_status run(clump_context *context, const struct pair_case *test,
                             const struct pair_input *in, struct pair_output *out)
{
    static const enum clump_type types[] = {CLUMP_U8, CLUMP_I16, CLUMP_F32, CLUMP_I64};
    uint64_t state = test->seed + 77, values[MOST * COLUMNS];
    int64_t labels[MOST], label = test->seed & 1 ? -20 : INT64_MIN;
    unsigned most = test->seed & 1 ? 100 : MOST - 1;
    struct clump_lookup_table table = {.labels = labels, .values = values};
    for (unsigned i = 0; i < MOST * COLUMNS; i++)
        values[i] = pair_random(&state) >> 2; /* no NaN, whose bits a comparison does not see */
    for (table.count = 0; table.count < most && test->seed != 2; table.count++) {
        labels[table.count] = label;
        label = label == INT64_MIN ? -100 : label + 1;
        label += test->seed & 1 ? 0 : (int64_t)(pair_random(&state) % 3);
    }
    if (table.count && !(test->seed & 1))
        labels[table.count++] = INT64_MAX;
    table.type = types[test->seed % 4];
    if (table.type == CLUMP_I64 && test->type == CLUMP_F64) /* which some devices do not take */
        table.type = CLUMP_F64;
    table.columns = test->seed % 3 ? 1 : 1 + (uint32_t)(test->seed % COLUMNS);
    table.otherwise = test->seed & 4 ? values + MOST : NULL;
    clump_image *made;
    enum clump_status status = clump_lookup(context, in->extra[0], &table, &made);
    if (!status)
        pair_add_image(out, "values", made);
    return status;
}

static enum clump_status prepare_cells(clump_context *context, const struct pair_case *test,
                                       struct pair_input *in)
{
    struct clump_threshold_params above = clump_threshold_defaults;
    clump_image *mask = NULL;
    uint64_t count;
    (void)test;
    above.above = PAIR_CELLS_LEVEL;
    enum clump_status status = clump_threshold(context, in->image, &above, &mask, NULL);
    if (!status)
        status = clump_label(context, mask, NULL, &in->extra[0], &count);
    clump_image_destroy(&mask);
    return status;
}

/* Labels of cells, most of which are taken away, are numbered again. */
static enum clump_status run_relabel(clump_context *context, const struct pair_case *test,
                                     const struct pair_input *in, struct pair_output *out)
{
    clump_image *kept = NULL, *made = NULL, *some = NULL;
    uint64_t count = 0;
    struct clump_operand label = {.image = in->extra[0]},
                         chosen = {.number = (double)(1 + test->seed % 7), .whole = true};
    struct clump_threshold_params above = clump_threshold_defaults;
    above.above = chosen.number;
    const struct clump_operand zero = {.number = 0, .whole = true};
    enum clump_status status = clump_threshold(context, label.image, &above, &kept, NULL);
    if (!status)
        status = clump_select(context, kept, &label, &zero, &some);
    if (!status)
        status = clump_relabel(context, some, &made, &count);
    clump_image_destroy(&some);
    clump_image_destroy(&kept);
    if (status)
        return status;
    pair_add_image(out, "labels", made);
    pair_add_number(out, "count", (double)count);
    return status;
}

/* Reads labels, writes values. */
static double bytes(const struct pair_case *test) { return 2 * pair_image_bytes(test, CLUMP_I32); }

const struct pair pair_lookup = {
    .name = "lookup",
    .operation = "lookup",
    .types = PAIR_NUMBERS,
    .picture = pair_picture_bits,
    .prepare = prepare,
    .run = run,
};

const struct pair pair_relabel = {
    .name = "relabel",
    .operation = "relabel",
    .types = PAIR_FLOATS,
    .picture = pair_picture_cells,
    .prepare = prepare_cells,
    .run = run_relabel,
    .bytes = bytes,
};
