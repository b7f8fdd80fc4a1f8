# SPDX-License-Identifier: MIT
"""clump.sep: what SEP's own tests ask for, on data that is made here, and SEP itself beside it."""

import numpy as np
import pytest

import clump.sep as sep

ALL = (np.float32, np.float64, np.int32)


def sky(rows=128, cols=160, stars=40, seed=3):
    """Stars of a width of 1.5 and noise of 1 on a level of 100; float64."""
    rng = np.random.default_rng(seed)
    y, x = np.mgrid[:rows, :cols]
    data = 100 + rng.standard_normal((rows, cols))
    for _ in range(stars):
        x0, y0 = rng.uniform(4, cols - 5), rng.uniform(4, rows - 5)
        data += rng.uniform(10, 200) * np.exp(-((x - x0) ** 2 + (y - y0) ** 2) / (2 * 1.5**2))
    return data


def shapes(objects):
    return [objects[name] for name in ("x", "y", "a", "b", "theta")]


def test_beside_sep(device):
    real = pytest.importorskip("sep")
    found = []
    for module in (sep, real):
        data = sky()
        back = module.Background(data, bw=32, bh=48)
        back.subfrom(data)
        objects = module.extract(data, 3.0, err=back.globalrms, deblend_cont=1.0)
        args = shapes(objects)
        kron, flags = module.kron_radius(data, *args, 6.0)
        flux = module.sum_circle(data, objects["x"], objects["y"], 5.0, err=1.5, gain=2.0)
        local = module.sum_ellipse(data, *args, 2.5, bkgann=(3.0, 4.0), subpix=5)
        half, _ = module.flux_radius(data, *args[:2], 6 * objects["a"], [0.1, 0.5], subpix=5)
        window = module.winpos(data, *args[:2], half[:, 1])
        found.append([back.back(), back.rms(), back.globalrms, objects["x"], objects["x2"],
                      objects["errx2"], objects["flux"], objects["npix"], objects["flag"], kron,
                      flags, *flux, local[0], half, window[0], window[1]])
    assert len(found[0][3]) > 20
    for ours, theirs in zip(*found):
        assert np.allclose(ours, theirs, rtol=2e-4, atol=2e-3)


def test_background(device):
    data = np.full((6, 6), 0.1)
    data[1, 1] = data[4, 1] = data[1, 4] = data[4, 4] = 1.0
    mask = np.zeros_like(data, bool)
    plain = sep.Background(data, bw=3, bh=3, fw=1, fh=1)
    masked = sep.Background(data, mask=mask, bw=3, bh=3, fw=1, fh=1)
    assert np.array_equal(plain.back(), masked.back())
    mask[data == 1.0] = True
    masked = sep.Background(data, mask=mask, bw=3, bh=3, fw=1, fh=1)
    assert abs(masked.globalback - 0.1) < 1e-7 and np.allclose(masked.back(), 0.1, rtol=1e-7)

    data = sky()
    back, copy = sep.Background(data), data.copy()
    assert np.array_equal(np.array(back), back.back())
    back.subfrom(copy)
    assert np.array_equal(data - back, copy)
    assert back.rms().dtype == np.float64 and back.rms().shape == data.shape
    assert back.back(np.float32).dtype == np.float32
    with pytest.raises(ValueError, match="shape"):
        back.subfrom(copy[1:])


def test_noise_arrays(device):
    data = sky()
    back = sep.Background(data)
    back.subfrom(data)
    words = {"filter_kernel": None, "deblend_cont": 1.0}
    plain = sep.extract(data, 2 * back.globalrms, **words)
    ones = sep.extract(data, 2 * back.globalrms, err=np.ones_like(data), **words)
    level = sep.extract(data, 2.0, err=back.globalrms * np.ones_like(data), **words)
    variance = sep.extract(data, 2.0, var=back.globalrms**2 * np.ones_like(data), **words)
    assert len(plain) > 10
    for name in plain.dtype.names:
        if not name.startswith("err"):
            for other in (ones, level, variance):
                assert np.allclose(plain[name], other[name], rtol=1e-6), name


