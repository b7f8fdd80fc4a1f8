# SPDX-License-Identifier: MIT
"""Marks functions that have a peer elsewhere; clump.host makes their twins from these marks."""

import functools
import inspect

import numpy as np

from clump import _ops
from clump._array import ndarray
from clump._pixels import canonical, refuse


def peer(name, images="", output=None):
    """Marks a function: the peer's full name, the arguments that are images, the one that names the
    result's type or place."""

    def mark(function):
        function.__clump__ = (name, tuple(images.split()), output)
        return function

    return mark


def with_axes(function):
    """Adds newer SciPy's keyword `axes`, which is refused where it leaves an axis out."""
    name = function.__name__
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(input, *args, axes=None, **kwargs):
        if axes is not None:
            ndim = np.ndim(input) if not isinstance(input, ndarray) else input.ndim
            if {axis % max(ndim, 1) for axis in np.atleast_1d(axes)} != set(range(ndim)):
                refuse(name, "axes", axes)
        return function(input, *args, **kwargs)

    added = inspect.Parameter("axes", inspect.Parameter.KEYWORD_ONLY, default=None)
    call.__signature__ = signature.replace(parameters=[*signature.parameters.values(), added])
    return call


def into(output, result, dtype=None):
    """What `output` asks for: a dtype, an array to be filled (its pixels are exchanged), or None.
    """
    if output is None:
        return result if dtype is None else _ops.astype(result, dtype)
    if not isinstance(output, ndarray):
        if isinstance(output, np.ndarray):
            raise TypeError(f"Unsupported type {type(output)}")
        return _ops.astype(result, canonical(output))
    if output.shape != result.shape:
        raise RuntimeError("output shape not correct")
    _ops.image(output)
    if result.dtype != output.dtype and not _poses(result, output.dtype):
        result = _ops.astype(result, output.dtype)
    output._handle, output._type, output._host = result._handle, result._type, None
    output._context = result._context
    return output


def _poses(result, dtype):
    """Whether every value has its place in `dtype`, so that the pixels may stay as they are kept.
    """
    return result.dtype.kind in "bui" and np.can_cast(result.dtype, dtype, "safe")


def sequence(value, count, what="sigma"):
    """One value for each axis, as SciPy's _ni_support._normalize_sequence."""
    if isinstance(value, str) or np.ndim(value) == 0:
        return [value] * count
    value = list(value)
    if len(value) != count:
        raise RuntimeError("sequence argument must have length equal to input rank")
    return value
