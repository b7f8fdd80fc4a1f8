/* SPDX-License-Identifier: MIT */
/* What cl/pixels/compress.cl and src/opencl/pixels/compress.c agree on. */
#define COMPRESS_CHUNK 64 /* words of the mask */
