# SPDX-License-Identifier: MIT
"""The manners of device arrays: what goes in, what comes out, what is refused."""

import copy
import operator
import pickle

import numpy as np
import pytest

import clump as cp

DTYPES = "bool int8 uint8 int16 uint16 int32 uint32 int64 uint64 float16 float32 float64".split()
SHAPES = [(1,), (33,), (1, 1), (7, 31), (5, 32), (64, 65), (0,), (3, 0), (2, 3, 4), (4, 5, 3), ()]


def some(rng, shape, dtype):
    return (rng.random(shape) * 200 - 50 * (np.dtype(dtype).kind in "if")).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_there_and_back(device, rng, dtype):
    for shape in SHAPES:
        a = some(rng, shape, dtype)
        x = cp.asarray(a)
        assert (x.shape, x.dtype, x.size, x.ndim) == (a.shape, a.dtype, a.size, a.ndim)
        back = cp.asnumpy(x)
        assert back.dtype == a.dtype and np.array_equal(back, a)


def test_layouts(device, rng):
    a = some(rng, (40, 30), "float32")
    for b in (
        a.T,
        a[::2, ::-3],
        np.asfortranarray(a),
        a.astype(">f4"),
        np.broadcast_to(a[0], (4, 30)),
    ):
        assert np.array_equal(cp.asarray(b).get(), b)
    assert cp.asarray([[1, 2], [3, 4]]).dtype == np.int64
    assert cp.asarray(np.ma.masked_less(a, 0)).get()[a < 0].size == (a < 0).sum()
    assert np.isnan(cp.asarray(np.ma.masked_less(a, 0)).get()[a < 0]).all()
    with pytest.raises(TypeError, match="masked array of int32"):
        cp.asarray(np.ma.masked_less(a.astype(np.int32), 0))


@pytest.mark.parametrize("dtype", ["complex128", "longdouble", "object", "U3"])
def test_not_pixels(device, dtype):
    with pytest.raises(TypeError, match="is not a pixel type; there are bool"):
        cp.asarray(np.zeros(3, dtype))
    with pytest.raises(OverflowError, match="2\\*\\*63"):
        cp.asarray(np.array([2**63], np.uint64))


def test_cupys_refusals(device):
    x = cp.asarray(np.ones((4, 4)))
    with pytest.raises(TypeError, match="Implicit conversion to a NumPy array is not allowed"):
        np.asarray(x)
    with pytest.raises(TypeError, match="Unsupported type <class 'numpy.ndarray'>"):
        x + np.ones((4, 4))
    with pytest.raises(TypeError, match="Unsupported type <class 'numpy.ndarray'>"):
        np.ones((4, 4)) + x
    with pytest.raises(TypeError):
        iter(x)
    with pytest.raises(TypeError):
        hash(x)
    with pytest.raises(ValueError, match="ambiguous"):
        bool(x)
    before = cp.allow_array(True)
    try:
        assert np.array_equal(np.asarray(x), np.ones((4, 4)))
    finally:
        cp.allow_array(before)


@pytest.mark.parametrize("dtype", ["uint8", "int32", "int64", "float32", "float64"])
def test_comparisons(device, rng, dtype):
    a, b = some(rng, (9, 41), dtype), some(rng, (9, 41), dtype)
    if np.dtype(dtype).kind == "f":
        a[2, 3] = b[4, 5] = np.nan
    x, y = cp.asarray(a), cp.asarray(b)
    for name in "gt ge lt le eq ne".split():
        compare = getattr(operator, name)
        for level in (a[1, 1], 17, 20.5, -1):
            assert np.array_equal(compare(x, level).get(), compare(a, level)), (name, level)
            assert np.array_equal(compare(level, x).get(), compare(level, a)), (name, level)
        assert np.array_equal(compare(x, y).get(), compare(a, b)), name


def test_float32_levels(device):
    a = np.array([0.1, 0.2, 0.3], np.float32)
    x = cp.asarray(a)
    for level in (0.1, 0.2, np.float32(0.2), np.float64(0.2)):
        assert np.array_equal((x > level).get(), a > level)
        assert np.array_equal((x >= level).get(), a >= level)


