/* SPDX-License-Identifier: MIT */
/*
 * What comes before every kernel file.
 *
 * Method:    defines the layout of work. COARSE is 1 where few work-items with memory of their own
 *            do best (CPUs), 0 where many share local memory (GPUs); GROUP is the size of a
 *            work-group.
 * Launch:    ALONE, GROUPED and SIZED name the work-groups of a kernel.
 * Exactness: products and sums are fused only by fma(), so that the same source gives the same bits
 *            on every device.
 * Limits:    OpenCL C 1.2; double is optional.
 * Others:    host src/opencl/core/program.c, src/opencl/core/layout.c, docs/architecture.md.
 */
#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#ifndef COARSE
#define COARSE 0
#endif
#ifndef GROUP
#define GROUP 64
#endif

/* The work-groups that a kernel is launched in: of one work-item (ALONE), of GROUP (GROUPED), or of
 * either by COARSE (SIZED). */
#define ALONE   __attribute__((reqd_work_group_size(1, 1, 1)))
#define GROUPED __attribute__((reqd_work_group_size(GROUP, 1, 1)))
#if COARSE
#define SIZED ALONE
#else
#define SIZED GROUPED
#endif

/* Vectors wider than the CPU's registers are passed in memory: slower, not wrong. A front end that
 * does not know the warning would warn of its name. */
#if defined(__clang__) && defined(__has_warning)
#if __has_warning("-Wpsabi")
#pragma clang diagnostic ignored "-Wpsabi"
#endif
#endif

/* PREFETCH lets a CPU fetch what is at p, to be read or written. On x86 and ARM CPUs the built-in
 * prefetch() does nothing, and the compiler's own function is used. The simulator of the race
 * checker knows neither, nor what inlining leaves of `restrict`. */
#ifdef CHECK_RACES
#define INLINE __attribute__((unused)) static inline
#else
#define INLINE __attribute__((unused, always_inline)) static inline
#endif
/* CALLED is for functions that several places call and no inner loop needs: one copy of it makes
 * the program of a CPU smaller and faster to build. The compilers of GPUs inline as they like. */
#if COARSE && !defined(CHECK_RACES)
#define CALLED __attribute__((unused, noinline)) static
#else
#define CALLED __attribute__((unused)) static
#endif
#if !COARSE || defined(CHECK_RACES)
#define PREFETCH(p, write)
#elif defined(__x86_64__) || defined(__aarch64__)
#define PREFETCH(p, write) __builtin_prefetch((const void *)(uintptr_t)(p), write)
#else
#define PREFETCH(p, write) prefetch(p, 1)
#endif
#define LINE 64 /* bytes of a cache line */

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
