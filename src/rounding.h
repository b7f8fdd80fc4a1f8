/* SPDX-License-Identifier: MIT */
/*
 * The arithmetic of the thread that calls the library. A caller may have set another rounding mode,
 * or have denormals taken for zero, or exceptions raised as signals: results must not depend on it,
 * and neither must what OpenCL drivers compute in this thread or in threads that it starts.
 */
#ifndef CLUMP_SRC_ROUNDING_H
#define CLUMP_SRC_ROUNDING_H

#include <fenv.h>

static inline void clump_rounding_begin(fenv_t *caller)
{
    fegetenv(caller);
    fesetenv(FE_DFL_ENV);
}

static inline void clump_rounding_end(const fenv_t *caller) { fesetenv(caller); }

/* Is the first line of a public function: C's usual arithmetic until it returns, and then that of
 * the caller again. */
#define CLUMP_ROUNDING()                                                                           \
    __attribute__((cleanup(clump_rounding_end))) fenv_t clump_rounding_caller;                     \
    clump_rounding_begin(&clump_rounding_caller)

#endif
