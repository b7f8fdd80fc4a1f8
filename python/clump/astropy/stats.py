# SPDX-License-Identifier: MIT
"""astropy.stats' sigma clipping on device arrays."""

import warnings

import numpy as np

from clump import _ops
from clump._array import asarray, ndarray
from clump._clump import ffi, lib
from clump._core import Handle
from clump._ops import BOOL
from clump._peer import peer
from clump._pixels import refuse

__all__ = ["sigma_clip", "sigma_clipped_stats", "SigmaClip"]


def _params(sigma, sigma_lower, sigma_upper, maxiters, cenfunc, stdfunc, axis, grow, ndim):
    if axis is not None and tuple(sorted(np.atleast_1d(axis) % max(ndim, 1))) != tuple(range(ndim)):
        refuse("sigma_clip", "axis", axis)
    if grow:
        refuse("sigma_clip", "grow", grow)
    centres = {
        "median": lib.CLUMP_CLIP_CENTRE_MEDIAN,
        np.median: lib.CLUMP_CLIP_CENTRE_MEDIAN,
        np.nanmedian: lib.CLUMP_CLIP_CENTRE_MEDIAN,
        "mean": lib.CLUMP_CLIP_CENTRE_MEAN,
        np.mean: lib.CLUMP_CLIP_CENTRE_MEAN,
        np.nanmean: lib.CLUMP_CLIP_CENTRE_MEAN,
    }
    scales = {
        "std": lib.CLUMP_CLIP_SCALE_STD,
        np.std: lib.CLUMP_CLIP_SCALE_STD,
        np.nanstd: lib.CLUMP_CLIP_SCALE_STD,
        "mad_std": lib.CLUMP_CLIP_SCALE_MAD,
    }
    if isinstance(cenfunc, str) and cenfunc not in centres:
        raise ValueError(f"{cenfunc} is an invalid cenfunc.")
    if isinstance(stdfunc, str) and stdfunc not in scales:
        raise ValueError(f"{stdfunc} is an invalid stdfunc.")
    if cenfunc not in centres or stdfunc not in scales:
        refuse("sigma_clip", "a function of yours as cenfunc or stdfunc")
    if maxiters is not None and maxiters < 0:
        raise ValueError("maxiters must be 0 or more")
    return _ops.defaults(
        "clip",
        kappa_low=sigma if sigma_lower is None else sigma_lower,
        kappa_high=sigma if sigma_upper is None else sigma_upper,
        max_iterations=0 if maxiters in (None, np.inf) else int(maxiters),
        centre=centres[cenfunc],
        scale=scales[stdfunc],
        inclusive=True,
    )


def _clip(x, params):
    """What clump_clip says, and the mask of the kept pixels."""
    mask, result = ffi.new("clump_image **"), ffi.new("struct clump_clip_result *")
    x = _ops.number(x)
    x._context.call(lib.clump_clip, x._context.pointer, x._pointer, params, mask, ffi.NULL, result)
    return result, ndarray._of(Handle(x._context, mask[0]), x.shape, BOOL)


def _warn_invalid():
    try:
        from astropy.utils.exceptions import AstropyUserWarning as kind
    except ImportError:
        kind = UserWarning
    warnings.warn(
        "Input data contains invalid values (NaNs or infs), which were automatically " "clipped.",
        kind,
        stacklevel=3,
    )


@peer("astropy.stats.sigma_clip", "data")
def sigma_clip(
    data,
    sigma=3,
    sigma_lower=None,
    sigma_upper=None,
    maxiters=5,
    cenfunc="median",
    stdfunc="std",
    axis=None,
    masked=True,
    return_bounds=False,
    copy=True,
    grow=False,
):
    """Sets aside the pixels that are further than sigma scales from the centre. Peer:
    astropy.stats.sigma_clip.

    On the device `masked=True` gives a pair, the data and a mask of what was clipped; else the
    pixels that are kept, in one row. Refused: axis (clump.host has it, line by line), grow,
    functions of the user. Waits.
    """
    x = _ops.image(data)
    params = _params(
        sigma, sigma_lower, sigma_upper, maxiters, cenfunc, stdfunc, axis, grow, x.ndim
    )
    result, kept = _clip(x, params)
    if result.before.blank or result.before.infinite:
        _warn_invalid()
    answer = (x, ~kept) if masked else x.ravel().compress(kept.ravel())
    if return_bounds:
        return (answer if isinstance(answer, tuple) else (answer,)) + (result.lower, result.upper)
    return answer


