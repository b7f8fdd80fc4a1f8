# SPDX-License-Identifier: MIT
"""Clump's own verbs, files, host twins, and neighbours: pandas, astropy's tables."""

import importlib
import subprocess
import sys

import numpy as np
import pytest

import clump as cp


def test_find(device, field):
    with cp.open(field) as file:
        x = file.read()
        found = cp.find(x, file=file, labels=True)
        assert file.info["format"] == "FITS" and file.info["shape"] == x.shape
        ra, dec = file.sky(10, 20)
        assert np.allclose(file.pixel(ra, dec), (10, 20))
    sources = found.sources
    assert found.count == len(sources["flux"]) == int(found.labels.max()) > 10
    assert np.all(np.diff(sources["flux"]) <= 0) and {"x", "y", "ra", "dec"} <= set(sources)
    assert cp.find(x.get()).count == found.count
    clipped = cp.clip(x, mask=True, kept=True)
    assert clipped.kept == clipped.mask.sum() == clipped.pixels.size
    assert np.isclose(clipped.after.std, clipped.pixels.std(), rtol=1e-6)


def test_cells(device, plate):
    x = cp.read(plate)
    found = cp.cells(x, labels=True, overlay=True)
    assert found.count == len(found.table["area"]) == found.labels.max()
    assert found.overlay.shape == x.shape + (3,)
    regions = cp.measure(found.labels, x)
    assert np.array_equal(regions["area"], found.table["area"])


def test_files(device, tmp_path, rng):
    a = rng.random((20, 30)).astype(np.float32)
    for ending in ("npy", "fits", "tif"):
        path = str(tmp_path / f"a.{ending}")
        cp.write(a, path)
        assert np.array_equal(cp.read(path).get(), a)
        with pytest.raises(FileExistsError):
            cp.write(a, path)
        cp.write(cp.asarray(a), path, force=True)
    assert np.array_equal(np.load(tmp_path / "a.npy"), a)
    with pytest.raises(FileNotFoundError):
        cp.open(str(tmp_path / "none.fits"))
    (tmp_path / "bad.fits").write_bytes(b"SIMPLE  =" + b" " * 3000)
    with pytest.raises(OSError):
        cp.read(str(tmp_path / "bad.fits"))
    cp.write_table({"id": np.arange(3), "x": np.arange(3.0)}, str(tmp_path / "t.csv"))
    assert (tmp_path / "t.csv").read_text().startswith("id,x\n0,0")


def test_pictures(device, rng):
    x = cp.asarray(rng.random((50, 60)))
    picture = cp.view(x, colormap="viridis", stretch="asinh")
    assert picture.dtype == np.uint8 and picture.shape[2] == 3
    assert x._repr_png_().startswith(b"\x89PNG")
    labels, _ = cp.label(x > 0.7)
    assert cp.label2rgb(labels).shape == (50, 60, 3)


def test_host_twins(device, rng):
    import clump.host
    from clump.host.scipy import ndimage

    a = rng.random((40, 50))
    labels, count = ndimage.label(a > 0.7)
    assert isinstance(labels, np.ndarray) and labels.max() == count
    out = np.empty(a.shape)
    assert ndimage.label(a > 0.7, output=out) == count and np.array_equal(out, labels)
    blurred = clump.host.skimage.filters.gaussian(a, 2)
    assert isinstance(blurred, np.ndarray) and blurred.std() < a.std()
    # what dask does with a function over chunks: each with a margin
    margin = 8
    padded = np.pad(a, margin, mode="edge")
    parts = [
        clump.host.skimage.filters.gaussian(padded[:, c : c + 25 + 2 * margin], 2) for c in (0, 25)
    ]
    joined = np.hstack([part[margin:-margin, margin:-margin] for part in parts])
    assert np.array_equal(joined, blurred)


def test_tables(device, plate, field):
    pandas = pytest.importorskip("pandas")
    table = pytest.importorskip("astropy.table")
    cells, found = cp.cells(cp.read(plate)), cp.find(cp.read(field))
    for columns, count in ((cells.table, cells.count), (found.sources, found.count)):
        assert len(pandas.DataFrame(columns)) == len(table.Table(columns)) == count > 0


