#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Where one method of convolution becomes faster than another: the table of docs/convolution.md.

usage: crossover.py LIBCLUMP.so [K,K,...] [SIZE]     (needs NumPy; CLUMP_DEVICE is respected)

Prints milliseconds of processor time, the least of a few runs, for K x K weights on SIZE x SIZE
pixels. With POCL_MAX_PTHREAD_COUNT=1 they do not depend on what else the machine does.
"""
import ctypes as c
import sys
import time

import numpy as np

lib = c.CDLL(sys.argv[1])
SIDES = [int(k) for k in (sys.argv[2] if len(sys.argv) > 2 else "3,7,15,31,63,127").split(",")]
SIZE = int(sys.argv[3]) if len(sys.argv) > 3 else 2048
SAME, DIRECT, SEPARABLE, FFT, FOLDED = 1, 1, 2, 3, 4
TYPES = {"float32": 7, "float64": 8}


class Weights(c.Structure):
    _fields_ = [("rows", c.c_uint64), ("cols", c.c_uint64), ("weights", c.c_void_p),
                ("reserved", c.c_uint64 * 2)]


class Params(c.Structure):
    _fields_ = [("mode", c.c_int), ("boundary", c.c_int), ("fill_value", c.c_double),
                ("method", c.c_int), ("blank", c.c_int), ("reserved", c.c_uint64 * 4)]


def check(status):
    if status:
        sys.exit("crossover: the library said why")


def once(context, image, weights, method):
    given = Weights(*weights.shape, weights.ctypes.data)
    params, out = Params(SAME, 0, 0, method, 0), c.c_void_p()
    start = time.process_time()
    check(lib.clump_convolve(context, image, c.byref(given), c.byref(params), c.byref(out)))
    check(lib.clump_context_finish(context))
    took = time.process_time() - start
    lib.clump_image_destroy(c.byref(out))
    return took * 1e3


def main():
    context, random = c.c_void_p(), np.random.default_rng(0)
    check(lib.clump_context_create(None, c.byref(context)))
    print("   K     type    direct    folded separable       fft")
    for name, number in TYPES.items():
        image, pixels = c.c_void_p(), random.standard_normal((SIZE, SIZE)).astype(name)
        check(lib.clump_image_upload(context, number, c.c_uint64(SIZE), c.c_uint64(SIZE),
                                     pixels.ctypes.data_as(c.c_void_p), c.byref(image)))
        for side in SIDES:
            gauss = np.exp(-np.linspace(-2, 2, side) ** 2 / 2)
            dense = random.random((side, side))
            methods = [(dense, DIRECT), (dense, FOLDED), (np.outer(gauss, gauss), SEPARABLE),
                       (dense, FFT)]
            if side < 15:  # refused, or not done
                methods[1] = methods[3] = None
            took = ["%9.2f" % min(once(context, image, *m) for _ in range(2 if side > 40 else 4))
                    if m else "        -" for m in methods]
            print("%4d %8s" % (side, name), *took, flush=True)
        lib.clump_image_destroy(c.byref(image))
    lib.clump_context_destroy(c.byref(context))


main()