def test_masks(device, rng):
    a, b = rng.random((2, 13, 45)) > 0.5
    x, y = cp.asarray(a), cp.asarray(b)
    assert np.array_equal((x & y).get(), a & b)
    assert np.array_equal((x | y).get(), a | b)
    assert np.array_equal((x ^ y).get(), a ^ b)
    assert np.array_equal((~x).get(), ~a)
    assert np.array_equal(np.logical_and(x, y).get(), a & b)
    assert cp.count_nonzero(x) == a.sum() and x.any() and not x.all() and (x | ~x).all()


@pytest.mark.parametrize("dtype", ["uint8", "int16", "int64", "float32", "float64"])
def test_arithmetic(device, rng, dtype):
    a, b = some(rng, (9, 41), dtype), some(rng, (9, 41), dtype) + np.dtype(dtype).type(1)
    x, y = cp.asarray(a), cp.asarray(b)
    with np.errstate(all="ignore"):
        for name in "add sub mul truediv".split():
            compute = getattr(operator, name)
            for result, right in (
                (compute(x, y), compute(a, b)),
                (compute(x, 3), compute(a, 3)),
                (compute(3, y), compute(3, b)),
            ):
                if dtype in ("uint8", "int16") and name == "truediv":
                    right = right.astype(np.float64)
                assert result.dtype == right.dtype or name == "truediv"
                assert np.allclose(result.get(), right, rtol=1e-6, equal_nan=True)
    assert np.array_equal((-x).get(), -a)


@pytest.mark.parametrize("dtype", DTYPES)
def test_figures(device, rng, dtype):
    a = some(rng, (19, 23), dtype)
    x = cp.asarray(a)
    for name in "mean std var median amax amin sum argmax argmin".split():
        figure, right = getattr(np, name)(x), getattr(np, name)(a)
        if dtype == "float16":  # NumPy's own sums overflow
            right = getattr(np, name)(a.astype(np.float64)).astype(right.dtype)
        assert figure.dtype == right.dtype, name
        assert np.allclose(figure, right, rtol=1e-2 if dtype == "float16" else 1e-6), name
    if dtype != "bool":
        assert np.allclose(np.percentile(x, [5, 50]), np.percentile(a, [5, 50]), rtol=1e-3)
    assert x.mean() == cp.mean(x) and np.std(x, ddof=1) == cp.std(x, ddof=1)
    with pytest.raises(NotImplementedError, match="axis=0"):
        np.mean(x, axis=0)


def test_blanks(device):
    a = np.array([1, np.nan, 5, 3])
    x = cp.asarray(a)
    assert np.isnan(np.mean(x)) and np.isnan(np.amax(x)) and np.isnan(np.median(x))
    assert np.nanmean(x) == 3 and np.nanmedian(x) == 3 and np.nanmax(x) == 5
    assert cp.argmax(x) == 1


def test_large_integers(device):
    a = np.array([2**62 + 1, 3, -(2**62) - 1])
    x = cp.asarray(a)
    assert x.max() == a.max() and x.min() == a.min() and x.sum() == 3


def test_parts(device, rng):
    a = some(rng, (20, 50), "int32")
    x = cp.asarray(a)
    for key in (
        np.s_[2:7, 10:45],
        np.s_[3],
        np.s_[-1, 4:],
        np.s_[..., 7],
        np.s_[:0],
        np.s_[:, -3:],
    ):
        assert np.array_equal(x[key].get(), a[key])
    assert x[3, 4] == a[3, 4] and isinstance(x[3, 4], np.int32)
    assert len(x) == 20 and np.array_equal(x.ravel().get(), a.ravel())
    assert np.array_equal(x.reshape(50, -1).get(), a.reshape(50, -1))
    assert np.array_equal(x.diagonal().get(), a.diagonal())
    assert np.array_equal(x[x > 0].get(), a[a > 0])
    assert np.array_equal(x.compress(x.ravel() > 0).get(), a.compress(a.ravel() > 0))
    for key in (np.s_[::2], np.s_[[1, 2]], np.s_[1, 2, 3], 99):
        with pytest.raises(IndexError):
            x[key]
    with pytest.raises(TypeError):
        x[0] = 1


