# SPDX-License-Identifier: MIT
"""The library's operations on device arrays: parameters in, arrays out, nothing else."""

import numpy as np

from clump import _pixels
from clump._array import _upload, asarray, ndarray, new
from clump._clump import ffi, lib
from clump._core import Handle
from clump._pixels import TYPES, canonical, is_colour, pointer, rows_cols, trip

BOOL = np.dtype(np.bool_)
INT32 = np.dtype(np.int32)
FLOAT32 = np.dtype(np.float32)
FLOAT64 = np.dtype(np.float64)


def image(x):
    """Checks that an argument is a device array, as CuPy does."""
    if not isinstance(x, ndarray):
        raise TypeError(f"Unsupported type {type(x)}")
    return x


def either(x):
    """A device array, or anything that can become one."""
    return x if isinstance(x, ndarray) else asarray(x)


def host(x, dtype=None):
    """Weights, footprints, indices: NumPy, whatever was given. Arrays that were made of small host
    arrays have those still, so that this does not wait."""
    if isinstance(x, ndarray):
        x = x._host if x._host is not None else x.get()
    return np.asarray(x, dtype)


def made(x, function, *args, dtype=None, shape=None):
    """Calls a function that makes an image in the context of `x`, and owns the result."""
    handle = x._context.image(function, x._context.pointer, *args)
    return ndarray._of(handle, x.shape if shape is None else shape, dtype or x.dtype)


def defaults(module, **values):
    """Parameters that start from the library's defaults."""
    params = ffi.new(f"struct clump_{module}_params *", getattr(lib, f"clump_{module}_defaults"))
    for name, value in values.items():
        setattr(params, name, value)
    return params


# Types


def _convert(x, type_, dtype):
    if x._type == type_:
        return x if x.dtype == dtype else ndarray._of(x._handle, x.shape, dtype, x._context)
    return made(x, lib.clump_convert, x._pointer, type_, dtype=dtype)


def native(x):
    """The array with pixels of the type that its dtype has: labels that pose as float64 become so.
    """
    if x._handle is None or x._type == lib.CLUMP_RGB:
        return x
    return _convert(x, TYPES[x.dtype], x.dtype)


def number(x):
    """The array as the library's number types: masks as uint8, others as they are kept."""
    bits = x._handle is not None and x._type == lib.CLUMP_BITS
    return _convert(x, lib.CLUMP_U8, np.dtype(np.uint8)) if bits else x


def mask(x):
    """Whatever is not 0 is set."""
    return x if x._handle is None else _convert(x, lib.CLUMP_BITS, BOOL)


def real(x):
    """The array as float32 or float64: integers become float64, of at most 16 bits too."""
    dtype = x.dtype if x.dtype in (FLOAT32, FLOAT64) else FLOAT64
    if dtype == FLOAT64 and not x.device.fp64:
        dtype = FLOAT32
    return _convert(x, TYPES[dtype], dtype)


def astype(x, dtype):
    """As numpy.ndarray.astype, but that arrays which differ in dtype alone share their pixels."""
    dtype = canonical(dtype)
    if dtype == x.dtype:
        return x
    if x._handle is None:
        return ndarray._of(None, x.shape, dtype, x._context)
    if dtype == BOOL:
        return mask(x)
    if x._type == lib.CLUMP_RGB:
        trip("astype of colours")
        return _upload(x.get().astype(dtype), dtype, x._context)
    if dtype not in _pixels.WIDENED and x.dtype not in _pixels.WIDENED:
        if _holds(x, dtype):
            return _convert(x, TYPES[dtype], dtype)
    trip("astype that truncates")
    a = x.get()
    if dtype.kind == "u" and a.dtype.kind == "f":  # negative numbers wrap around, as in SciPy's C
        a = a.astype(np.int64)
    return _upload(a.astype(dtype), dtype, x._context)


def _holds(x, dtype):
    """Whether the library's conversion, which rounds and clamps, is NumPy's, which truncates and
    wraps: where every value has a place in the new type, or the new type is a float."""
    kept = np.dtype(np.uint8) if x._type == lib.CLUMP_BITS else _pixels.STORED[x._type]
    return dtype.kind == "f" or (kept.kind != "f" and np.can_cast(kept, dtype, "safe"))


