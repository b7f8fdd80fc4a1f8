# SPDX-License-Identifier: MIT
"""skimage.measure on device arrays."""

import warnings

import numpy as np

from clump import _ops
from clump._array import ndarray
from clump._ops import BOOL
from clump._peer import peer
from clump._pixels import flat, refuse, trip
from clump.scipy._measurements import _regions, labels_number
from clump.skimage._regionprops import INTEGERS, OBJECTS, OLDER, RegionProperties, Source

__all__ = ["label", "regionprops", "regionprops_table"]
MOST_VALUES = 256


@peer("skimage.measure.label", "label_image")
def label(label_image, background=None, return_num=False, connectivity=None):
    """Numbers connected pixels of equal value. Peer: skimage.measure.label.

    A mask, or pixels of one value, by one call of the library; of several values by one call per
    value, of which there are at most 256. Refused: more than 2 axes. Waits.
    """
    x = _ops.image(label_image)
    if connectivity is not None and not 1 <= connectivity <= max(x.ndim, 1):
        raise ValueError("Connectivity below 1 or above %d is illegal." % x.ndim)
    flat("label", x)
    neighbours = 4 if connectivity == 1 else 8
    if x._handle is None:
        labels, count = ndarray._of(None, x.shape, np.dtype(np.int64), x._context), 0
    elif background in (None, 0) and (x.dtype == BOOL or _one_value(x)):
        labels, count = _ops.label(_ops.mask(x), neighbours)
    else:
        labels, count = _by_value(x, 0 if background is None else background, neighbours)
    return (labels, count) if return_num else labels


def _one_value(x):
    """Whether all pixels that are not 0 are equal."""
    figures, _ = _ops.stats(_ops.native(x))
    value = figures.max if figures.max else figures.min
    if not value:
        return True
    if figures.min < 0 < figures.max or figures.blank:
        return False
    same = int(_ops.stats(x == x.dtype.type(value))[0].sum)
    return same + int(_ops.stats(x == 0)[0].sum) == x.size


def _by_value(x, background, connectivity):
    """Each value is labelled apart; then the regions are numbered in the order of their first
    pixels, which are the peaks of a flat image."""
    if x.dtype.kind == "f":
        trip("label of regions of equal value in floats")
        values = np.unique(x.get())
    else:
        regions, shift = _regions(None, labels_number(x), 0, brief=True)
        values = regions["label"].astype(np.int64) + shift
    if values.size > MOST_VALUES:
        refuse("label", f"an image of more than {MOST_VALUES} values")
    whole, count = None, 0
    for value in values[values != background]:
        mask = x == x.dtype.type(value)
        labels, more = _ops.label(mask, connectivity)
        labels = _ops.arith("add", labels, count)
        whole = _ops.select(mask, labels, 0 if whole is None else whole)
        count += more
    if whole is None:
        return _ops.label(_ops.mask(x * 0), connectivity)
    regions = _ops.measure(whole, _ops.arith("multiply", whole, 0), brief=True)
    places = regions["peak_row"] * np.uint64(x.shape[-1]) + regions["peak_col"]
    ranks = np.empty(count, np.int32)
    ranks[np.argsort(places)] = np.arange(1, count + 1)
    return _ops.lookup(whole, np.arange(1, count + 1), ranks), count


def _rows(labels, intensity, wanted):
    """The library's regions, with the figures that are wanted."""
    labels = labels_number(labels)
    values = {
        "perimeter": "perimeter" in wanted,
        "convex": bool({"area_convex", "solidity"} & wanted),
        "euler": "euler_number" in wanted,
    }
    return _ops.measure(labels, intensity, **values)


