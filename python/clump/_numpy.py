# SPDX-License-Identifier: MIT
"""NumPy's functions and operators on device arrays, by NumPy's own protocols and by name."""

import math
import operator

import numpy as np

from clump import _core, _ops, _pixels
from clump._array import _upload, asarray, ndarray, new
from clump._clump import lib
from clump._ops import BOOL, FLOAT32, FLOAT64, either, host, image
from clump._pixels import canonical, refuse, trip

NUMBERS = (int, float, np.number, np.bool_)
INTP = np.dtype(np.intp)


def _scalar(value):
    """A number, or an array of no axes, as a scalar of NumPy or Python; else None."""
    if isinstance(value, NUMBERS):
        return value
    if isinstance(value, np.ndarray) and value.ndim == 0:
        return value[()]
    return None


def _second(x, other):
    """The other operand of an operator, or NotImplemented."""
    if isinstance(other, ndarray):
        return other
    number = _scalar(other)
    if number is not None and not isinstance(number, complex):
        return number
    if isinstance(other, np.ndarray):
        raise TypeError(f"Unsupported type {type(other)}")
    return NotImplemented


def _same_shape(x, other):
    return not isinstance(other, ndarray) or x.shape == other.shape


def _on_host(what, function, *args, context=None):
    """A step that the library does not have: NumPy's, on copies, and back."""
    trip(what)
    context = context or next(a._context for a in args if isinstance(a, ndarray))
    for a in args:
        if isinstance(a, ndarray) and a._context is not context:
            raise ValueError(f"{what}: one array is on {a.device}, another on {context.device}")
    result = function(*(a.get() if isinstance(a, ndarray) else a for a in args))
    return _upload(np.asarray(result), canonical(np.asarray(result).dtype), context)


# Comparisons and arithmetic

_FLIPPED = {
    "greater": "less",
    "less": "greater",
    "greater_equal": "less_equal",
    "less_equal": "greater_equal",
    "equal": "equal",
    "not_equal": "not_equal",
}
_LEVELS = {
    "greater": (False, False),
    "greater_equal": (False, True),
    "less": (True, False),
    "less_equal": (True, True),
}


def _compare(name, x, other):
    other = _second(x, other)
    if other is NotImplemented:
        return other
    if x._handle is None or not _same_shape(x, other) or x._type == lib.CLUMP_RGB:
        return _on_host("comparison of arrays of two shapes", getattr(np, name), x, other)
    if isinstance(other, ndarray):
        common = canonical(np.result_type(x.dtype, other.dtype))
        x, other = _ops.number(_ops.astype(x, common)), _ops.number(_ops.astype(other, common))
    else:
        common = np.result_type(np.empty(1, x.dtype), other)
        level = float(common.type(other)) if common.kind in "fiub" else float(other)
        if level != other and common.kind in "iu":
            return _on_host("comparison with an integer beyond 2**53", getattr(np, name), x, other)
        if math.isnan(level):
            return full(x.shape, name == "not_equal", BOOL, _context=x._context)
        x, other = _ops.number(_ops.native(x)), level
    if name in _LEVELS:
        return _ops.threshold(x, other, *_LEVELS[name])
    same = _ops.arith(
        "and", _ops.threshold(x, other, False, True), _ops.threshold(x, other, True, True)
    )
    return same if name == "equal" else _ops.arith("not", same)


_ARITH = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
}
_BITWISE = {"and": "bitwise_and", "or": "bitwise_or", "xor": "bitwise_xor"}


def _arith(name, a, b):
    x = a if isinstance(a, ndarray) else b
    other = _second(x, b if x is a else a)
    if other is NotImplemented:
        return other
    a, b = (x, other) if x is a else (other, x)
    if not _plain(a) or not _plain(b) or not _same_shape(x, other) or x._handle is None:
        return _on_host(f"{name} of such arrays", getattr(np, name), a, b)
    if isinstance(other, (np.floating, np.integer)):
        other = other.item()
        a, b = (x, other) if x is a else (other, x)
    if isinstance(other, int) and abs(other) > 2**53:
        return _on_host(f"{name} of such arrays", getattr(np, name), a, b)
    return _ops.arith(name, *(_ops.native(v) if isinstance(v, ndarray) else v for v in (a, b)))


def _plain(value):
    """Whether the library's arithmetic on such pixels is NumPy's."""
    if not isinstance(value, ndarray):
        return not isinstance(value, (bool, np.bool_))
    return (
        value.dtype not in _pixels.WIDENED and value._type != lib.CLUMP_RGB and value.dtype != BOOL
    )


