/* SPDX-License-Identifier: MIT */
/*
 * Integers of a known width under one name for host and kernels: what the headers in cl/ are
 * written in. Such a header is included by a C file and composed into a program.
 */
#ifndef CLUMP_CL_TYPES_H
#define CLUMP_CL_TYPES_H

#ifdef __OPENCL_C_VERSION__ /* the language; not every compiler defines the platform's version */
typedef int i32;
typedef uint u32;
typedef ulong u64;
typedef long i64;
#else
#include <stdint.h>
typedef int32_t i32;
typedef uint32_t u32;
typedef uint64_t u64;
typedef int64_t i64;
#endif

#endif
