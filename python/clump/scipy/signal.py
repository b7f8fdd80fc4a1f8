# SPDX-License-Identifier: MIT
"""scipy.signal's convolutions on device arrays."""

import numpy as np

from clump import _ops
from clump._array import ndarray
from clump._ops import BOOL, FLOAT64, host, image
from clump._peer import peer
from clump._pixels import canonical, flat, refuse

__all__ = ["convolve2d", "correlate2d", "convolve", "correlate", "fftconvolve"]

_BOUNDARIES = {
    "fill": "fill",
    "pad": "fill",
    "wrap": "wrap",
    "circular": "wrap",
    "symm": "symm",
    "symmetric": "symm",
}


def _mode(mode, boundary="fill"):
    if mode not in ("full", "same", "valid"):
        raise ValueError("Acceptable mode flags are 'valid', 'same', or 'full'.")
    if boundary not in _BOUNDARIES:
        raise ValueError(
            "Acceptable boundary flags are 'fill', 'circular' (or 'wrap'), and "
            "'symmetric' (or 'symm')."
        )
    return mode, _BOUNDARIES[boundary]


def _result_type(in1, in2):
    dtype = canonical(np.result_type(in1.dtype, in2.dtype))
    return np.dtype(np.float32) if dtype == np.float16 else dtype


def _run(in1, weights, mode, boundary="fill", fillvalue=0.0):
    """Integers through float64, where they are exact up to 2**53."""
    dtype = _result_type(in1, weights)
    if not np.all(np.isfinite(weights)):
        raise ValueError("the weights of a convolution must be finite")
    x = _ops.real(_ops.astype(in1, FLOAT64) if dtype != np.float32 else in1)
    rows = in1.shape if in1.ndim == 2 else (1,) + in1.shape
    cells = np.atleast_2d(weights)
    if mode == "valid" and not (
        all(a >= b for a, b in zip(rows, cells.shape))
        or all(a <= b for a, b in zip(rows, cells.shape))
    ):
        raise ValueError(
            "For 'valid' mode, one must be at least as large as the other in every " "dimension"
        )
    result = _ops.convolve(x, cells, mode, boundary, fillvalue)
    if dtype == result.dtype:
        return result
    return result > 0.5 if dtype == BOOL else _ops._convert(result, _ops.TYPES[dtype], dtype)


@peer("scipy.signal.convolve2d", "in1")
def convolve2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """Convolves two images. Peer: scipy.signal.convolve2d.

    in2, the weights, is on the device or the host. Refused: complex numbers (TypeError), weights
    that are not finite (ValueError). Does not wait, but for weights that a device computed.
    """
    in1, weights = image(in1), host(in2)
    if not in1.ndim == weights.ndim == 2:
        raise ValueError("convolve2d inputs must both be 2-D arrays")
    mode, boundary = _mode(mode, boundary)
    if mode == "valid" and _smaller(in1, weights):
        in1, weights = _swapped(in1, weights)
    if np.size(fillvalue) != 1:
        raise ValueError("`fillvalue` must be scalar or an array with one element")
    if np.iscomplexobj(fillvalue):
        raise ValueError("could not cast `fillvalue` directly to the output type: it is complex")
    return _run(in1, weights, mode, boundary, float(np.asarray(fillvalue).item()))


def _smaller(in1, weights):
    shapes = list(zip(in1.shape, weights.shape))
    if not (all(a >= b for a, b in shapes) or all(a <= b for a, b in shapes)):
        raise ValueError(
            "For 'valid' mode, one must be at least as large as the other in every " "dimension"
        )
    return not all(a >= b for a, b in shapes)


def _swapped(in1, weights):
    return _ops.asarray(weights, device=in1._context), host(in1)


@peer("scipy.signal.correlate2d", "in1")
def correlate2d(in1, in2, mode="full", boundary="fill", fillvalue=0):
    """Cross-correlates two images. Peer: scipy.signal.correlate2d. As convolve2d otherwise."""
    in1, weights = image(in1), host(in2)
    if not in1.ndim == weights.ndim == 2:
        raise ValueError("correlate2d inputs must both be 2-D arrays")
    mode, boundary = _mode(mode, boundary)
    if mode == "valid" and _smaller(in1, weights):
        small, large = in1, _ops.asarray(weights, device=in1._context)
        return _turned(convolve2d(large, host(small)[::-1, ::-1], mode, boundary, fillvalue))
    weights = weights[::-1, ::-1]
    if mode == "same" and not all(side % 2 for side in weights.shape):
        whole = _run(in1, weights, "full", boundary, float(fillvalue))
        top, left = ((side - 1) // 2 for side in weights.shape)
        top, left = weights.shape[0] - 1 - top - (weights.shape[0] + 1) % 2 * 0, left
        return whole[top : top + in1.shape[0], left : left + in1.shape[1]]
    return _run(in1, weights, mode, boundary, float(fillvalue))


def _turned(x):
    """A small result, turned by half a turn."""
    from clump._numpy import _on_host

    return _on_host("turning an image", lambda a: np.ascontiguousarray(a[::-1, ::-1]), x)


def _one(name, in1, in2, mode, axes=None):
    """convolve of one or two axes; `same` has the size of in1."""
    in1, weights = image(in1), host(in2)
    if in1.ndim == weights.ndim == 0:
        return in1 * weights[()]
    if in1.ndim != weights.ndim:
        raise ValueError(
            f"{'in1 and in2' if name == 'fftconvolve' else 'volume and kernel'} "
            "should have the same dimensionality"
        )
    if axes is not None:
        refuse(name, "axes", axes)
    if not in1.size or not weights.size:
        return _ops.asarray(np.array([]), device=in1._context)
    flat(name, in1)
    _mode(mode)
    if mode == "valid" and _smaller(in1, weights):
        in1, weights = _swapped(in1, weights)
    return _run(in1, weights, mode)


@peer("scipy.signal.convolve", "in1")
def convolve(in1, in2, mode="full", method="auto"):
    """Convolves arrays of 1 or 2 axes, directly. Peer: scipy.signal.convolve."""
    if method not in ("auto", "direct", "fft"):
        raise ValueError("Acceptable method flags are 'auto', 'direct', or 'fft'.")
    return _one("convolve", in1, in2, mode)


@peer("scipy.signal.fftconvolve", "in1")
def fftconvolve(in1, in2, mode="full", axes=None):
    """Convolves arrays of 1 or 2 axes. Peer: scipy.signal.fftconvolve; floats come out."""
    result = _one("fftconvolve", in1, in2, mode, axes)
    return result if result.dtype.kind == "f" or not result.size else _ops.astype(result, FLOAT64)


@peer("scipy.signal.correlate", "in1")
def correlate(in1, in2, mode="full", method="auto"):
    """Cross-correlates arrays of 1 or 2 axes. Peer: scipy.signal.correlate."""
    weights = host(in2)
    image(in1)
    if mode == "valid" and in1.ndim == weights.ndim and weights.ndim and _smaller(in1, weights):
        turned = _one(
            "correlate",
            in2 if isinstance(in2, ndarray) else _ops.asarray(in2, device=in1._context),
            _flipped(host(in1)),
            mode,
        )
        return _ops.asarray(_flipped(turned.get()), device=in1._context)
    return _one("correlate", in1, _flipped(weights), mode)


def _flipped(a):
    return np.ascontiguousarray(a[tuple([slice(None, None, -1)] * a.ndim)])
