/* SPDX-License-Identifier: MIT */
#include "opencl/core/opencl.h"

const struct backend clump_backend_opencl = {
    .close = clump_opencl_close,
    .finish = clump_opencl_finish,
    .trim = clump_opencl_trim,
    .image_create = clump_opencl_image_create,
    .image_destroy = clump_opencl_image_destroy,
    .image_write = clump_opencl_image_write,
    .image_download = clump_opencl_image_download,
    .image_map = clump_opencl_image_map,
    .image_unmap = clump_opencl_image_unmap,

    .convert = clump_opencl_convert,
    .crop = clump_opencl_crop,
    .channel = clump_opencl_channel,
    .arith = clump_opencl_arith,
    .allclose = clump_opencl_allclose,
    .stats = clump_opencl_stats,
    .clip = clump_opencl_clip,
    .otsu = clump_opencl_otsu,
    .convolve = clump_opencl_convolve,
    .convolve_1d = clump_opencl_convolve_1d,
    .gaussian = clump_opencl_gaussian,
    .threshold = clump_opencl_threshold,
    .morphology = clump_opencl_morphology,
    .label = clump_opencl_label,
    .measure = clump_opencl_measure,
    .label2rgb = clump_opencl_label2rgb,
    .primes = clump_opencl_primes,
};
