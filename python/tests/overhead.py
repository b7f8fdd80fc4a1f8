#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""What a call through Python costs beside the same call of the library, and a copy to the device.

PYTHONPATH=build/python/package python3 python/tests/overhead.py [DEVICE]
"""

import sys
import time

import numpy as np

import clump as cp
from clump import _ops
from clump._clump import ffi, lib
from clump.scipy import ndimage


def best(function, times=300):
    """Microseconds of the fastest of many calls."""
    fastest = float("inf")
    for _ in range(times):
        start = time.perf_counter()
        function()
        fastest = min(fastest, time.perf_counter() - start)
    return fastest * 1e6


def main():
    cp.device(sys.argv[1] if len(sys.argv) > 1 else "reference")
    x = cp.asarray(np.ones((8, 8), np.float32))
    context, place = x._context, ffi.new("clump_image **")
    params = _ops.defaults("threshold", above=0.5)
    count, labels = ffi.new("uint64_t *"), ffi.new("struct clump_label_params *")
    labels.connectivity = 4
    mask = x > 0.5

    def bare_threshold():
        lib.clump_threshold(context.pointer, x._pointer, params, place, ffi.NULL)
        lib.clump_image_destroy(place)

    def bare_label():
        lib.clump_label(context.pointer, mask._pointer, labels, place, count)
        lib.clump_image_destroy(place)

    for name, python, bare in (
        ("x > 0.5", lambda: x > 0.5, bare_threshold),
        ("ndimage.label", lambda: ndimage.label(mask), bare_label),
    ):
        a, b = best(python), best(bare)
        print(f"{name}: {a:.1f} us, the library's call {b:.1f} us, over it {a - b:.1f} us")
    a = np.ones(16 << 20, np.uint8)
    up, copy = best(lambda: cp.asarray(a), 20), best(a.copy, 20)
    print(f"asarray of 16 MiB: {up:.0f} us, numpy's copy {copy:.0f} us")


if __name__ == "__main__":
    main()