# Parts


def crop(x, row, col, rows, cols, shape):
    """Adjacent rows and columns."""
    if not rows or not cols:
        return ndarray._of(None, shape, x.dtype, x._context)
    part = made(x, lib.clump_crop, x._pointer, row, col, rows, cols, shape=shape)
    return part


def channel(x, number_):
    """One channel of colours, as uint8."""
    return made(
        x, lib.clump_channel, x._pointer, number_, dtype=np.dtype(np.uint8), shape=x.shape[:2]
    )


def reshape(x, shape):
    """The same pixels in another shape."""
    if x._handle is None or rows_cols(shape) == rows_cols(x.shape) and x._type != lib.CLUMP_RGB:
        return ndarray._of(x._handle, shape, x.dtype, x._context)
    if x._type == lib.CLUMP_RGB or is_colour(shape, x.dtype):
        trip("reshape of colours")
        return _upload(x.get().reshape(shape), x.dtype, x._context)
    return made(x, lib.clump_reshape, x._pointer, *rows_cols(shape), shape=shape)


def compress(x, mask_):
    """The pixels where a mask of the same shape is set, in one row."""
    place, count = ffi.new("clump_image **"), ffi.new("uint64_t *")
    x._context.call(
        lib.clump_compress, x._context.pointer, x._pointer, mask_._pointer, place, count
    )
    handle = Handle(x._context, place[0]) if place[0] else None
    return ndarray._of(handle, (int(count[0]),), x.dtype, x._context)


def lookup(labels, numbers, values, otherwise=0):
    """Values in the place of labels: a row of `values` for each of the rising `numbers`. Several
    columns become the last axis."""
    values = np.ascontiguousarray(values)
    type_ = TYPES[values.dtype]
    numbers = np.ascontiguousarray(numbers, np.int64)
    columns = values.shape[1] if values.ndim == 2 else 1
    other = np.ascontiguousarray(np.broadcast_to(np.asarray(otherwise, values.dtype), columns))
    table = ffi.new(
        "struct clump_lookup_table *",
        {
            "count": numbers.size,
            "labels": ffi.cast("int64_t *", numbers.ctypes.data),
            "type": type_,
            "columns": columns,
            "values": pointer(values),
            "otherwise": pointer(other),
        },
    )
    shape = labels.shape + values.shape[1:]
    labels = number(labels)
    return made(
        labels, lib.clump_lookup, labels._pointer, table, dtype=_pixels.STORED[type_], shape=shape
    )


def relabel(labels):
    """Labels numbered from 1 without gaps, int32, and their number."""
    handle, count = ffi.new("clump_image **"), ffi.new("uint64_t *")
    labels._context.call(
        lib.clump_relabel, labels._context.pointer, labels._pointer, handle, count
    )
    return ndarray._of(Handle(labels._context, handle[0]), labels.shape, INT32), int(count[0])


# Arithmetic

OPS = {
    "add": lib.CLUMP_ARITH_ADD,
    "subtract": lib.CLUMP_ARITH_SUBTRACT,
    "multiply": lib.CLUMP_ARITH_MULTIPLY,
    "divide": lib.CLUMP_ARITH_DIVIDE,
    "and": lib.CLUMP_ARITH_AND,
    "or": lib.CLUMP_ARITH_OR,
    "xor": lib.CLUMP_ARITH_XOR,
    "not": lib.CLUMP_ARITH_NOT,
}


def _operand(value):
    place = ffi.new("struct clump_operand *")
    if isinstance(value, ndarray):
        place.image = value._pointer
    elif value is not None:
        place.number = float(value)
        place.whole = isinstance(value, (int, np.integer, np.bool_))
    return place