def test_main():
    done = subprocess.run([sys.executable, "-m", "clump"], stdout=subprocess.PIPE, text=True)
    assert done.returncode == 0 and "reference: self-test passed" in done.stdout


def test_figures_of_regions(device, rng):
    from clump.scipy import ndimage

    a = rng.integers(0, 5, (30, 40)).astype(np.float64)
    x, index = cp.asarray(a), [1, 2, 9]
    labels = cp.asarray((a > 2).astype(np.int32) + (a > 3))
    host = labels.get()
    assert np.allclose(
        ndimage.sum_labels(x, labels, index)[:2], [a[host == 1].sum(), a[host == 2].sum()]
    )
    assert ndimage.sum_labels(x, labels, 0) == a[host == 0].sum()
    assert ndimage.minimum_position(x, labels, 1) == tuple(np.argwhere(host == 1)[0])
    assert np.allclose(
        ndimage.median(x, labels, [0, 1]), [np.median(a[host == 0]), np.median(a[host == 1])]
    )


def test_complex_parts(device, rng):
    """clump.host convolves the parts of complex pixels and weights, and fills what it is given."""
    ndimage, signal = pytest.importorskip("scipy.ndimage"), pytest.importorskip("scipy.signal")
    a = rng.normal(size=(12, 9)) + 1j * rng.normal(size=(12, 9))
    w = rng.normal(size=(3, 3)) + 1j * rng.normal(size=(3, 3))
    ours = importlib.import_module("clump.host").scipy
    for ours_, theirs, more in (
        (ours.signal.convolve2d, signal.convolve2d, {"fillvalue": 2 - 1j}),
        (ours.signal.correlate2d, signal.correlate2d, {}),
        (ours.ndimage.convolve, ndimage.convolve, {"mode": "constant", "cval": 2 - 1j}),
        (ours.ndimage.correlate, ndimage.correlate, {"mode": "wrap"}),
    ):
        assert np.allclose(ours_(a, w, **more), theirs(a, w, **more), rtol=1e-12, atol=1e-12)
    place = np.empty((12, 9), np.complex64)
    assert ours.ndimage.convolve(a, w, output=place) is place
    assert np.allclose(place, ndimage.convolve(a, w, output=np.complex64), atol=1e-5)
    with pytest.raises(RuntimeError, match="complex dtype"):
        ours.ndimage.convolve(a, w, output=np.empty((12, 9)))
    with pytest.raises(TypeError, match="not a pixel type"):
        cp.asarray(a)


def test_sigma_clip_along_an_axis(device, rng):
    """Each line of an array is clipped for itself, as if the others were not there."""
    ours = importlib.import_module("clump.host").astropy.stats
    a = rng.normal(size=(2, 30, 2))
    a[1, 4, 1], a[1, 7, 0], a[0, 5, 1] = 50, -40, np.nan
    with pytest.warns(UserWarning, match="invalid values"):
        clipped, low, high = ours.sigma_clip(a, axis=1, return_bounds=True)
    assert clipped.shape == a.shape and low.shape == high.shape == (2, 2)
    assert clipped.mask[1, 4, 1] and clipped.mask[1, 7, 0] and clipped.mask[0, 5, 1]
    alone, least, most = ours.sigma_clip(a[1, :, 1], return_bounds=True)
    assert np.array_equal(clipped.mask[1, :, 1], alone.mask)
    assert (low[1, 1], high[1, 1]) == (least, most)
    mean, median, std = ours.sigma_clipped_stats(np.nan_to_num(a), axis=(1, 2))
    assert mean.shape == std.shape == (2,)
    assert median[1] == ours.sigma_clipped_stats(a[1])[1]
    data = ours.sigma_clip(a[1], axis=0, masked=False)
    assert np.isnan(data[7, 0]) and np.array_equal(np.isnan(data[:, 0]), clipped.mask[1, :, 0])
    with pytest.raises(NotImplementedError, match="axis"):
        importlib.import_module("clump.astropy.stats").sigma_clip(cp.asarray(a[0]), axis=0)


