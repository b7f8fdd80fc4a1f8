/* SPDX-License-Identifier: MIT */
/*
 * Declarations of the built-in functions that the kernels use; for POCL alone.
 *
 * Method:    POCL's compiler reads 17,000 lines of declarations before each program, which takes it
 *            longer than most kernels do. The host defines the guard of that header, so that POCL
 *            skips it, and puts this file before the prelude.
 * Launch:    none.
 * Exactness: the functions are the compiler's own; only their declarations are here.
 * Limits:    a kernel that calls a function which is not declared here does not build this way. The
 *            host builds it with all declarations, then, and counts a fall-back, which the pairs do
 *            not allow: declare the function here.
 * Others:    host build_from_source in src/opencl/core/program.c.
 */
/* clang-format off */
#define B_ANY   __attribute__((overloadable))
#define B_READS __attribute__((overloadable, pure))
#define B_VALUE __attribute__((overloadable, const)) /* of its arguments alone */

/* B_INTEGERS and B_REALS expand D(T, X) for each type T, B_WIDTHS D(T, X, N) for each width N. */
#define B_INTEGERS(D, X)                                                                           \
    D(char, X) D(uchar, X) D(short, X) D(ushort, X) D(int, X) D(uint, X) D(long, X) D(ulong, X)
#ifdef cl_khr_fp64
#define B_REALS(D, X) D(float, X) D(double, X)
#else
#define B_REALS(D, X) D(float, X)
#endif
#define B_WIDTHS(D, T, X) D(T, X, 2) D(T, X, 4) D(T, X, 8) D(T, X, 16)

/* Work-items. */
size_t B_VALUE get_global_id(uint);
size_t B_VALUE get_global_size(uint);
size_t B_VALUE get_group_id(uint);
size_t B_VALUE get_num_groups(uint);
size_t B_VALUE get_local_id(uint);
size_t B_VALUE get_local_size(uint);
void __attribute__((overloadable, convergent)) barrier(cl_mem_fence_flags);

/* Vectors in memory. */
#define B_MEMORY(T, S, N)                                                                          \
    T##N B_READS vload##N(size_t, const S T *);                                                    \
    void B_ANY vstore##N(T##N, size_t, S T *);
#define B_VECTORS(T, S) B_WIDTHS(B_MEMORY, T, S)
B_INTEGERS(B_VECTORS, global)
B_REALS(B_VECTORS, global)
B_REALS(B_VECTORS, local)
B_REALS(B_VECTORS, private)
B_VECTORS(int, private)
B_VECTORS(uint, private)
B_VECTORS(long, private)
B_VECTORS(ulong, private)
B_MEMORY(uchar, global, 3)
float3 B_READS vload3(size_t, const constant float *);
float3 B_READS vload3(size_t, const global float *);

/* Words in memory that several work-items change. */
#define B_ATOMICS(T, S)                                                                            \
    T B_ANY atomic_add(volatile S T *, T);                                                         \
    T B_ANY atomic_min(volatile S T *, T);                                                         \
    T B_ANY atomic_max(volatile S T *, T);                                                         \
    T B_ANY atomic_or(volatile S T *, T);                                                          \
    T B_ANY atomic_inc(volatile S T *);                                                            \
    T B_ANY atomic_dec(volatile S T *);                                                            \
    T B_ANY atomic_cmpxchg(volatile S T *, T, T);
B_ATOMICS(int, global)
B_ATOMICS(uint, global)
B_ATOMICS(int, local)
B_ATOMICS(uint, local)

/* Conversions: of single values between all types, with a rounding; of vectors to wide types. */
#define B_REAL(T, TO) TO B_VALUE convert_##TO(T); TO B_VALUE convert_##TO##_rte(T);
#define B_INTEGER(T, TO) TO B_VALUE convert_##TO(T); TO B_VALUE convert_##TO##_sat_rte(T);
#define B_CONVERT(T, TO, N) TO##N B_VALUE convert_##TO##N(T##N);
#define B_VECTOR(T, TO) B_WIDTHS(B_CONVERT, T, TO)
#define B_TO(TO, D) B_INTEGERS(D, TO) B_REALS(D, TO)
B_TO(char, B_INTEGER)
B_TO(uchar, B_INTEGER)
B_TO(short, B_INTEGER)
B_TO(ushort, B_INTEGER)
B_TO(int, B_INTEGER)
B_TO(uint, B_INTEGER)
B_TO(long, B_INTEGER)
B_TO(ulong, B_INTEGER)
B_TO(float, B_REAL)
B_TO(int, B_VECTOR)
B_TO(uint, B_VECTOR)
B_TO(ulong, B_VECTOR)
B_REALS(B_VECTOR, long)
B_REALS(B_VECTOR, float)
B_VECTOR(uchar, float)
B_VECTOR(short, float)
B_VECTOR(ushort, float)
B_VECTOR(int, float)
B_CONVERT(uint, uchar, 4)
#ifdef cl_khr_fp64
B_TO(double, B_REAL)
B_REALS(B_VECTOR, double)
B_VECTOR(int, double)
B_VECTOR(long, double)
#endif

/* Arithmetic and comparisons. */
#define B_ORDERED(T, X, N)                                                                         \
    T##N B_VALUE min(T##N, T##N);                                                                  \
    T##N B_VALUE max(T##N, T##N);                                                                  \
    T##N B_VALUE clamp(T##N, T##N, T##N);
#define B_ORDERS(T, X) B_ORDERED(T, , ) B_WIDTHS(B_ORDERED, T, )
B_INTEGERS(B_ORDERS, )
B_REALS(B_ORDERS, )
#define B_BITS(T, X)                                                                               \
    T B_VALUE add_sat(T, T);                                                                       \
    T B_VALUE clz(T);                                                                              \
    T B_VALUE popcount(T);
B_INTEGERS(B_BITS, )
#define B_SELECT(T, I, N) T##N B_VALUE select(T##N, T##N, I##N);
#define B_CHOICE(T, I) B_SELECT(T, I, ) B_WIDTHS(B_SELECT, T, I)
B_CHOICE(int, int)
B_CHOICE(uint, int)
B_CHOICE(uint, uint)
B_CHOICE(long, long)
B_CHOICE(ulong, long)
B_CHOICE(ulong, ulong)
#define B_TEST(T, I, N)                                                                            \
    I##N B_VALUE isnan(T##N);                                                                      \
    int B_VALUE any(I##N);
#define B_MATHS(T, X, N)                                                                           \
    T##N B_VALUE fabs(T##N);                                                                       \
    T##N B_VALUE rint(T##N);                                                                       \
    T##N B_VALUE sqrt(T##N);                                                                       \
    T##N B_VALUE trunc(T##N);                                                                      \
    T##N B_VALUE fma(T##N, T##N, T##N);
#define B_FLOATING(T, I)                                                                           \
    B_CHOICE(T, I) B_WIDTHS(B_TEST, T, I) B_MATHS(T, , ) B_WIDTHS(B_MATHS, T, )                    \
    int B_VALUE isfinite(T); int B_VALUE isinf(T); int B_VALUE isnan(T);
B_FLOATING(float, int)
#ifdef cl_khr_fp64
B_FLOATING(double, long)
#endif
uint B_VALUE abs(int);
/* clang-format on */
