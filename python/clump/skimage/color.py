# SPDX-License-Identifier: MIT
"""skimage.color.label2rgb on device arrays."""

import warnings

import numpy as np

from clump import _ops
from clump._clump import lib
from clump._ops import FLOAT64
from clump._peer import peer
from clump._pixels import refuse, trip
from clump.scipy._measurements import _regions, labels_number

__all__ = ["label2rgb"]

# scikit-image's ten, and a few more names of CSS
NAMES = {
    "red": (255, 0, 0),
    "blue": (0, 0, 255),
    "yellow": (255, 255, 0),
    "magenta": (255, 0, 255),
    "green": (0, 128, 0),
    "indigo": (75, 0, 130),
    "darkorange": (255, 140, 0),
    "cyan": (0, 255, 255),
    "pink": (255, 192, 203),
    "yellowgreen": (154, 205, 50),
    "lime": (0, 255, 0),
    "black": (0, 0, 0),
    "white": (255, 255, 255),
    "gray": (128, 128, 128),
    "grey": (128, 128, 128),
    "orange": (255, 165, 0),
    "purple": (128, 0, 128),
    "navy": (0, 0, 128),
    "teal": (0, 128, 128),
    "olive": (128, 128, 0),
    "maroon": (128, 0, 0),
    "silver": (192, 192, 192),
    "aqua": (0, 255, 255),
    "fuchsia": (255, 0, 255),
}
USUAL = list(NAMES)[:10]


def _vector(colour):
    """A colour as three floats of 0 to 1."""
    if not isinstance(colour, str):
        return np.array(colour, FLOAT64)[:3]
    if colour not in NAMES:
        refuse("label2rgb", "the colour", colour)
    return np.round(np.array(NAMES[colour]) / 255.0, 3)  # as scikit-image has them


@peer("skimage.color.label2rgb", "label image")
def label2rgb(
    label,
    image=None,
    colors=None,
    alpha=0.3,
    bg_label=0,
    bg_color=(0, 0, 0),
    image_alpha=1,
    kind="overlay",
    *,
    saturation=0,
    channel_axis=-1,
):
    """Colours of labels, over a picture or alone, as floats of 0 to 1. Peer:
    skimage.color.label2rgb.

    On the device, but for channels that are not the last axis, and for mean colours of bytes.
    clump.label2rgb makes bytes. Waits.
    """
    x = labels_number(_ops.image(label))
    if kind not in ("overlay", "avg"):
        raise ValueError("`kind` must be either 'overlay' or 'avg'.")
    a = None if image is None else _last_axis(x, _ops.image(image), channel_axis)
    if x._handle is None:
        return _ops.asarray(np.empty(x.shape + (3,)), device=x._context)
    known = _known(x)
    if kind == "avg":
        colours = _average(x, a, known, bg_label, bg_color)
    else:
        colours = _overlay(x, a, known, colors, alpha, bg_label, bg_color, image_alpha, saturation)
    if channel_axis in (-1, x.ndim):
        return colours
    trip("label2rgb with another axis of channels")
    moved = np.ascontiguousarray(np.moveaxis(colours.get(), -1, channel_axis))
    return _ops.asarray(moved, device=x._context)


def _last_axis(x, a, channel_axis):
    """The picture, with its channels in the last axis."""
    if channel_axis not in (-1, a.ndim - 1) and a.ndim == x.ndim + 1:
        trip("label2rgb with another axis of channels")
        a = _ops.asarray(
            np.ascontiguousarray(np.moveaxis(a.get(), channel_axis, -1)), device=a._context
        )
    if a.shape[: x.ndim] != x.shape or a.ndim > x.ndim + 1:
        raise ValueError("`image` and `label` must be the same shape")
    if a.ndim == x.ndim + 1 and a.shape[-1] not in (3,):
        raise ValueError("`image` must be RGB (image.shape[-1] must be 3).")
    return a