def test_matched_filter(device):
    data, error = np.zeros((20, 20)), np.ones((20, 20))
    kernel = np.array([[1.0, 2, 1], [2, 4, 2], [1, 2, 1]])
    for y, x in ((5, 5), (2, 12)):
        data[y : y + 3, x : x + 3] += 3 * kernel
    data[14, 16], error[14, 16] = 1e6, 1e30
    objects = sep.extract(data, 2.0, err=error, filter_kernel=kernel, minarea=1)
    assert sorted((round(o["x"], 7), round(o["y"], 7)) for o in objects) == [(6, 6), (13, 3)]
    edge = np.zeros((20, 20))
    edge[18:, 5:8] = kernel[:2]
    assert sep.extract(edge, 2.0, err=error, filter_kernel=kernel)["npix"].tolist() == [6]


def test_masks(device):
    data = sky()
    sep.Background(data).subfrom(data)
    mask = np.zeros_like(data)
    mask[64:] = 1
    whole, half = sep.extract(data, 3.0, err=1.0), sep.extract(data, 3.0, err=1.0, mask=mask)
    assert 0 < len(half) < len(whole) and np.all(half["y"] < 64)
    assert np.array_equal(whole, sep.extract(data, 3.0, err=1.0, maskthresh=7))
    assert np.array_equal(half, sep.extract(data, 3.0, err=1.0, mask=mask, maskthresh=0.5))
    assert np.array_equal(whole, sep.extract(data, 3.0, err=1.0, mask=mask, maskthresh=1.0))


@pytest.mark.parametrize("err", [None, "map"])
def test_segmentation(device, err):
    data = sky()
    sep.Background(data).subfrom(data)
    noise = np.full_like(data, 1.1) if err else None
    objects, segments = sep.extract(data, 3.0, err=noise, segmentation_map=True)
    assert segments.shape == data.shape and segments.dtype == np.int32
    assert np.array_equal(objects["npix"], np.bincount(segments.ravel())[1:])
    again, same = sep.extract(data, 3.0, err=noise, segmentation_map=7 * segments)
    assert np.array_equal(segments, same)
    for name in "thresh npix tnpix xmin xmax ymin ymax cflux flux cpeak peak xpeak ypeak".split():
        assert np.array_equal(objects[name], again[name]), name
    alone = objects["flag"] == 0
    assert alone.sum() > 5 and np.array_equal(objects["x"][alone], again["x"][alone])
    assert np.all(np.abs(objects["x"] - again["x"]) <= np.sqrt(objects["x2"]))


def test_apertures(device):
    rng = np.random.default_rng(0)
    x, y = rng.uniform(200, 800, 100), rng.uniform(200, 800, 100)
    sums = [sep.sum_circle(np.ones((1000, 1000), kind), x, y, 3.0)[0] for kind in ALL]
    assert np.array_equal(sums[0], sums[1]) and np.array_equal(sums[0], sums[2])
    data = rng.random((60, 60))
    x, y, r, theta = rng.uniform(10, 50, 30), rng.uniform(10, 50, 30), 5.0, 0.0
    for subpix in (0, 1, 5):
        want = sep.sum_circle(data, x, y, r, subpix=subpix)[0]
        for got in (sep.sum_circann(data, x, y, 0.0, r, subpix=subpix),
                    sep.sum_ellipse(data, x, y, r, r, theta, subpix=subpix),
                    sep.sum_ellipse(data, x, y, 1.0, 1.0, theta, r=r, subpix=subpix)):
            assert np.allclose(got[0], want, rtol=1e-8)
    ones = np.ones((60, 60))
    for kind in ALL:
        flat = ones.astype(kind)
        small = sep.sum_ellipse(flat, 25.0, 25.0, 0.3, 0.3, 0.0, subpix=0)[0]
        assert abs(small / (np.pi * 0.09) - 1) < 1e-10
        for r in (0.5, 1.0, 3.0):
            circle = sep.sum_circle(flat, x, y, r, subpix=0)[0]
            annulus = sep.sum_ellipann(flat, x, y, 2.0, 1.0, 0.4, r, r + 1, subpix=0)[0]
            assert np.allclose(circle, np.pi * r**2, rtol=1e-7)
            assert np.allclose(annulus, 2 * np.pi * (2 * r + 1), rtol=1e-7)