def _logic(name, a, b):
    x = a if isinstance(a, ndarray) else b
    other = _second(x, b if x is a else a)
    if other is NotImplemented:
        return other
    if (
        x.dtype != BOOL
        or x._handle is None
        or not _same_shape(x, other)
        or (getattr(other, "dtype", BOOL if isinstance(other, bool) else None) != BOOL)
    ):
        return _on_host(f"{_BITWISE[name]} of such arrays", getattr(np, _BITWISE[name]), a, b)
    if not isinstance(other, ndarray):
        other = full(x.shape, bool(other), BOOL, _context=x._context)
    return _ops.arith(name, x, other)


def _invert(x):
    if x.dtype != BOOL or x._handle is None:
        return _on_host("bitwise_not of integers", np.invert, x)
    return _ops.arith("not", x)


def _negative(x):
    if not _plain(x) or x._handle is None or x.dtype.kind == "u":
        return _on_host("negative of such arrays", np.negative, x)
    return _ops.arith("multiply", _ops.native(x), -1)


_UFUNCS = {
    **{
        getattr(np, name): (
            lambda a, b, name=name: (
                _compare(name, a, b) if isinstance(a, ndarray) else _compare(_FLIPPED[name], b, a)
            )
        )
        for name in _FLIPPED
    },
    **{getattr(np, name): (lambda a, b, name=name: _arith(name, a, b)) for name in _ARITH},
    np.bitwise_and: lambda a, b: _logic("and", a, b),
    np.bitwise_or: lambda a, b: _logic("or", a, b),
    np.bitwise_xor: lambda a, b: _logic("xor", a, b),
    np.logical_and: lambda a, b: _ops.arith("and", _truth(a), _truth(b)),
    np.logical_or: lambda a, b: _ops.arith("or", _truth(a), _truth(b)),
    np.logical_xor: lambda a, b: _ops.arith("xor", _truth(a), _truth(b)),
    np.logical_not: lambda a: _ops.arith("not", _truth(a)),
    np.invert: _invert,
    np.negative: _negative,
    np.positive: lambda a: a,
}


def _truth(value):
    return _ops.mask(value) if isinstance(value, ndarray) else bool(value)


def ufunc(function, method, inputs, kwargs):
    """ndarray.__array_ufunc__"""
    if method != "__call__" or any(isinstance(a, np.ndarray) and a.ndim for a in inputs):
        kinds = [type(a) for a in inputs if isinstance(a, np.ndarray)] or [function, method]
        raise TypeError(f"Unsupported type {kinds[0]}")
    if any(value is not None for name, value in kwargs.items()):
        refuse(f"numpy.{function.__name__}", ", ".join(kwargs))
    known = _UFUNCS.get(function)
    if known:
        return known(*inputs)
    return _on_host(f"numpy.{function.__name__}", function, *inputs)


# Making arrays


def array(a, dtype=None, *, order=None, device=None, copy=True):
    """A new device array of anything. Peer: cupy.array."""
    if isinstance(a, ndarray):
        return asarray(a, dtype, device=device).copy() if copy else asarray(a, dtype, device=device)
    return asarray(a, dtype, order=order, device=device)


def empty(shape, dtype=float, *, device=None):
    """An array whose pixels are undefined. Peer: cupy.empty."""
    return new(shape, dtype, _core.context(device) if device is not None else None)


def full(shape, value, dtype=None, *, device=None, _context=None):
    """An array of one value. Peer: cupy.full."""
    shape = (shape,) if np.ndim(shape) == 0 else tuple(shape)
    context = _context or (_core.context(device) if device is not None else _core.current())
    dtype = canonical(np.asarray(value).dtype if dtype is None else dtype)
    return _upload(np.full(shape, value, dtype), dtype, context)


def zeros(shape, dtype=float, *, device=None):
    """An array of zeros. Peer: cupy.zeros."""
    return full(shape, 0, dtype, device=device)


def ones(shape, dtype=float, *, device=None):
    """An array of ones. Peer: cupy.ones."""
    return full(shape, 1, dtype, device=device)


def empty_like(a, dtype=None):
    """Peer: cupy.empty_like."""
    return new(a.shape, dtype or a.dtype, a._context)


def full_like(a, value, dtype=None):
    """Peer: cupy.full_like."""
    return full(a.shape, value, dtype or a.dtype, _context=a._context)


def zeros_like(a, dtype=None):
    """Peer: cupy.zeros_like."""
    return full_like(a, 0, dtype)


