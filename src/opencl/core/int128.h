/* SPDX-License-Identifier: MIT */
/* Integers of 128 bits, which GCC and Clang have on every platform with 64-bit registers. */
#ifndef CLUMP_SRC_OPENCL_CORE_INT128_H
#define CLUMP_SRC_OPENCL_CORE_INT128_H

__extension__ typedef __int128 int128;
__extension__ typedef unsigned __int128 uint128;

#endif
