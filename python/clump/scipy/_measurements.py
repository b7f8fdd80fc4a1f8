# SPDX-License-Identifier: MIT
"""Labels and what is measured of them, by scipy.ndimage's names.

Figures come as NumPy: they are on the host already. Labels are whole numbers; the library numbers
regions from 1, so labels of 0 and less are shifted where they are asked for.
"""

import numpy as np

from clump import _ops
from clump._array import ndarray
from clump._errors import ArgumentError
from clump._ops import FLOAT64, host, image
from clump._peer import into, peer
from clump._pixels import flat, rows_cols, trip
from clump.scipy._morphology import generate_binary_structure

BLANK, INFINITE = 32, 256
MOST_MEDIANS = 256


def _connectivity(name, structure, ndim):
    """4 or 8 for a structure of 3 by 3; in one row 4, or None for pixels that are each their own.
    """
    if structure is None:
        return 4
    structure = host(structure) != 0
    if structure.ndim != ndim:
        raise RuntimeError("structure and input must have equal rank")
    if any(side != 3 for side in structure.shape):
        raise ValueError("structure dimensions must be equal to 3")
    if ndim == 1 and structure.all():
        return 4
    for neighbours, connectivity in ((1, 4), (2, 8)):
        if np.array_equal(structure, generate_binary_structure(2, neighbours)):
            return connectivity
    raise NotImplementedError(
        f"{name}: neighbours are 4 or 8 here, not those of {structure.astype(int).tolist()}"
    )


@peer("scipy.ndimage.label", "input", "output")
def label(input, structure=None, output=None):
    """Numbers connected pixels that are not 0. Peer: scipy.ndimage.label.

    Gives (labels, count), or the count alone where `output` is an array, which then has the labels.
    Refused: structures other than 4 or 8 neighbours, more than 2 axes. Waits.
    """
    x = image(input)
    if x.ndim == 0:
        labels, count = _ops.label(_ops.mask(x), 4)
    else:
        connectivity = _connectivity("label", structure, x.ndim) if x.ndim < 3 else 4
        flat("label", x)
        if x._handle is None:
            labels, count = ndarray._of(None, x.shape, np.dtype(np.int32), x._context), 0
        else:
            labels, count = _ops.label(_ops.mask(x), connectivity)
    if isinstance(output, ndarray):
        _deep_enough(output.dtype, count)
        into(output, labels)
        return count
    if output is not None:
        _deep_enough(np.dtype(output), count)
        labels = into(output, labels)
    return labels, count


def _deep_enough(dtype, count):
    if dtype.kind in "iu" and count > np.iinfo(dtype).max:
        raise RuntimeError("insufficient bit-depth in requested output type")


def labels_number(labels):
    """Labels as numbers: a mask's pixels are 1, and not regions of their own."""
    if labels._handle is None:
        return labels
    if labels._type == _ops.lib.CLUMP_RGB:
        raise TypeError("labels are not colours")
    return _ops.number(labels)


@peer("scipy.ndimage.find_objects", "input")
def find_objects(input, max_label=0):
    """The boxes of labels 1 to max_label as slices, None for those that are missing. Peer:
    scipy.ndimage.find_objects."""
    x = image(input)
    if x.dtype.kind not in "iub" and x.size:
        raise TypeError("find_objects takes labels of an integer type")
    if x._handle is None:
        return []
    flat("find_objects", x)
    regions, shift = _regions(None, labels_number(x), brief=True)
    found = {int(r["label"]) + shift: r for r in regions}
    most = int(max_label) if max_label >= 1 else max([0, *found])
    return [_box(found.get(number), x.ndim) for number in range(1, most + 1)]


def _box(region, ndim):
    if region is None:
        return None
    box = (
        slice(int(region["row_min"]), int(region["row_max"])),
        slice(int(region["col_min"]), int(region["col_max"])),
    )
    return box[2 - ndim :]


def _regions(x, labels, lowest=1, **values):
    """Regions, and what has to be added to their labels; `lowest` is the least label asked for."""
    if lowest >= 1:
        try:
            return _ops.measure(labels, x, **values), 0
        except ArgumentError:
            if labels.dtype.kind == "u" or _ops.stats(labels)[0].min >= 0:
                raise
    least = min(int(_ops.stats(labels)[0].min), 0)
    kept = (
        _ops.astype(_ops.native(labels), np.int64)
        if labels.dtype != np.bool_
        else _ops.number(labels)
    )
    return _ops.measure(_ops.arith("add", kept, 1 - least), x, **values), least - 1


