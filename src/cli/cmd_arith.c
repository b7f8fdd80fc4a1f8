/* SPDX-License-Identifier: MIT */
#include "run.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"

static const char *const words[] = {"+", "-", "*", "/", "and", "or", "xor", "not"};

static enum clump_arith_op op;
static const char *texts[2]; /* of the operands; the second is NULL for `not` */

/* A number, whole where it is written without point and exponent; else it names a file. */
static bool parse_number(const char *text, struct clump_operand *operand)
{
    char *end;
    operand->number = strtod(text, &end);
    operand->whole = !text[strspn(text, "+-0123456789")];
    return end != text && !*end && !isspace((unsigned char)*text);
}

static enum clump_status read_operand(struct run *run, const char *text, struct input *input,
                                      struct clump_operand *operand)
{
    if (!text || parse_number(text, operand))
        return CLUMP_OK;
    enum clump_status status = run_read(run, text, input);
    *operand = (struct clump_operand){.image = input->image};
    return status;
}

static enum clump_status arith(struct run *run, const char *path, json_t *json)
{
    struct input a = {0}, b = {0};
    struct clump_operand left = {0}, right = {0};
    clump_image *made = NULL;
    (void)path;
    enum clump_status status = read_operand(run, texts[0], &a, &left);
    if (!status)
        status = read_operand(run, texts[1], &b, &right);
    if (!status)
        status = clump_arith(run->context, &left, op, texts[1] ? &right : NULL, &made);
    const struct input *like = a.image ? &a : &b;
    const char *name = a.image ? texts[0] : texts[1];
    if (!status)
        status = (op >= CLUMP_ARITH_AND ? run_write_plain : run_write)(run, made, common.output,
                                                                       name, like, json);
    if (!status) {
        enum clump_type type = clump_image_type(made);
        json_object_set_new(json, "file", run_json_text(name));
        /* a file has no bits: it holds masks as bytes */
        run_word(run, json, "type", clump_type_text(type == CLUMP_BITS ? CLUMP_U8 : type));
        run_count(run, json, "rows", clump_image_rows(made));
        run_count(run, json, "cols", clump_image_cols(made));
    }
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
    if (parse_number(texts[0], &number) && (one || parse_number(texts[1], &number)))
        return run_misuse(run, "an image is wanted, not numbers alone");
    for (int i = 0; i < 2; i++)
        if (texts[i] && !parse_number(texts[i], &number))
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
