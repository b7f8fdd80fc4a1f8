# SPDX-License-Identifier: MIT
"""skimage.color.label2rgb on device arrays."""

import warnings

import numpy as np

from clump import _ops
from clump._ops import FLOAT64
from clump._peer import peer
from clump._pixels import flat, refuse, trip

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
LUMA = np.array([0.2125, 0.7154, 0.0721])


def _vector(colour):
    """A colour as three floats of 0 to 1."""
    if not isinstance(colour, str):
        return np.array(colour, FLOAT64)[:3]
    if colour not in NAMES:
        refuse("label2rgb", "the colour", colour)
    return np.array(NAMES[colour]) / 255.0


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

    The floats are made on the host; clump.label2rgb makes bytes on the device. Refused: saturation
    other than 0 and 1, more than 2 axes.
    """
    x = flat("label2rgb", _ops.image(label))
    a = None
    if kind not in ("overlay", "avg"):
        raise ValueError("`kind` must be either 'overlay' or 'avg'.")
    trip("label2rgb as floats")
    if image is not None:
        a = _ops.image(image).get()
        if channel_axis not in (-1, a.ndim - 1) and a.ndim == x.ndim + 1:
            a = np.moveaxis(a, channel_axis, -1)
        if a.shape[: x.ndim] != x.shape:
            raise ValueError("`image` and `label` must be the same shape")
        if a.ndim == x.ndim + 1 and a.shape[-1] not in (3,):
            raise ValueError("`image` must be RGB (image.shape[-1] must be 3).")
    if kind == "avg":
        colours = _average(x.get(), a, bg_label, bg_color)
    else:
        colours = _overlay(x.get(), a, colors, alpha, bg_label, bg_color, image_alpha, saturation)
    if channel_axis not in (-1, x.ndim):
        colours = np.ascontiguousarray(np.moveaxis(colours, -1, channel_axis))
    return _ops.asarray(colours, device=x._context)


def _average(labels, image, bg_label, bg_color):
    """The mean colour of each label."""
    image = image if image.ndim == labels.ndim + 1 else np.stack([image] * 3, -1)
    result = np.zeros(labels.shape + (3,), image.dtype)
    for number in np.unique(labels):
        inside = labels == number
        if number != bg_label:
            result[inside] = image[inside].mean(axis=0)
        else:
            result[inside] = _vector(bg_color if bg_color is not None else (0, 0, 0))
    return result


def _picture(image, labels, saturation):
    """A picture as floats of three equal parts, or in its colours."""
    if image.dtype.kind != "f":
        image = image / np.iinfo(image.dtype).max
    image = image.astype(FLOAT64)
    if image.min() < 0:
        warnings.warn("Negative intensities in `image` are not supported", stacklevel=4)
    if not 0 <= saturation <= 1:
        warnings.warn(f"saturation must be in range [0, 1], got {saturation}", stacklevel=4)
        saturation = min(max(saturation, 0), 1)
    if saturation not in (0, 1):
        refuse("label2rgb", "saturation", saturation)
    if image.ndim == labels.ndim:
        return np.stack([image] * 3, -1)
    return image if saturation == 1 else np.stack([image @ LUMA] * 3, -1)


def _overlay(labels, image, colors, alpha, bg_label, bg_color, image_alpha, saturation):
    """Labels get the colours in turn, by their rank; the background its own."""
    table = [_vector(colour) for colour in (USUAL if colors is None else colors)]
    if image is None:
        under, alpha = np.zeros(labels.shape + (3,)), 1
    else:
        under = _picture(image, labels, saturation) * image_alpha + (1 - image_alpha)
    known, ranks = np.unique(labels, return_inverse=True)
    ranks = ranks.reshape(labels.shape)
    cycle = [number for number in known if number != bg_label]
    places = {number: table[place % len(table)] for place, number in enumerate(cycle)}
    behind = _vector(bg_color if bg_color is not None else (0, 0, 0))
    colours = np.array([places.get(number, behind) for number in known])[ranks]
    result = colours * alpha + under * (1 - alpha)
    if bg_color is None and bg_label in known:
        result[labels == bg_label] = under[labels == bg_label]
    return result
