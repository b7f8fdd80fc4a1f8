# SPDX-License-Identifier: MIT
"""Ties the functions to ndarray's methods and operators, and to NumPy's protocols."""

import numpy as np

from clump import _array, _figures, _numpy
from clump._array import ndarray
from clump._numpy import _arith, _compare, _logic

_FUNCTIONS = {
    "allclose": _numpy.allclose,
    "isclose": _numpy.isclose,
    "array_equal": _numpy.array_equal,
    "convolve": _numpy.convolve,
    "where": _numpy.where,
    "compress": _numpy.compress,
    "ravel": _numpy.ravel,
    "reshape": _numpy.reshape,
    "diagonal": _numpy.diagonal,
    "copy": _numpy.copy,
    "empty_like": _numpy.empty_like,
    "zeros_like": _numpy.zeros_like,
    "ones_like": _numpy.ones_like,
    "full_like": _numpy.full_like,
    "shape": lambda a: a.shape,
    "ndim": lambda a: a.ndim,
    "size": lambda a: a.size,
    "nonzero": lambda a: _numpy.where(a),
    **{name: getattr(_figures, name) for name in _figures.FIGURES},
}
_TABLE = {getattr(np, name): function for name, function in _FUNCTIONS.items()}


def dispatch(function, types, args, kwargs):
    """ndarray.__array_function__"""
    known = _TABLE.get(function)
    if known is None or not all(issubclass(kind, (ndarray, np.ndarray)) for kind in types):
        return NotImplemented
    return known(*args, **kwargs)


def _methods():
    for name in _figures.METHODS:
        setattr(ndarray, name, getattr(_figures, name))
    for name in ("ravel", "reshape", "diagonal", "copy"):
        setattr(ndarray, name, getattr(_numpy, name))
    ndarray.flatten = _numpy.ravel
    ndarray.compress = lambda self, condition, axis=None: _numpy.compress(condition, self, axis)
    ndarray.astype = _array.astype
    ndarray.__getitem__ = _numpy.getitem


def _operators():
    for name, ufunc in {
        "gt": "greater",
        "ge": "greater_equal",
        "lt": "less",
        "le": "less_equal",
        "eq": "equal",
        "ne": "not_equal",
    }.items():
        setattr(ndarray, f"__{name}__", lambda a, b, ufunc=ufunc: _compare(ufunc, a, b))
    for name, ufunc in {
        "add": "add",
        "sub": "subtract",
        "mul": "multiply",
        "truediv": "divide",
    }.items():
        setattr(ndarray, f"__{name}__", lambda a, b, ufunc=ufunc: _arith(ufunc, a, b))
        setattr(ndarray, f"__r{name}__", lambda a, b, ufunc=ufunc: _arith(ufunc, b, a))
    for name in ("and", "or", "xor"):
        setattr(ndarray, f"__{name}__", lambda a, b, name=name: _logic(name, a, b))
        setattr(ndarray, f"__r{name}__", lambda a, b, name=name: _logic(name, b, a))
    ndarray.__invert__ = _numpy._invert
    ndarray.__neg__ = _numpy._negative
    ndarray.__pos__ = lambda self: self
    ndarray.__hash__ = None


_methods()
_operators()
