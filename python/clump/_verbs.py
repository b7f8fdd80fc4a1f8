# SPDX-License-Identifier: MIT
"""Clump's own verbs. They take device arrays, NumPy arrays or lists, and give figures as NumPy."""

import numpy as np

from clump import _core, _ops
from clump._array import ndarray
from clump._clump import ffi, lib
from clump._core import Handle
from clump._ops import BOOL, INT32, either


class Record:
    """Figures by name: attributes, and a dictionary by vars()."""

    def __init__(self, **values):
        self.__dict__.update(values)

    def __repr__(self):
        inside = ", ".join(
            f"{name}={value!r}"
            for name, value in self.__dict__.items()
            if not isinstance(value, (np.ndarray, ndarray))
        )
        return f"<clump.{type(self).__name__} {inside}>"


class Stats(Record):
    """count, blank, infinite, min, max and their places, sum, mean, variance, std, median, mad."""


class Clip(Record):
    """lower, upper, kept, iterations, converged, and the statistics `before` and `after`."""


class Found(Record):
    """clip, level, threshold, `sources` (SExtractor's columns), `regions`, `labels` on request."""


class Cells(Record):
    """threshold, `table` (scikit-image's columns), `regions`, `labels` and `overlay` on request."""


def _stats(result, quantiles=None):
    names = "count blank infinite min max sum mean variance std median mad".split()
    values = {name: getattr(result, name) for name in names}
    values["min_position"] = int(result.min_row), int(result.min_col)
    values["max_position"] = int(result.max_row), int(result.max_col)
    if quantiles is not None and quantiles.size:
        values["quantiles"] = quantiles
    return Stats(**values)


def stats(x, quantiles=(), ddof=0, mad=False):
    """All statistics of an image, exact and rounded once. Blank (NaN) pixels are left out."""
    return _stats(*_ops.stats(_ops.native(either(x)), quantiles, ddof, mad))


def _clip_params(params, kappa, kappa_low, kappa_high, iterations, centre, scale, inclusive, mad):
    params.kappa_low = kappa if kappa_low is None else kappa_low
    params.kappa_high = kappa if kappa_high is None else kappa_high
    params.max_iterations = iterations
    params.centre = {"median": lib.CLUMP_CLIP_CENTRE_MEDIAN, "mean": lib.CLUMP_CLIP_CENTRE_MEAN}[
        centre
    ]
    params.scale = {"std": lib.CLUMP_CLIP_SCALE_STD, "mad": lib.CLUMP_CLIP_SCALE_MAD}[scale]
    params.inclusive, params.mad = inclusive, mad


def _clip_record(result):
    return Clip(
        lower=result.lower,
        upper=result.upper,
        kept=int(result.kept),
        iterations=int(result.iterations),
        converged=bool(result.converged),
        before=_stats(result.before),
        after=_stats(result.after),
    )


def clip(
    x,
    *,
    kappa=3,
    kappa_low=None,
    kappa_high=None,
    iterations=0,
    centre="median",
    scale="std",
    inclusive=False,
    mad=False,
    mask=False,
    kept=False,
):
    """Kappa-sigma clipping: the level and the noise of the background, in one call.

    mask, kept: also a mask of the kept pixels, or their values in one row, as `.mask` and
    `.pixels`.
    """
    x = _ops.number(_ops.native(either(x)))
    params = _ops.defaults("clip")
    _clip_params(params, kappa, kappa_low, kappa_high, iterations, centre, scale, inclusive, mad)
    result = ffi.new("struct clump_clip_result *")
    places = [ffi.new("clump_image **") if wanted else ffi.NULL for wanted in (mask, kept)]
    x._context.call(lib.clump_clip, x._context.pointer, x._pointer, params, *places, result)
    record = _clip_record(result)
    if mask:
        record.mask = ndarray._of(Handle(x._context, places[0][0]), x.shape, BOOL)
    if kept and places[1][0]:
        record.pixels = ndarray._of(Handle(x._context, places[1][0]), (record.kept,), x.dtype)
    return record


def catalog_columns(catalog):
    """A catalogue of the library as a dictionary of NumPy columns."""
    rows = lib.clump_catalog_rows(catalog)
    columns = {}
    for number in range(lib.clump_catalog_columns(catalog)):
        column = lib.clump_catalog_column(catalog, number)
        name = ffi.string(column.name).decode()
        if column.type == lib.CLUMP_COLUMN_TEXT:
            texts = ffi.cast("const char **", column.values)
            columns[name] = np.array([ffi.string(texts[i]).decode() for i in range(rows)])
            continue
        dtype = np.int64 if column.type == lib.CLUMP_COLUMN_I64 else np.float64
        buffer = ffi.buffer(column.values, rows * 8) if rows else b""
        columns[name] = np.frombuffer(buffer, dtype).copy()
    return columns