def _known(x):
    """The labels that the image has, 0 and negative ones too, in rising order."""
    regions, shift = _regions(None, x, 0, brief=True)
    return regions["label"].astype(np.int64) + shift


def _channels(x, a):
    """The three parts of a picture, each of the labels' shape, or the picture three times."""
    if a.ndim == x.ndim:
        return [a] * 3
    if a._type == lib.CLUMP_RGB:
        return [_ops.channel(a, k) for k in range(3)]
    table = _ops.reshape(a, (x.size, 3))
    one = (x.size, 1)
    return [_ops.reshape(_ops.crop(table, 0, k, *one, one), x.shape) for k in range(3)]


def _threefold(x, grey, place=None):
    """A picture in each column of a table with a row per pixel, or in one column, beside zeros:
    by a convolution, which adds nothing but zeros."""
    row = np.ones((1, 3)) if place is None else np.eye(3)[place : place + 1]
    table = _ops.convolve(_ops.real(_ops.reshape(grey, (x.size, 1))), row, "full")
    return _ops.reshape(table, x.shape + (3,))


def _average(x, a, known, bg_label, bg_color):
    """The mean colour of each label, in the picture's own type."""
    channels = _channels(x, a)
    means = np.stack([_regions(part, x, 0, brief=True)[0]["mean"] for part in channels], 1)
    means[known == bg_label] = _vector(bg_color if bg_color is not None else (0, 0, 0))
    if a.dtype in (np.float32, np.float64):
        return _ops.lookup(x, known, means.astype(a.dtype))
    trip("mean colours of integers")
    values = _ops.lookup(x, known, means).get().astype(a.dtype)
    return _ops.asarray(values, device=x._context)


def _unit(a):
    """Integers as floats of 0 to 1."""
    if a.dtype.kind == "f":
        return _ops.astype(a, FLOAT64)
    whole = 1 if a.dtype == np.bool_ else int(np.iinfo(a.dtype).max)
    return _ops.arith("divide", _ops.real(_ops.number(a)), float(whole))


def _under(x, a, image_alpha, saturation):
    """The picture as floats, of three equal parts or in its colours."""
    channels = _channels(x, a)
    if any(_ops.stats(part)[0].min < 0 for part in (channels[:1] if a.ndim == x.ndim else channels)):
        warnings.warn("Negative intensities in `image` are not supported", stacklevel=4)
    if not 0 <= saturation <= 1:
        warnings.warn(f"saturation must be in range [0, 1], got {saturation}", stacklevel=4)
        saturation = min(max(saturation, 0), 1)
    parts = [_unit(part) for part in (channels[:1] if a.ndim == x.ndim else channels)]
    value = parts[0]
    for part in parts[1:]:  # the V of HSV
        value = _ops.select(_ops.threshold(part, value), part, value)
    if len(parts) == 1 or saturation == 0:
        colours = _threefold(x, value)
    else:  # the same hue and value: a channel keeps its share of the distance from the value
        if saturation != 1:
            parts = [value - (value - part) * float(saturation) for part in parts]
        first, second, third = (_threefold(x, part, k) for k, part in enumerate(parts))
        colours = first + second + third
    return colours * float(image_alpha) + float(1 - image_alpha)


def _overlay(x, a, known, colors, alpha, bg_label, bg_color, image_alpha, saturation):
    """Labels get the colours in turn, by their rank; the background its own."""
    table = np.array([_vector(colour) for colour in (USUAL if colors is None else colors)])
    behind = known == bg_label
    colours = table[(np.cumsum(~behind) - 1) % len(table)]
    colours[behind] = _vector(bg_color if bg_color is not None else (0, 0, 0))
    if a is None:
        return _ops.lookup(x, known, colours)
    rest = np.full(colours.shape, 1 - alpha, FLOAT64)
    colours = colours * alpha
    if bg_color is None:
        colours[behind], rest[behind] = 0, 1
    under = _under(x, a, image_alpha, saturation)
    return _ops.lookup(x, known, colours) + under * _ops.lookup(x, known, rest)
