/* SPDX-License-Identifier: MIT */
/* Operands of `clump arith` and `clump select`: files or numbers. */
#ifndef CLUMP_CLI_OPERANDS_H
#define CLUMP_CLI_OPERANDS_H

#include "run.h"

/* A number, whole where it is written without point and exponent; false: the text names a file. */
bool operands_number(const char *text, struct clump_operand *operand);
/* Reads the file of an operand, if it is one and no number. NULL is no operand. */
enum clump_status operands_read(struct run *run, const char *text, struct input *input,
                                struct clump_operand *operand);
/* Says of what an image is made: type, rows and columns, for the file `name`. */
void operands_tell(struct run *run, const clump_image *made, const char *name, json_t *json);

#endif