def test_colour(device, rng):
    a = some(rng, (20, 30, 3), "uint8")
    x = cp.asarray(a)
    assert x.pixel_type == "rgb"
    assert np.array_equal(x[:, :, 1].get(), a[:, :, 1])
    assert np.array_equal(x[2:9, 4:20].get(), a[2:9, 4:20])
    assert np.array_equal(x[3, 4].get(), a[3, 4]) and x[3, 4, 1] == a[3, 4, 1]


def test_where(device, rng):
    a = rng.random((8, 70))
    x = cp.asarray(a)
    cp.trips(reset=True)
    y = np.where(x > 0.5, 1, 0)
    assert y.dtype == np.int64 and y.pixel_type == "bits" and not cp.trips()
    assert np.array_equal(y.get(), np.where(a > 0.5, 1, 0)) and y.sum() == (a > 0.5).sum()
    assert np.array_equal(np.where(x > 0.5, x, -x).get(), np.where(a > 0.5, a, -a))
    assert np.array_equal(np.where(x > 0.5, x, 0).get(), np.where(a > 0.5, a, 0))
    assert np.array_equal(np.where(x > 0.5, 300, -1).get(), np.where(a > 0.5, 300, -1))
    assert np.array_equal((y + 1).get(), np.where(a > 0.5, 1, 0) + 1)


def test_numpy_dispatch(device, rng):
    a = rng.random(100)
    x = cp.asarray(a)
    for mode in ("full", "same", "valid"):
        for v in (rng.random(7), rng.random(300)):
            assert np.allclose(np.convolve(x, cp.asarray(v), mode).get(), np.convolve(a, v, mode))
    whole = rng.integers(-9, 9, 50)
    assert np.array_equal(
        np.convolve(cp.asarray(whole), cp.asarray([1, 2, 3])).get(), np.convolve(whole, [1, 2, 3])
    )
    assert np.allclose(x, a) and np.allclose(a, x) and not np.allclose(x, a + 1)
    assert np.array_equal(x, a) and not np.array_equal(x, a[1:])
    assert np.allclose(np.sqrt(x).get(), np.sqrt(a))
    with pytest.raises(TypeError):
        np.linalg.norm(x)


def test_astype(device):
    a = np.array([[1.7, -2.7, 300, 0]])
    x = cp.asarray(a)
    for dtype in ("float32", "int32", "bool", "int8"):
        with np.errstate(all="ignore"):
            assert np.array_equal(
                x.astype(dtype).get(),
                a.astype(np.int64 if dtype == "int8" else dtype).astype(dtype),
            )
    assert np.array_equal(cp.asarray(np.arange(9)).astype(np.uint8).get(), np.arange(9))


def test_wrap_and_map_by_address(device):
    a = np.arange(64.0 * 64).reshape(64, 64)
    x = cp.wrap(a)
    view = x.map()
    assert view.ctypes.data == a.ctypes.data
    with pytest.raises(ValueError, match="mapped"):
        x.mean()
    view[0, 0] = 5
    part = view[1:]
    del view
    with pytest.raises(ValueError, match="mapped"):
        x.mean()
    del part
    assert x.get()[0, 0] == 5 and x.mean() == a.mean()
    y = cp.asarray(a)
    view = y.map("r")
    assert not view.flags.writeable and np.array_equal(view, a)
    with pytest.raises(ValueError, match="not laid out as an image"):
        cp.wrap(a.T)


def test_the_rest(device, rng):
    a = rng.random((30, 40)).astype(np.float32)
    x = cp.asarray(a)
    assert repr(x).startswith("<clump.ndarray (30, 40) float32 on ") and "4.688 KiB" in repr(x)
    assert "array(" in repr(x[:2, :3])
    for y in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy(x), x.copy()):
        assert np.array_equal(y.get(), a)
    assert x.__dlpack_device__() == (4, x.device.index)
    assert float(cp.asarray(3.5)) == 3.5 and f"{cp.asarray(3.5):.2f}" == "3.50"
    assert x.nbytes == a.nbytes and (x > 0).nbytes == 30 * 8


def test_two_devices():
    if len(cp.devices()) < 2:
        pytest.skip("there is one device only")
    x, y = cp.asarray([1.0], device="reference"), cp.asarray([1.0], device=0)
    with pytest.raises(ValueError):
        x + y
    assert x.device.type == "reference" and y.device != x.device
    with cp.Context("reference") as own:
        assert cp.asarray([1.0])._context is own