class _Groups:
    """The regions that labels and index select, in the order of index; `one` for a single figure.
    """

    def __init__(self, name, input, labels, index, **values):
        self.x = image(input)
        self.name = name
        if labels is None:
            if index is not None and name not in (
                "sum_labels",
                "mean",
                "variance",
                "standard_deviation",
                "center_of_mass",
            ):
                raise ValueError("index without defined labels")
            self.one, self.shape = True, ()
            labels = _ones(self.x)
            wanted = np.array([1])
        else:
            labels = _same(
                self.x,
                (
                    image(labels)
                    if isinstance(labels, ndarray)
                    else _ops.asarray(labels, device=self.x._context)
                ),
            )
            labels = labels_number(labels)
            if index is None:
                labels, wanted = _ops.number(_above(labels)), np.array([1])
                self.one, self.shape = True, ()
            else:
                index = host(index)
                self.one, self.shape = index.ndim == 0, index.shape
                wanted = index.ravel()
        self.labels, self.wanted = labels, wanted
        self.regions, self.found = self._select(labels, wanted, values)

    def _select(self, labels, wanted, values, x=None):
        if self.x._handle is None or not wanted.size:
            return np.zeros(wanted.shape, _ops.REGION), np.zeros(wanted.shape, bool)
        x = self.x if x is None else x
        try:
            regions, shift = _regions(x, labels, int(np.floor(wanted.min())), **values)
            numbers = regions["label"].astype(np.int64) + shift
        except ArgumentError:
            if labels.dtype.kind != "f":
                raise
            regions, numbers = _ranked(x, labels, values)
        place = np.searchsorted(numbers, wanted)
        place[place == numbers.size] = 0
        if not numbers.size:
            return np.zeros(wanted.shape, _ops.REGION), np.zeros(wanted.shape, bool)
        return regions[place], numbers[place] == wanted

    def give(self, values, missing, dtype=None):
        """An array of the index' shape, or a scalar."""
        values = np.where(self.found, values, missing)
        if dtype is not None:
            values = values.astype(dtype)
        return values.reshape(self.shape) if not self.one else values.ravel()[0]

    def spread(self, values):
        """NaN where a region has NaN, as SciPy's sums."""
        return np.where(self.regions["flags"] & BLANK, np.nan, values)

    def place(self, row, col):
        """Positions as SciPy gives them: a tuple, or a list of tuples."""
        cols = rows_cols(self.x.shape)[1]
        flat_ = np.where(self.found, row * np.uint64(cols) + col, 0).astype(np.int64)
        places = [tuple(int(i) for i in np.unravel_index(f, self.x.shape or (1,))) for f in flat_]
        if not self.one and len(self.shape) != 1:
            return places
        return places[0] if self.one else places


def _ranked(x, labels, values):
    """Regions of labels that are not whole numbers, and those numbers."""
    trip("labels that are not whole numbers")
    known, ranks = np.unique(labels.get(), return_inverse=True)
    ranks = _ops.asarray(ranks.reshape(labels.shape) + 1, device=labels._context)
    return _ops.measure(ranks, x, **values), known


def _ones(x):
    return (
        _ops.asarray(np.ones(x.shape, np.uint8), device=x._context)
        if len(x.shape) != 3
        else _flat3(x.shape, x._context)
    )


def _flat3(shape, context):
    """Ones of three axes, of which the last may be 3, which would be colours as uint8."""
    return _ops.asarray(np.ones(shape, np.uint16), device=context)


def _above(labels):
    """labels > 0"""
    return _ops.threshold(_ops.native(labels), 0.0) if labels._handle else labels


def _same(x, labels):
    """Labels of the image's shape."""
    if labels.shape == x.shape:
        return labels
    trip("broadcasting labels")
    return _ops.asarray(np.broadcast_to(labels.get(), x.shape), device=x._context)


@peer("scipy.ndimage.sum_labels", "input labels")
def sum_labels(input, labels=None, index=None):
    """The sum of the pixels of each label. Peer: scipy.ndimage.sum_labels. Gives NumPy; waits."""
    g = _Groups("sum_labels", input, labels, index, brief=True)
    return g.give(g.spread(g.regions["sum"]), 0.0)


@peer("scipy.ndimage.sum", "input labels")
def sum(input, labels=None, index=None):
    """The older name of sum_labels."""
    return sum_labels(input, labels, index)


@peer("scipy.ndimage.mean", "input labels")
def mean(input, labels=None, index=None):
    """Peer: scipy.ndimage.mean."""
    g = _Groups("mean", input, labels, index, brief=True)
    return g.give(g.spread(g.regions["mean"]), np.nan)


@peer("scipy.ndimage.standard_deviation", "input labels")
def standard_deviation(input, labels=None, index=None):
    """Peer: scipy.ndimage.standard_deviation."""
    g = _Groups("standard_deviation", input, labels, index)
    return g.give(g.spread(g.regions["std"]), np.nan)


