/* SPDX-License-Identifier: MIT */
/* Operands of clump_arith and clump_select: how they are checked, and what type comes out. */
#ifndef CLUMP_SRC_ARITH_H
#define CLUMP_SRC_ARITH_H

#include "context.h"

/* An operand for the operation `who`; `what` names it in the message. */
enum clump_status clump_operand_check(clump_context *context, const char *who,
                                      const struct clump_operand *operand, const char *what);
/* Does a number fit into the type of the result? */
enum clump_status clump_operand_check_number(clump_context *context, const char *who,
                                             const struct clump_operand *operand,
                                             enum clump_type type);
/* The type of a sum of two operands, of which at least one is an image. */
enum clump_type clump_operands_type(const struct clump_operand *a, const struct clump_operand *b);
/* Fails where `type` is float64 and the device has none. */
enum clump_status clump_operands_check_type(clump_context *context, const char *who,
                                            enum clump_type type);

#endif
