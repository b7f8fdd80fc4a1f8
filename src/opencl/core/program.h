/* SPDX-License-Identifier: MIT */
/* Kernels by name, built or taken from a cache as needed. */
#ifndef CLUMP_SRC_OPENCL_PROGRAM_H
#define CLUMP_SRC_OPENCL_PROGRAM_H

#include "context.h"
#include "opencl/core/api.h"

/*
 * The kernel `name` of the file cl/PROGRAM.cl ("stats/sweep"), built with `options` ("-DT=float
 * ..."; may be ""). Borrowed: it lives as long as the context.
 */
enum clump_status clump_kernel(clump_context *context, const char *program, const char *options,
                               const char *name, cl_kernel *kernel);
/* Builds a program that is needed later, unless another process builds it at the moment: while that
 * one is at it, there are others to build. */
enum clump_status clump_kernel_ahead(clump_context *context, const char *program,
                                     const char *options);
void clump_programs_release(struct opencl *opencl);

#endif