@peer("scipy.ndimage.variance", "input labels")
def variance(input, labels=None, index=None):
    """Peer: scipy.ndimage.variance."""
    g = _Groups("variance", input, labels, index)
    values = g.regions["variance"] if "variance" in _ops.REGION.names else g.regions["std"] ** 2
    return g.give(g.spread(values), np.nan)


@peer("scipy.ndimage.minimum", "input labels")
def minimum(input, labels=None, index=None):
    """Peer: scipy.ndimage.minimum."""
    g = _Groups("minimum", input, labels, index, brief=True)
    return g.give(g.regions["min"], 0, g.x.dtype)


@peer("scipy.ndimage.maximum", "input labels")
def maximum(input, labels=None, index=None):
    """Peer: scipy.ndimage.maximum."""
    g = _Groups("maximum", input, labels, index, brief=True)
    return g.give(g.spread(g.regions["max"]), 0, g.x.dtype)


@peer("scipy.ndimage.maximum_position", "input labels")
def maximum_position(input, labels=None, index=None):
    """Peer: scipy.ndimage.maximum_position: the first of equals in raster order."""
    g = _Groups("maximum_position", input, labels, index, brief=True)
    return g.place(g.regions["peak_row"], g.regions["peak_col"])


@peer("scipy.ndimage.minimum_position", "input labels")
def minimum_position(input, labels=None, index=None):
    """Peer: scipy.ndimage.minimum_position: the first of equals in raster order."""
    g = _Groups("minimum_position", input, labels, index, brief=True)
    return _lowest(g)


def _lowest(g):
    """The places of the minima: the peaks of the image turned upside down."""
    turned = _ops.arith("multiply", _ops.real(g.x), -1.0)
    regions, _ = g._select(g.labels, g.wanted, {"brief": True}, turned)
    return g.place(regions["peak_row"], regions["peak_col"])


@peer("scipy.ndimage.extrema", "input labels")
def extrema(input, labels=None, index=None):
    """Minima, maxima and their positions. Peer: scipy.ndimage.extrema."""
    g = _Groups("extrema", input, labels, index, brief=True)
    return (
        g.give(g.regions["min"], 0, g.x.dtype),
        g.give(g.regions["max"], 0, g.x.dtype),
        _lowest(g),
        g.place(g.regions["peak_row"], g.regions["peak_col"]),
    )


@peer("scipy.ndimage.median", "input labels")
def median(input, labels=None, index=None):
    """Peer: scipy.ndimage.median. One call of the library per label; of more than 256 labels the
    pixels go through the host."""
    x = image(input)
    if labels is None:
        return _ops.stats(x)[0].median
    g = _Groups("median", input, labels, index, brief=True)
    if g.wanted.size <= MOST_MEDIANS:
        numbers, x = _ops.native(g.labels), _ops.number(g.x)
        values = [
            _ops.stats(_ops.compress(x, numbers == number))[0].median if found else 0.0
            for number, found in zip(g.wanted, g.found)
        ]
        return g.give(g.spread(np.array(values, FLOAT64)), 0.0)
    trip("median of more than 256 labels")
    a, b = g.x.get(), _ops.native(g.labels).get()
    values = [
        np.median(a[b == number]) if found else 0.0 for number, found in zip(g.wanted, g.found)
    ]
    return g.give(np.array(values, FLOAT64), 0.0)


@peer("scipy.ndimage.center_of_mass", "input labels")
def center_of_mass(input, labels=None, index=None):
    """The centre of mass of each label: a tuple, or a list of them. Peer:
    scipy.ndimage.center_of_mass."""
    g = _Groups("center_of_mass", input, labels, index)
    if g.x.ndim <= 2:
        axes = [g.spread(g.regions["weighted_row"]), g.spread(g.regions["weighted_col"])][
            -g.x.ndim :
        ]
    else:
        axes = _folded(g)
    axes = [np.where(g.found, axis, np.nan) for axis in axes]
    places = [tuple(float(axis[i]) for axis in axes) for i in range(g.wanted.size)]
    return places[0] if g.one else places


def _folded(g):
    """More than two axes: the axes up to each one are folded into rows, whose mean number then
    holds the mean numbers of the axes."""
    shape, axes, before = g.x.shape, [], None
    for axis in range(len(shape) - 1):
        rows = int(np.prod(shape[: axis + 1]))
        folded = (rows, int(np.prod(shape[axis + 1 :])))
        x, labels = (_ops.reshape(a, folded) for a in (g.x, g.labels))
        regions, _ = g._select(labels, g.wanted, {}, x)
        row = regions["weighted_row"]
        axes.append(row if before is None else row - before * shape[axis])
        before = row
    return axes + [regions["weighted_col"]]
