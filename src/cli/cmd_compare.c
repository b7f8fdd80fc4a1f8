/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <inttypes.h>

static struct clump_allclose_params set;

static void set_defaults(void) { set = clump_allclose_defaults; }

static const struct option options[] = {
    {"rtol", 'r', OPTION_DOUBLE, &set.rtol, "R", "tolerance for each unit of |B| (@)"},
    {"atol", 'a', OPTION_DOUBLE, &set.atol, "A", "tolerance that is always allowed (@)"},
    {"equal-nan", 'n', OPTION_FLAG, &set.equal_nan, NULL, "NaN agrees with NaN"},
    {0},
};

static void tell(struct run *run, json_t *json, const struct clump_allclose_result *r)
{
    json_object_set_new(json, "close", json_boolean(r->close));
    run_print(run, "%-12s %s\n", "close", r->close ? "yes" : "no");
    run_count(run, json, "differ", r->differ);
    run_count(run, json, "row", r->row);
    run_count(run, json, "col", r->col);
    run_number(run, json, "a", r->a);
    run_number(run, json, "b", r->b);
    run_number(run, json, "difference", r->difference);
}

static enum clump_status compare(struct run *run, const char *path, json_t *json)
{
    struct input a, b = {0};
    struct clump_allclose_result result;
    (void)path;
    json_object_set_new(json, "file", run_json_text(run->operands[0]));
    json_object_set_new(json, "other", run_json_text(run->operands[1]));
    enum clump_status status = run_read(run, run->operands[0], &a);
    if (!status)
        status = run_read(run, run->operands[1], &b);
    if (!status && (a.info->rows != b.info->rows || a.info->cols != b.info->cols))
        status = run_fail(run, CLUMP_ERROR_ARGUMENT,
                          "%s has %" PRIu64 " x %" PRIu64 " pixels, %s has %" PRIu64 " x %" PRIu64
                          ": they cannot agree",
                          run->operands[0], a.info->rows, a.info->cols, run->operands[1],
                          b.info->rows, b.info->cols);
    if (!status)
        status = clump_allclose(run->context, a.image, b.image, &set, &result);
    if (!status) {
        tell(run, json, &result);
        run->failed = !result.close;
    }
    run_release(&b);
    run_release(&a);
    return status;
}

static int run_compare(struct run *run)
{
    if (!(set.rtol >= 0) || !(set.atol >= 0))
        return run_misuse(run, "tolerances are 0 or more, not --rtol %g --atol %g", set.rtol,
                          set.atol);
    return run_once(run, compare);
}

const struct command command_compare = {
    .name = "compare",
    .summary = "Tells whether two images agree within tolerances",
    .usage = "A B",
    .about =
        "As numpy.allclose: pixels agree when |A - B| <= atol + rtol * |B|, or when they are\n"
        "equal. The exit status is 0 where all agree and 1 where not, sizes included. Prints\n"
        "how many differ and the worst pixel (row and column from 0): the greatest |A - B| of\n"
        "those that do not agree, or of all if all do; a NaN beside a number is the worst.\n"
        "In float32 when both images are float32, else in float64.",
    .examples = "  clump compare blurred.npy expected.npy\n"
                "  clump compare a.fits b.fits --rtol 0 --atol 0 --equal-nan --json\n",
    .options = options,
    .groups = COMMAND_READS,
    .least = 2,
    .most = 2,
    .defaults = set_defaults,
    .run = run_compare,
};