def test_label2rgb(device, rng):
    """The colours of scikit-image, on the device alone."""
    color = pytest.importorskip("skimage.color")
    ours = importlib.import_module("clump.skimage.color")
    a = np.array([[0, 3, 3, 2], [70000, 3, 0, 9]], np.int32)
    grey, colours = rng.random(a.shape), rng.random(a.shape + (3,))
    cp.trips(reset=True)
    for image, more in (
        (None, {}),
        (None, {"bg_label": -1, "colors": [(0.5, 0.25, 0), (0, 1, 0.125)]}),
        (grey, {"bg_color": None, "alpha": 0.4}),
        (grey, {"image_alpha": 0.25, "bg_label": 3}),
        (colours, {"colors": ["red", "navy"]}),
        (colours, {"saturation": 1}),
        (colours, {"saturation": 0.25}),
        (colours, {"kind": "avg"}),
        ((grey * 255).astype(np.uint8), {}),
        ((colours * 255).astype(np.uint8), {"alpha": 0.5}),
    ):
        x = None if image is None else cp.asarray(image)
        found, right = ours.label2rgb(cp.asarray(a), x, **more), color.label2rgb(a, image, **more)
        near = 1e-11 if "kind" in more else 1e-14  # means are of 39 bits
        assert found.dtype == right.dtype and np.allclose(found.get(), right, near, 1e-15), more
    assert cp.trips() == {}


def test_regions_of_equal_value(device, rng):
    """Several values, a background of its own, and medians: nothing goes through the host."""
    measure, ndimage = pytest.importorskip("skimage.measure"), pytest.importorskip("scipy.ndimage")
    ours = importlib.import_module("clump.skimage.measure")
    a = rng.integers(-1, 3, (23, 41)).astype(np.int16)
    x = cp.asarray(a)
    cp.trips(reset=True)
    for more in ({}, {"connectivity": 1}, {"background": 2}, {"background": 9}):
        found, count = ours.label(x, return_num=True, **more)
        right, number = measure.label(a, return_num=True, **more)
        assert count == number and np.array_equal(found.get(), right), more
    b = rng.normal(size=a.shape)
    index = [2, 1, 7]
    medians = importlib.import_module("clump.scipy.ndimage").median(cp.asarray(b), x, index)
    assert np.array_equal(medians[:2], ndimage.median(b, a, index)[:2])
    assert cp.trips() == {}


def test_axes_are_refused_by_name(device):
    """Newer SciPy filters along some of the axes: that is refused, and all axes are taken."""
    ndimage = importlib.import_module("clump.scipy.ndimage")
    x = cp.asarray(np.ones((4, 5)))
    weights = np.ones((3, 3))
    assert np.array_equal(
        ndimage.convolve(x, weights, axes=(-1, 0)).get(), ndimage.convolve(x, weights).get()
    )
    for function in (ndimage.convolve, ndimage.binary_erosion):
        with pytest.raises(NotImplementedError, match=f"{function.__name__}: axes="):
            function(x, weights, axes=(1,))


def test_in_place_and_units():
    import clump.host

    morphology = clump.host.skimage.morphology
    a = np.zeros((9, 9), bool)
    a[1:4, 1:4] = a[7, 7] = True
    want = a.copy()
    want[7, 7] = False
    labels = np.empty(a.shape, np.int32)
    with pytest.warns(UserWarning, match="Only one label"):
        assert morphology.remove_small_objects(a, 4, out=labels) is labels
    assert np.array_equal(labels, a)  # as labels they are one object of ten pixels
    with pytest.warns(FutureWarning, match="in_place"):
        assert morphology.remove_small_objects(a, 4, in_place=True) is a
    assert np.array_equal(a, want)
    units = pytest.importorskip("astropy.units")
    figures = clump.host.astropy.stats.sigma_clipped_stats(np.array([1.0, 3.0]) * units.kpc)
    assert figures == (2 * units.kpc, 2 * units.kpc, 1 * units.kpc)