def _host_clip(
    data,
    sigma=3,
    sigma_lower=None,
    sigma_upper=None,
    maxiters=5,
    cenfunc="median",
    stdfunc="std",
    axis=None,
    masked=True,
    return_bounds=False,
    copy=True,
    grow=False,
):
    """sigma_clip of NumPy arrays, plain or masked: gives a masked array, or an array."""
    a = np.ma.asanyarray(data) if isinstance(data, np.ma.MaskedArray) else np.asanyarray(data)
    if _partial(axis, a.ndim) and a.size:
        params = (sigma, sigma_lower, sigma_upper, maxiters, cenfunc, stdfunc)
        return _clip_lines(a, params, axis, masked, return_bounds, copy, grow)
    if a.size == 0:
        if masked:
            a = np.ma.masked_invalid(a, copy=copy) if not isinstance(a, np.ma.MaskedArray) else a
        return (a, np.nan, np.nan) if return_bounds else a
    if isinstance(data, np.ma.MaskedArray) and data.mask.all():
        a = a if masked else np.full(a.shape, np.nan)
        return (a, np.nan, np.nan) if return_bounds else a
    params = _params(
        sigma, sigma_lower, sigma_upper, maxiters, cenfunc, stdfunc, axis, grow, a.ndim
    )
    masked_before = np.ma.getmaskarray(a)
    pixels = np.array(np.ma.getdata(a), float if a.dtype.kind != "f" else a.dtype)
    pixels[masked_before] = np.nan
    result, kept = _clip(asarray(pixels), params)
    clipped = ~kept.get()
    if np.any(~np.isfinite(np.ma.getdata(a)) & ~masked_before):
        _warn_invalid()
    bounds = (result.lower, result.upper)
    if masked:
        answer = np.ma.array(np.ma.getdata(a), mask=clipped, copy=copy, subok=True)
        answer = (
            answer
            if not isinstance(data, np.ma.MaskedArray)
            else np.ma.array(data, mask=clipped, copy=copy)
        )
    elif axis is None:
        answer = np.ma.getdata(a)[~clipped]
    else:
        answer = np.where(clipped, np.nan, np.ma.getdata(a))
    return (answer,) + bounds if return_bounds else answer


def _partial(axis, ndim):
    """Whether only some of the axes are clipped along."""
    if axis is None:
        return False
    axes = np.atleast_1d(axis)
    if np.any((axes < -ndim) | (axes >= ndim)):
        raise ValueError(f"axis {axis} is out of bounds for an array of {ndim} dimensions")
    return len(set(axes % ndim)) < ndim


def _lines(a, axis):
    """An array as rows, each with all pixels along the axes; and a function that puts rows back."""
    axes = tuple(sorted(set(np.atleast_1d(axis) % a.ndim)))
    rest = tuple(i for i in range(a.ndim) if i not in axes)
    turned = a.transpose(rest + axes)
    kept = turned.shape[: len(rest)]

    def back(rows):
        return rows.reshape(turned.shape).transpose(np.argsort(rest + axes))

    width = int(np.prod(turned.shape[len(rest) :]))
    return turned.reshape(-1, width), back, kept


