# SPDX-License-Identifier: MIT
"""skimage.morphology on device arrays; footprints are NumPy arrays."""

import warnings

import numpy as np

from clump import _ops
from clump._array import ndarray
from clump._numpy import _on_host
from clump._ops import host
from clump._peer import into, peer
from clump._pixels import flat
from clump.scipy import _morphology as ndimage
from clump.scipy._measurements import labels_number
from clump.skimage._float import renamed

__all__ = [
    "binary_erosion",
    "binary_dilation",
    "binary_opening",
    "binary_closing",
    "remove_small_objects",
    "remove_small_holes",
    "disk",
    "square",
    "diamond",
    "rectangle",
    "footprint_rectangle",
]


def disk(radius, dtype=np.uint8):
    """x^2 + y^2 <= radius^2. Peer: skimage.morphology.disk."""
    side = np.arange(-radius, radius + 1)
    return np.array(side[:, None] ** 2 + side**2 <= radius**2, dtype=dtype)


def square(width, dtype=np.uint8):
    """Peer: skimage.morphology.square."""
    return np.ones((width, width), dtype=dtype)


def rectangle(nrows, ncols, dtype=np.uint8):
    """Peer: skimage.morphology.rectangle."""
    return np.ones((nrows, ncols), dtype=dtype)


def footprint_rectangle(shape, *, dtype=np.uint8):
    """Peer: skimage.morphology.footprint_rectangle."""
    return np.ones(shape, dtype=dtype)


def diamond(radius, dtype=np.uint8):
    """|x| + |y| <= radius. Peer: skimage.morphology.diamond."""
    side = np.abs(np.arange(-radius, radius + 1))
    return np.array(side[:, None] + side <= radius, dtype=dtype)


_MODES = {
    False: {"ignore": True, "max": True, "min": False},
    True: {"ignore": False, "max": True, "min": False},
}


def _steps(name, x, footprint, mode, dilate, out):
    """A footprint, or a sequence of footprints and how often each is applied."""
    flat(name, x)
    if mode not in _MODES[dilate]:
        raise NotImplementedError(f"{name}: mode={mode!r} is not offered here")
    run = ndimage.binary_dilation if dilate else ndimage.binary_erosion
    sequence = footprint if isinstance(footprint, tuple) else ((footprint, 1),)
    for cells, times in sequence:
        for _ in range(times):
            x = run(x, None if cells is None else host(cells), 1, None, None, _MODES[dilate][mode])
    return into(out, x)


@peer("skimage.morphology.binary_erosion", "image", "out")
def binary_erosion(image, footprint=None, out=None, *, mode="ignore", selem=None):
    """Peer: skimage.morphology.binary_erosion. Refused: modes other than ignore, max, min."""
    footprint = renamed("binary_erosion", "selem", "footprint", selem, footprint)
    return _steps("binary_erosion", _ops.image(image), footprint, mode, False, out)


@peer("skimage.morphology.binary_dilation", "image", "out")
def binary_dilation(image, footprint=None, out=None, *, mode="ignore", selem=None):
    """Peer: skimage.morphology.binary_dilation."""
    footprint = renamed("binary_dilation", "selem", "footprint", selem, footprint)
    return _steps("binary_dilation", _ops.image(image), footprint, mode, True, out)


@peer("skimage.morphology.binary_opening", "image", "out")
def binary_opening(image, footprint=None, out=None, *, mode="ignore", selem=None):
    """Peer: skimage.morphology.binary_opening."""
    footprint = renamed("binary_opening", "selem", "footprint", selem, footprint)
    x = _steps("binary_opening", _ops.image(image), footprint, mode, False, None)
    return _steps("binary_opening", x, footprint, mode, True, out)


@peer("skimage.morphology.binary_closing", "image", "out")
def binary_closing(image, footprint=None, out=None, *, mode="ignore", selem=None):
    """Peer: skimage.morphology.binary_closing."""
    footprint = renamed("binary_closing", "selem", "footprint", selem, footprint)
    x = _steps("binary_closing", _ops.image(image), footprint, mode, True, None)
    return _steps("binary_closing", x, footprint, mode, False, out)


def _check(x):
    if x.dtype.kind not in "biu":
        raise TypeError(f"Only bool or integer image types are supported. Got {x.dtype}.")


def _target(name, out, in_place, x):
    """Where the result goes, and of what type it is to be."""
    if in_place:
        warnings.warn(
            f"{name}: the in_place argument is deprecated; `out` says where the result goes",
            FutureWarning,
            stacklevel=3,
        )
        out = x if out is None else out
    return out, x.dtype if out is None else np.dtype(getattr(out, "dtype", out))


@peer("skimage.morphology.remove_small_objects", "ar", "out")
def remove_small_objects(ar, min_size=64, connectivity=1, in_place=False, *, out=None):
    """Removes objects of fewer than min_size pixels. Peer: skimage.morphology.remove_small_objects.

    Of a mask on the device; of labels through the host. The type of `out` decides which of them the
    image is, as in the peer.
    """
    x = _ops.image(ar)
    _check(x)
    out, kind = _target("remove_small_objects", out, in_place, x)
    if min_size == 0:
        return into(out, x)
    flat("remove_small_objects", x)
    if kind == np.bool_:
        least, neighbours = int(np.ceil(min_size)), 4 if connectivity == 1 else 8
        kept = _ops.morphology(_ops.mask(x), "REMOVE", min_area=least, connectivity=neighbours)
        return into(out, kept)
    if x.dtype == np.bool_:
        x = _ops.number(x)
    if _ops.stats(x)[0].min < 0:
        raise ValueError(
            "Negative value labels are not supported. Try relabeling the input with "
            "`scipy.ndimage.label` or `skimage.morphology.label`."
        )
    regions = _ops.measure(labels_number(x), brief=True)
    if len(regions) == 1:
        warnings.warn(
            "Only one label was provided to `remove_small_objects`. Did you mean to use a "
            "boolean array?",
            stacklevel=2,
        )
    small = regions["label"][regions["area"] < min_size]
    if not small.size:
        return into(out, x)
    return into(
        out,
        _on_host(
            "remove_small_objects of labels",
            lambda a: np.where(np.isin(a, small), a.dtype.type(0), a),
            x,
        ),
    )


@peer("skimage.morphology.remove_small_holes", "ar", "out")
def remove_small_holes(ar, area_threshold=64, connectivity=1, in_place=False, *, out=None):
    """Fills holes of fewer than area_threshold pixels. Peer:
    skimage.morphology.remove_small_holes."""
    x = _ops.image(ar)
    _check(x)
    out, _ = _target("remove_small_holes", out, in_place, x)
    if x.dtype != np.bool_:
        warnings.warn(
            "Any labeled images will be returned as a boolean array. Did you mean to use a "
            "boolean array?",
            UserWarning,
            stacklevel=2,
        )
    if out is not None and np.dtype(out.dtype if isinstance(out, ndarray) else out) != np.bool_:
        raise TypeError("out dtype must be bool")
    filled = remove_small_objects(~_ops.mask(x), area_threshold, connectivity)
    return into(out, ~filled)