def test_local_background(device):
    data, x = np.random.default_rng(1).random((60, 60)), np.array([20.3, 31.0])
    flux = sep.sum_circle(data, x, x, 5.0, bkgann=(0.0, 5.0), subpix=1)[0]
    assert np.allclose(flux, 0, atol=1e-13)
    flux = sep.sum_ellipse(data, x, x, 3.0, 2.0, 0.3, 2.0, bkgann=(0.0, 2.0), subpix=1)[0]
    assert np.allclose(flux, 0, atol=1e-13)
    flux, error, _ = sep.sum_circle(np.ones((60, 60)), x, x, 5.0, bkgann=(6.0, 8.0), gain=1.0)
    area, ring = np.pi * 25, np.pi * 28
    assert np.allclose(flux, 0, atol=1e-13)
    assert np.allclose(error, np.sqrt(area + ring * (area / ring) ** 2), rtol=0.1)


def test_blend(device):
    rng = np.random.default_rng(4)
    y, x = np.mgrid[:200, :200]
    data = 0.02 * rng.standard_normal((200, 200))
    for x0 in (75, 125):
        data += np.exp(-((x - x0) ** 2 + (y - 100) ** 2) / (2 * 10**2))
    objects, segments = sep.extract(data, 1.2, err=0.02, segmentation_map=True)
    assert len(objects) == 2
    ids = np.arange(1, 3, dtype=np.int32)
    args, truth = shapes(objects), 2 * np.pi * 100
    words = {"segmap": segments, "seg_id": ids}
    kron = sep.kron_radius(data, *args, 6.0, **words)[0]
    flux = sep.sum_ellipse(data, *args, 2.5 * kron, subpix=1, **words)[0]
    assert np.allclose(flux, truth, rtol=0.05)
    half = sep.flux_radius(data, *args[:2], 6 * objects["a"], [0.2, 0.5], normflux=flux, **words)
    assert np.allclose(half[0], 10 * np.sqrt(2 * np.log([1 / 0.8, 2])), rtol=0.05)
    with pytest.raises(ValueError, match="seg_id"):
        sep.kron_radius(data, *args, 6.0, segmap=segments)


def test_flux_radius(device):
    radii = sep.flux_radius(np.ones((60, 60)), 30.0, 30.0, 10.0, [0.04, 0.09, 0.49, 1.0])[0]
    assert np.allclose(radii, [2, 3, 7, 10], rtol=0.01)
    assert sep.flux_radius(np.ones((60, 60)), 30.0, 30.0, 0.0, 0.5)[0] == 0


def test_ellipses():
    for r, count in ((1.001, 5), (2.001, 13)):
        for words in ({"a": 1.0, "b": 1.0, "theta": 0.0}, {"cxx": 1.0, "cyy": 1.0, "cxy": 0.0}):
            mask = np.zeros((20, 20), bool)
            sep.mask_ellipse(mask, 10.0, 10.0, r=r, **words)
            assert mask.sum() == count
    a, b, theta = sep.ellipse_axes(*sep.ellipse_coeffs(3.0, 2.0, 0.7))
    assert np.allclose((a, b, theta), (3, 2, 0.7), rtol=1e-10)
    with pytest.raises(ValueError, match="ellipse"):
        sep.ellipse_axes(1.0, 1.0, 3.0)


def test_housekeeping(device):
    data = np.ones((10, 10))
    swapped = data.astype(data.dtype.newbyteorder())
    for call in (lambda: sep.Background(swapped), lambda: sep.extract(swapped, 0.5)):
        with pytest.raises(ValueError, match="byte order"):
            call()
    before = sep.get_extract_pixstack()
    try:
        sep.set_extract_pixstack(5)
        assert sep.get_extract_pixstack() == 5
        with pytest.raises(Exception) as failure:
            sep.extract(data, 0.1)
        assert str(failure.value).startswith("internal pixel buffer full: The limit")
    finally:
        sep.set_extract_pixstack(before)
    sep.set_sub_object_limit(2048)
    assert sep.get_sub_object_limit() == 2048
    with pytest.raises(ValueError, match="2-d"):
        sep.extract(data[0], 1.0)
    with pytest.raises(ValueError, match="thresh"):
        sep.extract(data, -1.0)
    with pytest.raises(ValueError, match="err and var"):
        sep.extract(data, 1.0, err=1.0, var=1.0)
