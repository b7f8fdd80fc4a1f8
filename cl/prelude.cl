/* SPDX-License-Identifier: MIT */
/*
 * Comes before every kernel file. Products and sums are never fused unless fma() says
 * so: the same source gives the same bits on every device. FAT is 1 where few
 * work-items with memory of their own do best (CPUs), 0 where many share local memory;
 * GROUP is the size of a work-group.
 */
#pragma OPENCL FP_CONTRACT OFF
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#endif

#ifndef FAT
#define FAT 0
#endif
#ifndef GROUP
#define GROUP 64
#endif

#define JOIN_(a, b) a##b
#define JOIN(a, b) JOIN_(a, b)
