# SPDX-License-Identifier: MIT
"""Convolution and blur."""
import numpy as np

from peer import near, optional, peer

cv2, filters = optional("cv2"), optional("skimage.filters")
ndimage, signal = optional("scipy.ndimage"), optional("scipy.signal")

SIDE, SIGMA = 15, 5
THREADS = cv2.getNumThreads() if cv2 else 1


def gauss():
    x, y = np.meshgrid(np.linspace(-2, 2, SIDE), np.linspace(-2, 2, SIDE))
    return np.exp(-(x * x + y * y) / 2)


def splitmix64(state):
    state = (state + 0x9e3779b97f4a7c15) % 2**64
    z = state
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9 % 2**64
    z = (z ^ z >> 27) * 0x94d049bb133111eb % 2**64
    return state, z ^ z >> 31


def dense():
    state, values = 15, []
    for _ in range(SIDE * SIDE):
        state, bits = splitmix64(state)
        values.append((bits >> 40) * 2.0**-24)
    return np.array(values).reshape(SIDE, SIDE)


def full(data):
    def check(result):
        mine = data.load("convolved")
        near("convolved", mine, result, atol=1e-4 if data.image.dtype == np.float32 else 1e-11)
    return check


def middle(data):
    """OpenCV knows no full mode: its result is the middle of ours."""
    def check(result):
        mine, half = data.load("convolved"), SIDE // 2
        near("convolved", mine[half:-half, half:-half], result,
             atol=1e-3 if data.image.dtype == np.float32 else 1e-10)
    return check


@peer("convolve-gauss-f32 convolve-gauss-f64", "SciPy convolve2d", "scipy",
      goal={"convolve-gauss-f32": 400})
def _(data):
    weights = gauss().astype(data.image.dtype)
    return lambda: signal.convolve2d(data.image, weights), full(data)


@peer("convolve-dense-f32 convolve-dense-f64", "SciPy convolve2d", "scipy",
      goal={"convolve-dense-f32": 220})
def _(data):
    weights = dense().astype(data.image.dtype)
    return lambda: signal.convolve2d(data.image, weights), full(data)


@peer("convolve-dense-f32 convolve-dense-f64", "SciPy fftconvolve", "scipy")
def _(data):
    weights = dense().astype(data.image.dtype)
    return lambda: signal.fftconvolve(data.image, weights), full(data)


@peer("convolve-gauss-f32 convolve-gauss-f64", "OpenCV sepFilter2D, same", "cv2",
      goal={"convolve-gauss-f32": 3}, threads=THREADS)
def _(data):
    line = np.exp(-np.linspace(-2, 2, SIDE)**2 / 2).astype(data.image.dtype)
    return lambda: cv2.sepFilter2D(data.image, -1, line, line, borderType=cv2.BORDER_CONSTANT), middle(data)


@peer("convolve-dense-f32 convolve-dense-f64", "OpenCV filter2D, same", "cv2",
      goal={"convolve-dense-f32": 8}, threads=THREADS)
def _(data):
    weights = dense()[::-1, ::-1].astype(data.image.dtype).copy()
    return lambda: cv2.filter2D(data.image, -1, weights, borderType=cv2.BORDER_CONSTANT), middle(data)


@peer("convolve-1d-f64", "NumPy convolve", "numpy", goal=25)
def _(data):
    row, line = data.image.ravel(), gauss().diagonal().copy()
    return lambda: np.convolve(row, line), lambda r: near("convolved", data.load("convolved").ravel(), r, atol=1e-13)


def blurred(data):
    return lambda result: near("blurred", data.load("blurred"), result, atol=2e-5)


@peer("gaussian", "SciPy gaussian_filter", "scipy", goal=20)
def _(data):
    return lambda: ndimage.gaussian_filter(data.image, SIGMA, mode="nearest"), blurred(data)


@peer("gaussian", "scikit-image gaussian", "skimage")
def _(data):
    return lambda: filters.gaussian(data.image, SIGMA, preserve_range=True), blurred(data)


@peer("gaussian", "OpenCV GaussianBlur", "cv2", goal=3, threads=THREADS)
def _(data):
    return (lambda: cv2.GaussianBlur(data.image, (8 * SIGMA + 1, 8 * SIGMA + 1), SIGMA,
                                     borderType=cv2.BORDER_REPLICATE)), blurred(data)
