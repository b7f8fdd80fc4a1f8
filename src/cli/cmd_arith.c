/* SPDX-License-Identifier: MIT */
#include "operands.h"

#include <string.h>

#include "places.h"

static const char *const words[] = {"+", "-", "*", "/", "and", "or", "xor", "not"};

static enum clump_arith_op op;
static const char *texts[2]; /* of the operands; the second is NULL for `not` */

static enum clump_status arith(struct run *run, const char *path, json_t *json)
{
    struct input a = {0}, b = {0};
    struct clump_operand left = {0}, right = {0};
    clump_image *made = NULL;
    (void)path;
    enum clump_status status = operands_read(run, texts[0], &a, &left);
    if (!status)
        status = operands_read(run, texts[1], &b, &right);
    if (!status)
        status = clump_arith(run->context, &left, op, texts[1] ? &right : NULL, &made);
    const struct input *like = a.image ? &a : &b;
    const char *name = a.image ? texts[0] : texts[1];
    if (!status)
        status = (op >= CLUMP_ARITH_AND ? run_write_plain : run_write)(run, made, common.output,
                                                                       name, like, json);
    if (!status)
        operands_tell(run, made, name, json);
    clump_image_destroy(&made);
    run_release(&b);
    run_release(&a);
    return status;
}

static int find_op(const char *text)
{
    for (int i = 0; i < (int)(sizeof words / sizeof *words); i++)
        if (!strcmp(words[i], text))
            return i;
    return -1;
}

static int run_arith(struct run *run)
{
    struct clump_operand number;
    bool one = !strcmp(run->operands[0], "not");
    int found = one ? CLUMP_ARITH_NOT : run->count > 1 ? find_op(run->operands[1]) : -1;
    if (run->count != (one ? 2 : 3) || found < 0 || (found == CLUMP_ARITH_NOT && !one))
        return run_misuse(run,
                          "an operation is wanted, as in A - B, or not A; quote '*' in a shell: "
                          "+ - * / and or xor not");
    op = (enum clump_arith_op)found;
    texts[0] = run->operands[one ? 1 : 0];
    texts[1] = one ? NULL : run->operands[2];
    if (!common.output)
        return run_misuse(run, "-o FILE is wanted");
    if (operands_number(texts[0], &number) && (one || operands_number(texts[1], &number)))
        return run_misuse(run, "an image is wanted, not numbers alone");
    for (int i = 0; i < 2; i++)
        if (texts[i] && !operands_number(texts[i], &number))
            places_add_input(texts[i]);
    return run_once(run, arith);
}

const struct command command_arith = {
    .name = "arith",
    .summary = "Calculates with images and numbers, pixel by pixel",
    .usage = "A + B|A - B|A '*' B|A / B|A and B|A or B|A xor B|not A -o OUT",
    .about =
        "A and B are files or numbers, at least one of them a file; ./5 is a file named 5.\n"
        "+ - * / have NumPy's types: the one that holds the values of both images; a number\n"
        "takes the image's type, but 1.0 makes float64 of integers; a quotient of integers is\n"
        "float64. Integers wrap around (3 - 5 is 254 in uint8): --float32 reads floats. The\n"
        "logical operations take every pixel that is not 0 as set and write 0 and 1 as uint8.\n"
        "A FITS header is that of A, or of B where A is a number.",
    .examples = "  clump arith raw.fits - dark.fits -o light.fits\n"
                "  clump arith light.fits / flat.fits -o flat-fielded.fits\n"
                "  clump arith field.fits '*' 1e3 -o milli.fits\n"
                "  clump arith mask.png and other.png -o both.png\n"
                "  clump arith not mask.npy -o background.npy\n",
    .groups = COMMAND_READS | COMMAND_WRITES,
    .least = 2,
    .most = 3,
    .run = run_arith,
};