def select(mask_, a, b):
    """a where the mask is set, else b: arrays or numbers."""
    handle = mask_._context.image(
        lib.clump_select, mask_._context.pointer, mask_._pointer, _operand(a), _operand(b)
    )
    type_ = lib.clump_image_type(handle.pointer)
    return ndarray._of(
        handle, mask_.shape, BOOL if type_ == lib.CLUMP_BITS else _pixels.STORED[type_]
    )


def arith(op, a, b=None):
    """An image or a number, and another; types as NumPy 2 has them."""
    first = a if isinstance(a, ndarray) else b
    handle = first._context.image(
        lib.clump_arith,
        first._context.pointer,
        _operand(a),
        OPS[op],
        _operand(b) if b is not None else ffi.NULL,
    )
    type_ = lib.clump_image_type(handle.pointer)
    dtype = BOOL if type_ == lib.CLUMP_BITS else _pixels.STORED[type_]
    return ndarray._of(handle, first.shape, dtype)


def threshold(x, level, below=False, inclusive=False):
    """The pixels above a level, or below it; `level` is a number or an array of the same type."""
    params = defaults("threshold", below=below, inclusive=inclusive)
    if isinstance(level, ndarray):
        params.map = level._pointer
    else:
        params.above = level
    handle = ffi.new("clump_image **")
    x._context.call(lib.clump_threshold, x._context.pointer, x._pointer, params, handle, ffi.NULL)
    return ndarray._of(Handle(x._context, handle[0]), x.shape, BOOL)


def hysteresis(x, low, high):
    """Pixels above `low` that are connected to one above `high`."""
    params = defaults("threshold", above=high, low=low, hysteresis=True)
    handle = ffi.new("clump_image **")
    x._context.call(lib.clump_threshold, x._context.pointer, x._pointer, params, handle, ffi.NULL)
    return ndarray._of(Handle(x._context, handle[0]), x.shape, BOOL)


def allclose(a, b, rtol, atol, equal_nan):
    """What struct clump_allclose_result says of two arrays."""
    result = ffi.new("struct clump_allclose_result *")
    params = defaults("allclose", rtol=rtol, atol=atol, equal_nan=equal_nan)
    a._context.call(lib.clump_allclose, a._context.pointer, a._pointer, b._pointer, params, result)
    return result


# Filters

MODES = {
    "full": lib.CLUMP_CONVOLVE_MODE_FULL,
    "same": lib.CLUMP_CONVOLVE_MODE_SAME,
    "valid": lib.CLUMP_CONVOLVE_MODE_VALID,
}
BOUNDARIES = {
    "fill": lib.CLUMP_BOUNDARY_FILL,
    "wrap": lib.CLUMP_BOUNDARY_WRAP,
    "symm": lib.CLUMP_BOUNDARY_SYMM,
    "nearest": lib.CLUMP_BOUNDARY_NEAREST,
    "mirror": lib.CLUMP_BOUNDARY_MIRROR,
}


def _weights(weights):
    weights = np.ascontiguousarray(np.atleast_2d(weights), FLOAT64)
    place = ffi.new("struct clump_weights *")
    place.rows, place.cols = weights.shape
    place.weights = ffi.cast("double *", weights.ctypes.data)
    return place, weights


def convolve(x, weights, mode="full", boundary="fill", fill_value=0.0, one=False):
    """x is float32 or float64; the weights are on the host. `one`: by numpy.convolve's rules."""
    place, keep = _weights(weights)
    params = defaults(
        "convolve", mode=MODES[mode], boundary=BOUNDARIES[boundary], fill_value=float(fill_value)
    )
    function = lib.clump_convolve_1d if one else lib.clump_convolve
    handle = x._context.image(function, x._context.pointer, x._pointer, place, params)
    shape = (lib.clump_image_rows(handle.pointer), lib.clump_image_cols(handle.pointer))
    return ndarray._of(handle, shape[1:] if x.ndim == 1 else shape, x.dtype)


def gaussian(x, sigma, truncate, boundary, fill_value):
    """x is float32 or float64; sigma is a pair."""
    params = defaults(
        "gaussian",
        sigma_rows=sigma[0],
        sigma_cols=sigma[1],
        truncate=truncate,
        boundary=BOUNDARIES[boundary],
        fill_value=fill_value,
    )
    return made(x, lib.clump_gaussian, x._pointer, params)


