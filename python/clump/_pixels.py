# SPDX-License-Identifier: MIT
"""Pixels between NumPy and the library: types, rows and columns, bits, trips through the host."""

import os
import sys
import threading

import numpy as np

from clump._clump import ffi, lib
from clump._errors import FallbackWarning, UnsupportedError, warn

# dtype of NumPy -> type of the library; the last three are kept in a wider type.
TYPES = {
    np.dtype(np.bool_): lib.CLUMP_BITS,
    np.dtype(np.uint8): lib.CLUMP_U8,
    np.dtype(np.uint16): lib.CLUMP_U16,
    np.dtype(np.int16): lib.CLUMP_I16,
    np.dtype(np.int32): lib.CLUMP_I32,
    np.dtype(np.uint32): lib.CLUMP_U32,
    np.dtype(np.int64): lib.CLUMP_I64,
    np.dtype(np.float32): lib.CLUMP_F32,
    np.dtype(np.float64): lib.CLUMP_F64,
    np.dtype(np.int8): lib.CLUMP_I16,
    np.dtype(np.float16): lib.CLUMP_F32,
    np.dtype(np.uint64): lib.CLUMP_I64,
}
# type of the library -> dtype of its pixels in memory (bits and colour apart)
STORED = {
    lib.CLUMP_U8: np.dtype(np.uint8),
    lib.CLUMP_U16: np.dtype(np.uint16),
    lib.CLUMP_I16: np.dtype(np.int16),
    lib.CLUMP_I32: np.dtype(np.int32),
    lib.CLUMP_U32: np.dtype(np.uint32),
    lib.CLUMP_I64: np.dtype(np.int64),
    lib.CLUMP_F32: np.dtype(np.float32),
    lib.CLUMP_F64: np.dtype(np.float64),
    lib.CLUMP_RGB: np.dtype(np.uint8),
}
NAMES = "bool, int8, uint8, int16, uint16, int32, uint32, int64, uint64, float16, float32, float64"
# Such dtypes are not those of their pixels: arithmetic on them is not the library's.
WIDENED = (np.dtype(np.int8), np.dtype(np.float16), np.dtype(np.uint64))


def canonical(dtype):
    """The native dtype that pixels can have, or TypeError."""
    dtype = np.dtype(dtype).newbyteorder("=")
    if dtype not in TYPES:
        raise TypeError(f"{dtype} is not a pixel type; there are {NAMES}")
    return dtype


def is_colour(shape, dtype):
    """Whether an array of this shape is kept as an image of three bytes per pixel."""
    return len(shape) == 3 and shape[2] == 3 and dtype == np.uint8


def rows_cols(shape, colour=False):
    """An array of any number of axes as an image: the last axis is a row."""
    if colour:
        return shape[0], shape[1]
    if len(shape) == 2:
        return shape
    cols = shape[-1] if shape else 1
    size = 1
    for side in shape:
        size *= side
    return (size // cols if cols else 0), cols


def pack(a, rows, cols):
    """Booleans as the library's rows of 32-bit words."""
    words = (cols + 31) // 32
    packed = np.packbits(a.reshape(rows, cols), axis=1, bitorder="little")
    if packed.shape[1] == words * 4:
        return packed
    whole = np.zeros((rows, words * 4), np.uint8)
    whole[:, : packed.shape[1]] = packed
    return whole


def unpack(packed, rows, cols):
    """The library's rows of 32-bit words as booleans."""
    return np.unpackbits(packed.reshape(rows, -1), axis=1, count=cols, bitorder="little").view(bool)


def host_pixels(a, dtype):
    """A contiguous native copy, or the array itself, of the dtype that is kept for `dtype`."""
    if dtype == np.bool_:
        return np.ascontiguousarray(a, np.bool_)
    if dtype == np.uint64 and a.size and int(a.max()) >= 2**63:
        raise OverflowError(
            "uint64 pixels are kept as int64, and there are values of 2**63 or more"
        )
    return np.ascontiguousarray(a, STORED[TYPES[dtype]])


def pointer(a):
    """The address of a contiguous array's memory, for the library. The array must be kept."""
    return ffi.cast("void *", a.ctypes.data)


def unmasked(a):
    """A masked array as one with blanks."""
    if isinstance(a, np.ma.MaskedArray):
        if not np.ma.is_masked(a):
            return a.data
        if a.dtype.kind != "f":
            raise TypeError(
                f"a masked array of {a.dtype} has no value for blank pixels; "
                "fill it, or make it float"
            )
        return a.filled(np.nan)
    return np.asarray(a)


quiet = False  # a judge of other packages' tests, which count warnings, sets this
_trips = {}
_trips_lock = threading.Lock()


def trip(what):
    """Notes that pixels go through the host: once per kind a warning, or UnsupportedError where the
    environment's CLUMP_FALLBACK is "error"."""
    if os.environ.get("CLUMP_FALLBACK") == "error":
        raise UnsupportedError(f"{what} goes through the host, which CLUMP_FALLBACK=error forbids")
    with _trips_lock:
        _trips[what] = _trips.get(what, 0) + 1
        first = _trips[what] == 1
    if first and not quiet:
        warn(f"{what} goes through the host", FallbackWarning)


def trips(reset=False):
    """How often pixels went through the host, by kind: {"compress": 2}."""
    with _trips_lock:
        counted = dict(_trips)
        if reset:
            for name in counted:
                _trips[name] = 0
    return {name: count for name, count in counted.items() if count}


def refuse(function, argument, value=None):
    """NotImplementedError for an argument that the peer has and this function has not."""
    shown = "" if value is None else f"={value!r}"
    raise NotImplementedError(f"{function}: {argument}{shown} is not offered here")


def flat(name, x):
    """Checks that an array is one image: 1 or 2 axes, or none."""
    if x.ndim > 2 and x.size:
        raise NotImplementedError(
            f"{name}: an image has 1 or 2 dimensions here, not {x.ndim} (shape {x.shape})"
        )
    return x


assert sys.byteorder == "little"
