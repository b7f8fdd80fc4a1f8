/* SPDX-License-Identifier: MIT */
/*
 * The scalar reference: the definition of every operation, one function each, with
 * the signatures of struct backend. An image's memory is image->pixels.
 */
#ifndef CLUMP_SRC_REFERENCE_H
#define CLUMP_SRC_REFERENCE_H

#include "context.h"

#endif