def _clip_lines(a, params, axis, masked, return_bounds, copy, grow):
    """Clips each line along the axes for itself: one call of the library per line."""
    if grow:
        refuse("sigma_clip", "grow", grow)
    lines, back, kept = _lines(a, axis)
    clipped, bounds = np.empty(lines.shape, bool), np.empty((2, len(lines)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        for i, line in enumerate(lines):
            line, *ends = _host_clip(line, *params, None, True, True, True, False)
            clipped[i], bounds[:, i] = np.ma.getmaskarray(line), ends
    clipped = back(clipped)
    before = np.ma.getmaskarray(a)
    if np.any(~np.isfinite(np.ma.getdata(a)) & ~before):
        _warn_invalid()
    if masked:
        answer = np.ma.array(a, mask=clipped, copy=copy)
    else:
        data = np.array(np.ma.getdata(a), float if a.dtype.kind != "f" else a.dtype)
        data[clipped] = np.nan
        answer = data
    return (answer, *(bound.reshape(kept) for bound in bounds)) if return_bounds else answer


sigma_clip.__clump_host__ = _host_clip


@peer("astropy.stats.sigma_clipped_stats", "data mask")
def sigma_clipped_stats(
    data,
    mask=None,
    mask_value=None,
    sigma=3.0,
    sigma_lower=None,
    sigma_upper=None,
    maxiters=5,
    cenfunc="median",
    stdfunc="std",
    std_ddof=0,
    axis=None,
    grow=False,
):
    """Mean, median and standard deviation of what sigma_clip keeps. Peer:
    astropy.stats.sigma_clipped_stats."""
    x = _ops.image(data)
    params = _params(
        sigma, sigma_lower, sigma_upper, maxiters, cenfunc, stdfunc, axis, grow, x.ndim
    )
    if mask is not None:
        x = np.where(_ops.mask(_ops.image(mask)), np.nan, x)
    if mask_value is not None:
        x = np.where(x == mask_value, np.nan, x)
    result, _ = _clip(x, params)
    after = result.after
    std = after.std
    if std_ddof:
        left = after.count - std_ddof
        std = np.sqrt(after.variance * after.count / left) if left > 0 else np.nan
    return after.mean, after.median, std


def _host_stats(
    data,
    mask=None,
    mask_value=None,
    sigma=3.0,
    sigma_lower=None,
    sigma_upper=None,
    maxiters=5,
    cenfunc="median",
    stdfunc="std",
    std_ddof=0,
    axis=None,
    grow=False,
):
    """sigma_clipped_stats of NumPy arrays, or of an astropy Quantity: its unit goes to the figures."""
    unit = getattr(data, "unit", None)
    if unit is not None:
        params = (sigma, sigma_lower, sigma_upper, maxiters, cenfunc, stdfunc, std_ddof, axis, grow)
        mask_value = mask_value.to_value(unit) if hasattr(mask_value, "unit") else mask_value
        return tuple(f * unit for f in _host_stats(data.value, mask, mask_value, *params))
    if mask is not None:
        data = np.ma.MaskedArray(data, mask)
    if mask_value is not None:
        data = np.ma.masked_values(data, mask_value)
    if isinstance(data, np.ma.MaskedArray) and data.mask.all():
        return np.ma.masked, np.ma.masked, np.ma.masked
    if _partial(axis, np.ndim(data)) and np.size(data):
        params = (sigma, sigma_lower, sigma_upper, maxiters, cenfunc, stdfunc, std_ddof)
        lines, _, kept = _lines(np.ma.asanyarray(data), axis)
        rows = [_host_stats(line, None, None, *params, None, grow) for line in lines]
        rows = np.array([[np.nan if v is np.ma.masked else v for v in row] for row in rows], float)
        return tuple(column.reshape(kept) for column in rows.T)
    if stdfunc == "mad_std":
        kept = asarray(
            np.asarray(
                _host_clip(
                    data,
                    sigma,
                    sigma_lower,
                    sigma_upper,
                    maxiters,
                    cenfunc,
                    stdfunc,
                    axis,
                    False,
                    grow=grow,
                ),
                float,
            ).ravel()
        )
        result, _ = _ops.stats(kept, mad=True)
        return result.mean, result.median, result.mad * 1.482602218505602
    kept = _host_clip(
        data, sigma, sigma_lower, sigma_upper, maxiters, cenfunc, stdfunc, axis, False, grow=grow
    )
    result, _ = _ops.stats(asarray(np.asarray(kept, float).ravel()), ddof=int(std_ddof))
    return result.mean, result.median, result.std


sigma_clipped_stats.__clump_host__ = _host_stats


class SigmaClip:
    """sigma_clip with its parameters. Peer: astropy.stats.SigmaClip."""

    def __init__(
        self,
        sigma=3.0,
        sigma_lower=None,
        sigma_upper=None,
        maxiters=5,
        cenfunc="median",
        stdfunc="std",
        grow=False,
    ):
        self.sigma = sigma
        self.sigma_lower = sigma_lower or sigma
        self.sigma_upper = sigma_upper or sigma
        self.maxiters = maxiters or np.inf
        self.cenfunc, self.stdfunc, self.grow = cenfunc, stdfunc, grow
        for name, known in (("cenfunc", ("median", "mean")), ("stdfunc", ("std", "mad_std"))):
            if isinstance(getattr(self, name), str) and getattr(self, name) not in known:
                raise ValueError(f"{getattr(self, name)} is an invalid {name}.")

    def __repr__(self):
        return (
            f"SigmaClip(sigma={self.sigma}, sigma_lower={self.sigma_lower}, "
            f"sigma_upper={self.sigma_upper}, maxiters={self.maxiters}, "
            f"cenfunc={self.cenfunc!r}, stdfunc={self.stdfunc!r}, grow={self.grow})"
        )

    def __str__(self):
        names = "sigma sigma_lower sigma_upper maxiters cenfunc stdfunc grow".split()
        return "\n".join(["<SigmaClip>", *(f"    {n}: {getattr(self, n)!r}" for n in names)])

    def __call__(self, data, axis=None, masked=True, return_bounds=False, copy=True):
        function = sigma_clip if isinstance(data, ndarray) else _host_clip
        return function(
            data,
            self.sigma,
            self.sigma_lower,
            self.sigma_upper,
            self.maxiters,
            self.cenfunc,
            self.stdfunc,
            axis,
            masked,
            return_bounds,
            copy,
            self.grow,
        )
