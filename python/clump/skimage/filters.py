# SPDX-License-Identifier: MIT
"""skimage.filters on device arrays."""

import warnings

import numpy as np

from clump import _ops
from clump._array import ndarray
from clump._ops import FLOAT64, host
from clump._peer import into, peer
from clump._pixels import flat, trip
from clump.scipy._filters import boundary, gaussian_filter
from clump.skimage._float import as_float

__all__ = ["gaussian", "threshold_otsu", "apply_hysteresis_threshold"]


@peer("skimage.filters.gaussian", "image", "output")
def gaussian(
    image,
    sigma=1,
    output=None,
    mode="nearest",
    cval=0,
    multichannel=None,
    preserve_range=False,
    truncate=4.0,
    *,
    channel_axis=None,
    out=None,
):
    """Blurs an image. Peer: skimage.filters.gaussian; integers become 0 to 1 before.

    channel_axis blurs each channel, through the host. Does not wait otherwise.
    """
    x = _ops.image(image)
    output = out if out is not None else output
    if np.any(np.asarray(sigma) < 0):
        raise ValueError("Sigma values less than zero are not valid")
    if multichannel is not None:
        warnings.warn(
            "`multichannel` is a deprecated argument name for `gaussian`. It will be removed "
            "in version 1.0. Please use `channel_axis` instead. Providing the `multichannel` "
            "argument positionally is deprecated too.",
            FutureWarning,
            stacklevel=2,
        )
        channel_axis = -1 if multichannel else None
    elif channel_axis is None and x.ndim == 3 and x.shape[-1] == 3:
        warnings.warn(
            "Automatic detection of the color channel was deprecated in v0.19, and "
            "`multichannel=None` or `channel_axis=None` will be a non-channel image in version "
            "1.0. Set "
            "`channel_axis=-1` explicitly to silence this.",
            RuntimeWarning,
            stacklevel=2,
        )
        channel_axis = -1
    if channel_axis is not None:
        return _channels(x, sigma, output, mode, cval, preserve_range, truncate, channel_axis)
    flat("gaussian", x)
    floats = as_float(x, preserve_range)
    if (
        output is not None
        and np.dtype(output.dtype if isinstance(output, ndarray) else output).kind != "f"
    ):
        raise ValueError("Provided output data type was not float")
    return gaussian_filter(floats, sigma, 0, output, mode, cval, truncate)


def _channels(x, sigma, output, mode, cval, preserve_range, truncate, axis):
    """Each channel on its own."""
    if x.ndim != 3:
        if x.ndim != 2:
            flat("gaussian", x)
    boundary(mode)
    trip("gaussian of channels")
    a = x.get()
    if np.ndim(sigma):
        sigma = tuple(sigma)
        if len(sigma) == a.ndim:
            sigma = sigma[:-1] if axis in (-1, a.ndim - 1) else sigma
    parts = [
        gaussian(
            _ops.asarray(np.ascontiguousarray(part), device=x._context),
            sigma,
            None,
            mode,
            cval,
            None,
            preserve_range,
            truncate,
        ).get()
        for part in np.moveaxis(a, axis, 0)
    ]
    result = _ops.asarray(np.moveaxis(np.stack(parts), 0, axis), device=x._context)
    return into(output, result)


def _otsu_of(counts, centres):
    """Otsu's threshold of a histogram."""
    counts = np.asarray(counts, FLOAT64)
    below, above = np.cumsum(counts), np.cumsum(counts[::-1])[::-1]
    with np.errstate(all="ignore"):
        mean1 = np.cumsum(counts * centres) / below
        mean2 = (np.cumsum((counts * centres)[::-1]) / above[::-1])[::-1]
    return centres[np.argmax(below[:-1] * above[1:] * (mean1[:-1] - mean2[1:]) ** 2)]


@peer("skimage.filters.threshold_otsu", "image")
def threshold_otsu(image=None, nbins=256, *, hist=None):
    """Otsu's threshold. Peer: skimage.filters.threshold_otsu.

    hist (counts, or a pair with the bins' centres) is taken on the host. Another number of bins
    than 256 for floats goes through the host. Waits.
    """
    if hist is not None:
        if isinstance(hist, (tuple, list)):
            counts, centres = (host(part) for part in hist)
        else:
            counts = host(hist)
            centres = np.arange(counts.size)
        there = np.flatnonzero(counts)
        counts, centres = (
            a[there[0] : there[-1] + 1] for a in (np.asarray(counts, FLOAT64), centres)
        )
        return _otsu_of(counts, centres)
    if image is None:
        raise ValueError("Either image or hist must be provided.")
    x = _ops.image(image)
    if x.ndim > 2 and x.shape[-1] in (3, 4):
        warnings.warn(
            f"threshold_otsu is expected to work correctly only for grayscale images; image "
            f"shape {x.shape} looks like that of an RGB image.",
            stacklevel=2,
        )
        if x._type == _ops.lib.CLUMP_RGB:
            trip("otsu of colours")
            x = _ops.asarray(x.get().ravel(), device=x._context)
    if nbins != 256 and x.dtype.kind == "f":
        trip("otsu with another number of bins than 256")
        counts, edges = np.histogram(x.get(), nbins)
        return _otsu_of(counts, (edges[1:] + edges[:-1]) / 2)
    level = _ops.otsu(_ops.native(x))
    return (
        int(level)
        if x.dtype.kind in "iu" and level == int(level)
        else x.dtype.type(level) if x.dtype.kind == "f" else level
    )


@peer("skimage.filters.apply_hysteresis_threshold", "image")
def apply_hysteresis_threshold(image, low, high):
    """Pixels above `low` that are connected to one above `high`. Peer:
    skimage.filters.apply_hysteresis_threshold. Refused: arrays of thresholds."""
    x = flat("apply_hysteresis_threshold", _ops.image(image))
    if isinstance(low, (np.ndarray, ndarray)) or isinstance(high, (np.ndarray, ndarray)):
        raise NotImplementedError("apply_hysteresis_threshold: low and high are numbers here")
    return _ops.hysteresis(_ops.number(_ops.native(x)), min(float(low), float(high)), float(high))