def ones_like(a, dtype=None):
    """Peer: cupy.ones_like."""
    return full_like(a, 1, dtype)


def arange(*args, dtype=None, device=None):
    """Peer: cupy.arange."""
    return asarray(np.arange(*args, dtype=dtype), device=device)


# Shapes


def ravel(a):
    """All pixels in one row. A copy, or the same pixels."""
    return reshape(image(a), (a.size,))


def reshape(a, *shape):
    """The same pixels in another shape."""
    shape = shape[0] if len(shape) == 1 else shape
    shape = (shape,) if np.ndim(shape) == 0 else tuple(int(side) for side in shape)
    if -1 in shape:
        rest = -int(np.prod(shape))
        if not rest or a.size % rest:
            raise ValueError(f"cannot reshape array of size {a.size} into shape {shape}")
        shape = tuple(a.size // rest if side == -1 else side for side in shape)
    if int(np.prod(shape)) != a.size:
        raise ValueError(f"cannot reshape array of size {a.size} into shape {shape}")
    return a if shape == a.shape else _ops.reshape(image(a), shape)


def diagonal(a, offset=0):
    """The elements of a diagonal."""
    return _on_host("diagonal", lambda b: b.diagonal(offset), image(a))


def getitem(x, key):
    """x[a:b, c:d], x[i], x[i, j], x[:, :, k] of colours: parts, as copies."""
    key = key if isinstance(key, tuple) else (key,)
    if any(isinstance(k, ndarray) and k.dtype == BOOL for k in key) and len(key) == 1:
        return compress(key[0].ravel(), x.ravel())
    if Ellipsis in key:
        place = key.index(Ellipsis)
        key = key[:place] + (slice(None),) * (x.ndim - len(key) + 1) + key[place + 1 :]
    if len(key) > x.ndim:
        raise IndexError(
            f"too many indices for array: array is {x.ndim}-dimensional, but "
            f"{len(key)} were indexed"
        )
    key += (slice(None),) * (x.ndim - len(key))
    parts = [_part(k, side) for k, side in zip(key, x.shape)]
    shape = tuple(stop - start for (start, stop, gone) in parts if not gone)
    if x._handle is None:
        return asarray(x.get()[key])
    if x._type == lib.CLUMP_RGB:
        return _colour_part(x, parts, shape)
    if x.ndim > 2:
        return _on_host("a part of an array of more than 2 axes", lambda a: a[key], x)
    (start, stop, _), (left, right, _) = (
        ([(0, 1, True)] + parts)[-2:] if x.ndim else [(0, 1, 1)] * 2
    )
    part = _ops.crop(x, start, left, stop - start, right - left, shape)
    return part if shape else part.get()[()]


def _part(key, side):
    """The first, one past the last, and whether the axis goes away."""
    if isinstance(key, (int, np.integer)) and not isinstance(key, bool):
        index = operator.index(key)
        if not -side <= index < side:
            raise IndexError(f"index {index} is out of bounds for axis with size {side}")
        index %= side
        return index, index + 1, True
    if isinstance(key, slice):
        start, stop, step = key.indices(side)
        if step == 1:
            return start, max(start, stop), False
    raise IndexError(
        f"a device array takes numbers and slices without steps as indices, not {key!r}; "
        "use `.get()` first"
    )


def _colour_part(x, parts, shape):
    (start, stop, row), (left, right, col), (first, last, one) = parts
    if not row and not col and (stop - start, right - left) != x.shape[:2]:
        x = _ops.crop(x, start, left, stop - start, right - left, (stop - start, right - left, 3))
    if one and not row and not col:
        return _ops.channel(x, first)
    if not row and not col and last - first == 3:
        return x
    a = x.get()[
        start if row else slice(None),
        left if col else slice(None),
        first if one else slice(first, last),
    ]
    return _upload(np.asarray(a), x.dtype, x._context) if np.ndim(a) else a


def compress(condition, a, axis=None):
    """The elements of `a` where `condition` is set, in one row. Peer: numpy.compress."""
    if axis is not None and image(a).ndim != 1:
        refuse("compress", "axis", axis)
    a, condition = image(a), _ops.mask(either(condition))
    if a._handle is None or condition.size != a.size or a._type == lib.CLUMP_RGB:
        return _on_host("compress of arrays of two sizes", lambda c, b: b.compress(c), condition, a)
    return _ops.compress(_ops.number(reshape(a, (a.size,))), reshape(condition, (a.size,)))


def where(condition, *choices):
    """where(mask, x, y). Peer: numpy.where. (mask, 1, 0) costs nothing."""
    if not choices:
        return tuple(np.nonzero(host(condition)))
    condition = _ops.mask(image(condition)) if isinstance(condition, ndarray) else condition
    x, y = choices
    if (
        isinstance(condition, ndarray)
        and condition._handle is not None
        and not any(isinstance(v, (ndarray, np.ndarray)) for v in choices)
        and x == 1
        and y == 0
    ):
        dtype = canonical(np.result_type(x, y))
        return ndarray._of(condition._handle, condition.shape, dtype)
    if (
        isinstance(condition, ndarray)
        and condition._handle is not None
        and all(_selects(v, condition) for v in choices)
    ):
        result = _ops.select(
            condition, *(_ops.native(v) if isinstance(v, ndarray) else v for v in choices)
        )
        if not any(isinstance(v, ndarray) for v in choices):
            result = ndarray._of(result._handle, result.shape, canonical(np.result_type(x, y)))
        return result
    return _on_host("where", np.where, condition, x, y)


def _selects(value, condition):
    """Whether the library's select takes a value as NumPy would."""
    if isinstance(value, ndarray):
        return _plain(value) and value.shape == condition.shape
    return isinstance(value, (int, float, np.floating, np.integer)) and not isinstance(value, bool)


def copy(a):
    """A copy on the same device."""
    if a._handle is None:
        return a
    colour = a._type == lib.CLUMP_RGB
    rows, cols = _pixels.rows_cols(a.shape, colour)
    part = _ops.crop(a, 0, 0, rows, cols, a.shape)
    part._host = a._host
    return part


# Comparing arrays


def _pair(a, b):
    """Two arrays on one device, or None where NumPy has to broadcast."""
    x = a if isinstance(a, ndarray) else b
    a, b = (
        (
            v
            if isinstance(v, ndarray)
            else asarray(v, device=x._context) if isinstance(v, (np.ndarray, list)) else v
        )
        for v in (a, b)
    )
    if (
        not (isinstance(a, ndarray) and isinstance(b, ndarray))
        or a.shape != b.shape
        or (a._handle is None or lib.CLUMP_RGB in (a._type, b._type))
    ):
        return None
    return _ops.native(a), _ops.native(b)


def allclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Whether two arrays agree, of either kind. Peer: numpy.allclose."""
    pair = _pair(a, b)
    if pair is None:
        trip("allclose of arrays of two shapes")
        return np.allclose(host(a), host(b), rtol, atol, equal_nan)
    return bool(_ops.allclose(*pair, rtol, atol, equal_nan).close)


def array_equal(a, b, equal_nan=False):
    """Whether two arrays have the same shape and values. Peer: numpy.array_equal."""
    if np.shape(a) != np.shape(b):
        return False
    pair = _pair(a, b)
    if pair is None:
        return np.array_equal(host(a), host(b), equal_nan)
    return bool(_ops.allclose(*pair, 0, 0, equal_nan).close)


def isclose(a, b, rtol=1e-5, atol=1e-8, equal_nan=False):
    """Peer: numpy.isclose."""
    x = a if isinstance(a, ndarray) else b
    trip("isclose")
    return asarray(np.isclose(host(a), host(b), rtol, atol, equal_nan), device=x._context)


def convolve(a, v, mode="full"):
    """Linear convolution of two rows. Peer: numpy.convolve. Integers are exact up to 2**53."""
    a, v = (_ops.either(x) if isinstance(x, ndarray) else x for x in (a, v))
    if np.ndim(a) > 1 or np.ndim(v) > 1:
        raise ValueError("object too deep for desired array")
    if not np.size(a) or not np.size(v):
        raise ValueError("a cannot be empty" if not np.size(a) else "v cannot be empty")
    if np.size(v) > np.size(a):
        a, v = v, a
    dtype = canonical(
        np.result_type(
            a.dtype if isinstance(a, ndarray) else np.asarray(a),
            v.dtype if isinstance(v, ndarray) else np.asarray(v),
        )
    )
    a = reshape(either(a), (a.size,))
    kept = _ops.real(_ops.astype(a, FLOAT64) if dtype == FLOAT64 else a)
    result = _ops.convolve(kept, host(v).reshape(1, -1), mode, one=True)
    if dtype == result.dtype:
        return result
    return _ops._convert(result, _pixels.TYPES[dtype], dtype) if dtype != BOOL else result > 0.5