def footprint(params, cells):
    """Puts a footprint of the host into parameters; returns what must be kept."""
    cells = np.ascontiguousarray(np.atleast_2d(cells) != 0, np.uint8)
    params.footprint.kind = lib.CLUMP_FOOTPRINT_CUSTOM
    params.footprint.rows, params.footprint.cols = cells.shape
    params.footprint.cells = ffi.cast("uint8_t *", cells.ctypes.data)
    return cells


def morphology(x, operation, cells=None, **values):
    """A mask of a mask."""
    params = defaults(
        "morphology", operation=getattr(lib, f"CLUMP_MORPHOLOGY_{operation}"), **values
    )
    keep = footprint(params, cells) if cells is not None else None
    return made(x, lib.clump_morphology, x._pointer, params, dtype=BOOL)


# Figures


def stats(x, quantiles=(), ddof=0, mad=False):
    """struct clump_stats_result, and the quantiles."""
    quantiles = np.ascontiguousarray(quantiles, FLOAT64)
    params = defaults(
        "stats",
        ddof=ddof,
        mad=mad,
        quantile_count=quantiles.size,
        quantiles=ffi.cast("double *", quantiles.ctypes.data),
    )
    result, values = ffi.new("struct clump_stats_result *"), np.empty(quantiles.size)
    x = number(x)
    x._context.call(
        lib.clump_stats,
        x._context.pointer,
        x._pointer,
        params,
        ffi.cast("double *", values.ctypes.data),
        result,
    )
    return result, values


def otsu(x):
    """Otsu's threshold."""
    place = ffi.new("double *")
    x = number(x)
    x._context.call(lib.clump_otsu, x._context.pointer, x._pointer, place)
    return place[0]


def label(x, connectivity):
    """Labels, int32, and their number."""
    handle, count = ffi.new("clump_image **"), ffi.new("uint64_t *")
    params = defaults("label", connectivity=connectivity)
    x._context.call(lib.clump_label, x._context.pointer, x._pointer, params, handle, count)
    return ndarray._of(Handle(x._context, handle[0]), x.shape, INT32), int(count[0])


def _region_dtype():
    """struct clump_region as a structured dtype, from what cffi knows of it."""
    kind = ffi.typeof("struct clump_region")
    names, formats, offsets = [], [], []
    codes = {"uint64_t": "u8", "int64_t": "i8", "double": "f8", "uint32_t": "u4"}
    for name, field in kind.fields:
        if name != "reserved":
            names.append(name)
            formats.append(codes[field.type.cname])
            offsets.append(field.offset)
    return np.dtype(
        {"names": names, "formats": formats, "offsets": offsets, "itemsize": ffi.sizeof(kind)}
    )


REGION = _region_dtype()


def regions_array(pointer_, count):
    """A copy of an array of struct clump_region as a structured array."""
    if not count:
        return np.empty(0, REGION)
    return np.frombuffer(
        ffi.buffer(pointer_, count * ffi.sizeof("struct clump_region")), REGION
    ).copy()


def measure(labels, x=None, **values):
    """A structured array of regions, in rising order of label; labels are 0 or more."""
    params = defaults("measure", **values)
    place, count = ffi.new("struct clump_region **"), ffi.new("uint64_t *")
    x = number(x) if x is not None else None
    labels._context.call(
        lib.clump_measure,
        labels._context.pointer,
        x._pointer if x is not None else ffi.NULL,
        labels._pointer,
        params,
        place,
        count,
    )
    regions = regions_array(place[0], count[0])
    lib.clump_measure_destroy(place)
    return regions


def primes(n, context):
    """The primes below n, by the lesson's trial division."""
    mask, count = ffi.new("clump_image **"), ffi.new("uint64_t *")
    context.call(lib.clump_primes, context.pointer, n, mask, count)
    return ndarray._of(Handle(context, mask[0]), (max(n, 1),), BOOL), int(count[0])
