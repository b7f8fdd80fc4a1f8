/* SPDX-License-Identifier: MIT */
#include "operands.h"
#include "places.h"

static enum clump_status select_pixels(struct run *run, const char *path, json_t *json)
{
    struct input mask, a = {0}, b = {0};
    struct clump_operand left = {0}, right = {0};
    clump_image *made = NULL;
    (void)path;
    enum clump_status status = run_read(run, run->operands[0], &mask);
    if (!status)
        status = operands_read(run, run->operands[1], &a, &left);
    if (!status)
        status = operands_read(run, run->operands[2], &b, &right);
    if (!status)
        status = clump_select(run->context, mask.image, &left, &right, &made);
    const struct input *like = a.image ? &a : b.image ? &b : &mask;
    if (!status)
        status = (like == &mask ? run_write_plain : run_write)(run, made, common.output,
                                                               run->operands[0], like, json);
    if (!status)
        operands_tell(run, made, run->operands[0], json);
    clump_image_destroy(&made);
    run_release(&b);
    run_release(&a);
    run_release(&mask);
    return status;
}

static int run_select(struct run *run)
{
    struct clump_operand number;
    if (!common.output)
        return run_misuse(run, "-o FILE is wanted");
    for (int i = 0; i < run->count; i++)
        if (!i || !operands_number(run->operands[i], &number))
            places_add_input(run->operands[i]);
    return run_once(run, select_pixels);
}

const struct command command_select = {
    .name = "select",
    .summary = "Takes A where a mask is set and B elsewhere",
    .usage = "MASK A B -o OUT",
    .about = "As numpy.where: every pixel of MASK that is not 0 is set. A and B are files or\n"
             "numbers. The type is the one that holds the values of both, as for a sum.",
    .examples = "  clump select bad.fits nan field.fits -o blanked.fits\n"
                "  clump select mask.png 1 0 -o ones.npy\n",
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 3,
    .most = 3,
    .run = run_select,
};
