# SPDX-License-Identifier: MIT
"""Reductions by NumPy's names: every figure is exact, rounded once; NaN spreads unless it is nan...
"""

import numpy as np

from clump import _ops
from clump._clump import lib
from clump._numpy import INTP, getitem
from clump._ops import FLOAT64, image
from clump._pixels import refuse, trip


def _whole(name, a, axis, others):
    """Checks that the figure is of the whole array."""
    if axis is not None and tuple(sorted(np.atleast_1d(axis) % (a.ndim or 1))) != tuple(
        range(a.ndim)
    ):
        refuse(name, "axis", axis)
    for argument, value in others.items():
        if value is not None and value is not np._NoValue and value is not False:
            refuse(name, argument)


def _float(a):
    """The dtype of a mean."""
    return a.dtype if a.dtype.kind == "f" else FLOAT64


def _stats(a, **values):
    image(a)
    if a._type == lib.CLUMP_RGB:
        trip("statistics of colours")
        a = _ops.asarray(a.get().reshape(1, -1).astype(np.uint16), device=a._context)
    return _ops.stats(a, **values)


def _reduced(name, figure):
    """mean, std, ... from the member of struct clump_stats_result, NaN spreading or not."""

    def make(spreads, name):
        def reduction(a, axis=None, dtype=None, out=None, ddof=0, **others):
            others["out"] = out
            _whole(name, a, axis, others)
            if a._handle is None:
                return getattr(np, name)(a.get())
            if ddof != int(ddof) or ddof < 0:
                refuse(name, "ddof", ddof)
            result, _ = _stats(a, ddof=int(ddof))
            value = np.nan if spreads and result.blank else getattr(result, figure)
            return (np.dtype(dtype) if dtype is not None else _float(a)).type(value)

        reduction.__name__ = reduction.__qualname__ = name
        reduction.__doc__ = (
            f"Peer: numpy.{name}. Of the whole array; axis, out, keepdims, where are "
            "not offered. Waits."
        )
        return reduction

    return make(True, name), make(False, "nan" + name)


mean, nanmean = _reduced("mean", "mean")
std, nanstd = _reduced("std", "std")
var, nanvar = _reduced("var", "variance")
median, nanmedian = _reduced("median", "median")


def average(a, axis=None, weights=None, **others):
    """Peer: numpy.average, without weights."""
    if weights is not None:
        refuse("average", "weights")
    return mean(a, axis, **others)


def sum(a, axis=None, dtype=None, out=None, **others):
    """Peer: numpy.sum. Integers are exact up to 2**53, and go through the host beyond."""
    others["out"] = out
    _whole("sum", a, axis, others)
    if a._handle is None:
        return np.sum(a.get(), dtype=dtype)
    result, _ = _stats(a)
    wanted = np.dtype(dtype) if dtype is not None else np.sum(np.empty(0, a.dtype)).dtype
    if wanted.kind in "iu" and abs(result.sum) >= 2**53:
        trip("sum of integers beyond 2**53")
        return np.sum(a.get(), dtype=dtype)
    return wanted.type(np.nan if result.blank else result.sum)


def nansum(a, axis=None, **others):
    """Peer: numpy.nansum."""
    _whole("nansum", a, axis, others)
    result, _ = _stats(a)
    return np.sum(np.empty(0, a.dtype)).dtype.type(result.sum)


def _extreme(name, figure, nan):
    def reduction(a, axis=None, out=None, **others):
        others["out"] = out
        _whole(name, a, axis, others)
        if a._handle is None:
            return getattr(np, name)(a.get())
        result, _ = _stats(a)
        if result.blank and (not nan or not result.count):
            return a.dtype.type(np.nan)
        value = getattr(result, figure)
        if a.dtype.kind in "iu" and abs(value) >= 2**53:
            return getitem(a, np.unravel_index(_place(a, result, figure), a.shape))
        return a.dtype.type(value)

    reduction.__name__ = reduction.__qualname__ = name
    reduction.__doc__ = f"Peer: numpy.{name}. Of the whole array. Waits."
    return reduction


def _place(a, result, figure):
    cols = lib.clump_image_cols(a._pointer)
    return int(getattr(result, figure + "_row") * cols + getattr(result, figure + "_col"))


amax = max = _extreme("amax", "max", False)
amin = min = _extreme("amin", "min", False)
nanmax = _extreme("nanmax", "max", True)
nanmin = _extreme("nanmin", "min", True)


def _argument(name, figure):
    def reduction(a, axis=None, out=None, **others):
        others["out"] = out
        _whole(name, a, axis, others)
        if a._handle is None:
            raise ValueError(f"attempt to get {name} of an empty sequence")
        result, _ = _stats(a)
        if result.blank:
            trip(f"{name} of an array with NaN")
            return getattr(np, name)(a.get())
        return INTP.type(_place(a, result, figure))

    reduction.__name__ = reduction.__qualname__ = name
    reduction.__doc__ = (
        f"Peer: numpy.{name}: the first of equals, by its place in the raveled array."
    )
    return reduction


argmax = _argument("argmax", "max")
argmin = _argument("argmin", "min")


def ptp(a, axis=None, **others):
    """Peer: numpy.ptp."""
    return amax(a, axis, **others) - amin(a, axis, **others)


def _quantiles(name, scale, nan):
    def reduction(a, q, axis=None, out=None, overwrite_input=False, method="linear", **others):
        others.pop("interpolation", None)
        others["out"] = out
        _whole(name, a, axis, others)
        if method != "linear":
            refuse(name, "method", method)
        q = np.asarray(q, FLOAT64)
        if np.any((q < 0) | (q > scale)):
            raise ValueError(
                "Percentiles must be in the range [0, 100]"
                if scale == 100
                else "Quantiles must be in the range [0, 1]"
            )
        result, values = _stats(a, quantiles=(q / scale).ravel())
        if result.blank and not nan:
            values[:] = np.nan
        values = values.reshape(q.shape).astype(_float(a))
        return values if q.ndim else values[()]

    reduction.__name__ = reduction.__qualname__ = name
    reduction.__doc__ = f"Peer: numpy.{name}, method linear, of the whole array. Waits."
    return reduction


quantile, nanquantile = _quantiles("quantile", 1, False), _quantiles("nanquantile", 1, True)
percentile, nanpercentile = _quantiles("percentile", 100, False), _quantiles(
    "nanpercentile", 100, True
)


def count_nonzero(a, axis=None, **others):
    """Peer: numpy.count_nonzero."""
    _whole("count_nonzero", a, axis, others)
    return int(_stats(_ops.mask(image(a)))[0].sum) if a._handle is not None else 0


def any(a, axis=None, out=None, **others):
    """Peer: numpy.any."""
    others["out"] = out
    _whole("any", a, axis, others)
    return np.bool_(count_nonzero(a) > 0)


def all(a, axis=None, out=None, **others):
    """Peer: numpy.all."""
    others["out"] = out
    _whole("all", a, axis, others)
    return np.bool_(count_nonzero(a) == a.size)


def unique(a, **others):
    """Peer: numpy.unique, as NumPy arrays."""
    trip("unique")
    return np.unique(image(a).get(), **others)


FIGURES = (
    "mean std var median nanmean nanstd nanvar nanmedian average sum nansum amax amin max min "
    "nanmax nanmin argmax argmin ptp quantile nanquantile percentile nanpercentile "
    "count_nonzero any all unique"
).split()
METHODS = ("mean std var sum max min argmax argmin ptp any all").split()
