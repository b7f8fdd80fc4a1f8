# SPDX-License-Identifier: MIT
"""The microscopy walk-through, and the primes."""
import numpy as np

from peer import Differs, near, optional, peer

cv2 = optional("cv2")
color, filters, measure, morphology = (optional("skimage." + name)
                                       for name in ("color", "filters", "measure", "morphology"))

THREADS = cv2.getNumThreads() if cv2 else 1
PROPERTIES = ("area", "mean_intensity", "solidity")


def level(data):
    return lambda result: near("threshold", data.numbers["threshold"], np.float64(result), rtol=1e-6)


@peer("otsu", "scikit-image threshold_otsu", "skimage", goal=15)
def _(data):
    return lambda: filters.threshold_otsu(data.image), level(data)


def eroded(data):
    return lambda result: near("eroded", data.load("eroded") != 0, result != 0)


@peer("erosion", "scikit-image binary_erosion", "skimage", goal=100)
def _(data):
    mask, disk = data.image.astype(bool), morphology.disk(2)
    return lambda: morphology.binary_erosion(mask, disk), eroded(data)


@peer("erosion", "OpenCV erode", "cv2", goal=2, threads=THREADS)
def _(data):
    disk = morphology.disk(2)
    return lambda: cv2.erode(data.image, disk), eroded(data)


def table(data):
    def check(result):
        near("area", data.load("area").ravel(), result["area"])
        near("mean", data.load("mean").ravel(), result["mean_intensity"], rtol=1e-5)
        near("solidity", data.load("solidity").ravel(), result["solidity"], atol=1e-12)
    return check


@peer("regions", "scikit-image regionprops_table", "skimage", goal=200)
def _(data):
    labels = data.labels
    return lambda: measure.regionprops_table(labels, data.image, PROPERTIES), table(data)


@peer("label2rgb", "scikit-image label2rgb", "skimage")
def _(data):
    labels = data.labels

    def check(result):
        near("rgb", data.load("rgb").astype(int), np.rint(255 * result).astype(int), atol=1)
    return lambda: color.label2rgb(labels, data.image, bg_label=0), check


@peer("cells", "scikit-image, the walk-through", "skimage")
def _(data):
    disk = morphology.disk(2)

    def run():
        blurred = filters.gaussian(data.image, 5)
        mask = morphology.binary_erosion(blurred > filters.threshold_otsu(blurred), disk)
        return measure.regionprops_table(measure.label(mask), data.image, PROPERTIES)

    def check(result):
        mine = data.load("area").ravel()
        if mine.size != result["area"].size:
            raise Differs(f"{result['area'].size} cells, the reference has {mine.size}")
        near("area", mine, result["area"], atol=4, rtol=0.02)
    return run, check


@peer("primes", "NumPy, trial division", "numpy")
def _(data):
    def run():
        return sum((n % np.arange(2, n // 2 + 1)).all() for n in range(2, data.image.size))
    return run, lambda r: near("count", data.numbers["count"], float(r))