def _check(label_image, intensity_image):
    x = _ops.image(label_image)
    if x.ndim not in (2, 3):
        raise TypeError("Only 2-D and 3-D images supported.")
    if x.dtype.kind not in "iu":
        if x.dtype == np.bool_:
            raise TypeError(
                "Non-integer image types are ambiguous: use skimage.measure.label to label "
                "the connected components of label_image, or label_image.astype(np.uint8) "
                "to interpret the True values as a single label."
            )
        raise TypeError("Non-integer label_image types are ambiguous")
    if intensity_image is not None:
        if _ops.image(intensity_image).shape[: x.ndim] != x.shape:
            raise ValueError(
                "Label and intensity image shapes must match, except for channel (last) " "axis."
            )
        if intensity_image.ndim > 2:
            raise NotImplementedError(
                "regionprops: channels of the intensity image are not offered " "here"
            )
    flat("regionprops", x)
    return x, intensity_image


@peer("skimage.measure.regionprops", "label_image intensity_image")
def regionprops(
    label_image, intensity_image=None, cache=True, coordinates=None, *, extra_properties=None
):
    """Regions and their properties. Peer: skimage.measure.regionprops.

    Figures come from one pass on the device; pictures, coordinates, moments, Feret's and Crofton's
    figures through the host. Refused: more than 2 axes, channels. Waits.
    """
    if coordinates is not None:
        if coordinates == "rc":
            warnings.warn(
                "The coordinates keyword argument to skimage.measure.regionprops is "
                "deprecated. All features are now computed in rc (row-column) coordinates.",
                FutureWarning,
                stacklevel=2,
            )
        else:
            raise ValueError(
                'Values other than "rc" for the "coordinates" argument are no longer ' "supported"
            )
    x, intensity = _check(label_image, intensity_image)
    if x._handle is None:
        return []
    rows = _rows(x, intensity, {"perimeter", "area_convex", "euler_number"})
    source = Source(x, intensity, extra_properties)
    return [RegionProperties(row, source) for row in rows]


@peer("skimage.measure.regionprops_table", "label_image intensity_image")
def regionprops_table(
    label_image,
    intensity_image=None,
    properties=("label", "bbox"),
    *,
    cache=True,
    separator="-",
    extra_properties=None,
):
    """A dictionary of NumPy columns, for pandas. Peer: skimage.measure.regionprops_table.

    As regionprops; what is not asked for is not computed. Waits.
    """
    x, intensity = _check(label_image, intensity_image)
    extra = list(extra_properties or ())
    properties = tuple(properties) + tuple(function.__name__ for function in extra)
    wanted = {OLDER.get(name, name) for name in properties}
    rows = _rows(x, intensity, wanted) if x._handle is not None else np.empty(0, _ops.REGION)
    source = Source(x, intensity, extra)
    regions = [RegionProperties(row, source) for row in rows]
    table = {}
    for name in properties:
        table.update(_columns(name, regions, separator, x, intensity, extra))
    return table


def _columns(name, regions, separator, x, intensity, extra):
    """One property as a column, or as one for each of its parts."""
    current = OLDER.get(name, name)
    sample = regions or _sample(x, intensity, extra)
    values = [region[name] for region in sample]
    dtype = int if current in INTEGERS else None if name in {f.__name__ for f in extra} else float
    if current in OBJECTS:
        column = np.empty(len(regions), object)
        column[:] = values[: len(regions)]
        return {name: column}
    shape = np.shape(values[0])
    if not shape:
        return {name: np.array(values, dtype)[: len(regions)]}
    if any(np.shape(value) != shape for value in values):
        column = np.empty(len(regions), object)
        for place, value in enumerate(values[: len(regions)]):
            column[place] = value
        return {name: column}
    whole = np.array(values, dtype)[: len(regions)]
    return {
        separator.join(map(str, (name,) + place)): whole[(slice(None),) + place]
        for place in np.ndindex(shape)
    }


def _sample(x, intensity, extra):
    """A region of its own, which tells the columns of a table without rows."""
    labels = np.zeros((4, 4), np.int32)
    labels[1:3, 1:3] = 1
    labels = _ops.asarray(labels, device=x._context)
    picture = None if intensity is None else _ops.asarray(np.ones((4, 4)), device=x._context)
    rows = _rows(labels, picture, {"perimeter", "area_convex", "euler_number"})
    return [RegionProperties(rows[0], Source(labels, picture, extra))]
