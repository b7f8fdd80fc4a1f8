/* SPDX-License-Identifier: MIT */
#include "operands.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

bool operands_number(const char *text, struct clump_operand *operand)
{
    char *end;
    operand->number = strtod(text, &end);
    operand->whole = !text[strspn(text, "+-0123456789")];
    return end != text && !*end && !isspace((unsigned char)*text);
}

enum clump_status operands_read(struct run *run, const char *text, struct input *input,
                                struct clump_operand *operand)
{
    if (!text || operands_number(text, operand))
        return CLUMP_OK;
    enum clump_status status = run_read(run, text, input);
    *operand = (struct clump_operand){.image = input->image};
    return status;
}

void operands_tell(struct run *run, const clump_image *made, const char *name, json_t *json)
{
    enum clump_type type = clump_image_type(made);
    json_object_set_new(json, "file", run_json_text(name));
    /* a file has no bits: it holds masks as bytes */
    run_word(run, json, "type", clump_type_text(type == CLUMP_BITS ? CLUMP_U8 : type));
    run_count(run, json, "rows", clump_image_rows(made));
    run_count(run, json, "cols", clump_image_cols(made));
}