def _columns_of(function, *args):
    """Makes a catalogue, reads it, and destroys it."""
    lines, place = _core.Lines(), ffi.new("clump_catalog **")
    lines.end(function(lines.log, *args, place))
    try:
        return catalog_columns(place[0])
    finally:
        lib.clump_catalog_destroy(place)


def find(
    x,
    *,
    kappa=3,
    sigmas=5,
    level="median",
    connectivity=4,
    area=0,
    subtract=True,
    labels=False,
    file=None,
):
    """Finds the sources of an astronomical image: clips, thresholds, labels, measures.

    `.sources` has SExtractor's columns, brightest first; positions count from 1, as in FITS. file:
    a clump.File that gives coordinates on the sky. labels: also the image of the sources' numbers.
    """
    x = _ops.number(_ops.native(either(x)))
    params = ffi.new("struct clump_find_params *", lib.clump_find_defaults)
    params.clip.kappa_low = params.clip.kappa_high = kappa
    params.sigmas, params.connectivity, params.min_area = sigmas, connectivity, area
    params.level = {"median": lib.CLUMP_FIND_LEVEL_MEDIAN, "zero": lib.CLUMP_FIND_LEVEL_ZERO}[level]
    params.subtract = subtract
    result = ffi.new("struct clump_find_result *")
    place = ffi.new("clump_image **") if labels else ffi.NULL
    x._context.call(lib.clump_find, x._context.pointer, x._pointer, params, place, result)
    try:
        lib.clump_find_sort(result)
        found = Found(
            clip=_clip_record(result.clip),
            level=result.level,
            threshold=result.threshold,
            expected_false=result.expected_false,
            count=int(result.count),
            regions=_ops.regions_array(result.regions, result.count),
            sources=_columns_of(
                lib.clump_find_catalog, result, file._pointer if file is not None else ffi.NULL
            ),
        )
    finally:
        lib.clump_find_release(result)
    if labels:
        found.labels = ndarray._of(Handle(x._context, place[0]), x.shape, INT32)
    return found


def cells(
    x,
    *,
    sigma=5,
    threshold=None,
    below=False,
    erosion=2,
    connectivity=8,
    area=0,
    labels=False,
    overlay=False,
):
    """Finds and measures the cells of a micrograph: blur, Otsu, erosion, labels, figures.

    `.table` has scikit-image's columns. labels, overlay: also the image of the numbers, and a
    picture with colours.
    """
    x = _ops.number(_ops.native(either(x)))
    params = ffi.new("struct clump_cells_params *", lib.clump_cells_defaults)
    params.sigma, params.below, params.erosion = sigma, below, erosion
    params.threshold = np.nan if threshold is None else threshold
    params.connectivity, params.min_area = connectivity, area
    result = ffi.new("struct clump_cells_result *")
    places = [ffi.new("clump_image **") if wanted else ffi.NULL for wanted in (labels, overlay)]
    x._context.call(lib.clump_cells, x._context.pointer, x._pointer, params, *places, result)
    try:
        found = Cells(
            threshold=result.threshold,
            count=int(result.count),
            regions=_ops.regions_array(result.regions, result.count),
            table=_columns_of(lib.clump_cells_catalog, result),
        )
    finally:
        lib.clump_cells_release(result)
    if labels:
        found.labels = ndarray._of(Handle(x._context, places[0][0]), x.shape, INT32)
    if overlay:
        found.overlay = ndarray._of(
            Handle(x._context, places[1][0]), x.shape + (3,), np.dtype(np.uint8)
        )
    return found


def measure(
    labels, x=None, *, connectivity=4, perimeter=False, convex=False, euler=False, level=0.0
):
    """Measures every region of a label image or a mask: a structured array, in order of label."""
    labels = either(labels)
    values = {
        "connectivity": connectivity,
        "perimeter": perimeter,
        "convex": convex,
        "euler": euler,
        "level": level,
    }
    return _ops.measure(labels, None if x is None else _ops.native(either(x)), **values)


def otsu(x):
    """Otsu's threshold of an image."""
    return _ops.otsu(_ops.native(either(x)))


def label(x, connectivity=4):
    """Numbers connected pixels: (labels, count)."""
    return _ops.label(_ops.mask(either(x)), connectivity)


def label2rgb(labels, x=None, *, alpha=0.3, image_alpha=1.0, low=0.0, high=1.0):
    """Colours of labels, over a picture or alone, as bytes, on the device."""
    labels = _ops.number(either(labels))
    params = _ops.defaults("label2rgb", alpha=alpha, image_alpha=image_alpha, low=low, high=high)
    under = ffi.NULL if x is None else _ops.native(either(x))._pointer
    return _ops.made(
        labels,
        lib.clump_label2rgb,
        labels._pointer,
        under,
        params,
        dtype=np.dtype(np.uint8),
        shape=labels.shape + (3,),
    )


def primes(n):
    """The primes below n, by the lesson's trial division, as a NumPy array."""
    mask, _ = _ops.primes(int(n), _core.current())
    return np.flatnonzero(mask.get()[:n])
