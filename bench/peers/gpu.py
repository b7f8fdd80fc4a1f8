# SPDX-License-Identifier: MIT
"""Peers on a graphics card: CuPy (with its SciPy), cuCIM, pyclesperanto, where they import and find one.

The image is on the card before the clock starts, as it is for our devices, and each run waits for the
card to finish. A second row, "with transfers", brings the image from NumPy and takes the result back.
"""
import importlib

import numpy as np

import cells
import filter
import sky
from peer import near, optional, peer, same_partition

cupy, cle = optional("cupy"), optional("pyclesperanto")


def module(name):
    return importlib.import_module(name)


def card():
    """Raises ImportError, which leaves the peer out, unless there is a card for CuPy."""
    if not cupy or not cupy.cuda.runtime.getDeviceCount():
        raise ImportError("no card")


class Waiting:
    """Calls a function and waits for all that it has started; `device_ms` is the card's own time for it."""

    def __init__(self, function):
        self.function = function
        self.events = cupy.cuda.Event(), cupy.cuda.Event()
        self.device_ms = None

    def __call__(self):
        begin, end = self.events
        begin.record()
        result = self.function()
        end.record()
        end.synchronize()
        self.device_ms = cupy.cuda.get_elapsed_time(begin, end)
        return result


def on_host(result):
    return tuple(map(cupy.asnumpy, result)) if isinstance(result, tuple) else cupy.asnumpy(result)


def both(cases, name, package, setup):
    """Registers a peer twice: with the image on the card, and with the transfers."""
    @peer(cases, name, package)
    def _(data):
        card()
        image = cupy.asarray(data.image)
        function, check = setup(data)
        return Waiting(lambda: function(image)), lambda result: check(on_host(result))

    @peer(cases, f"{name}, with transfers", package)
    def _(data):
        card()
        function, check = setup(data)
        return lambda: on_host(function(cupy.asarray(data.image))), check


def convolve(weights):
    def setup(data):
        on_card = cupy.asarray(weights().astype(data.image.dtype))
        convolve2d = module("cupyx.scipy.signal").convolve2d
        return lambda x: convolve2d(x, on_card), filter.full(data)
    return setup


def statistics(data):
    return lambda x: (x.mean(), cupy.median(x), x.std(), x.min(), x.max()), sky.statistics(data)


def clip(data):
    def clipper(x):
        flat = x.ravel()
        while True:
            median, std = cupy.median(flat), cupy.std(flat)
            lower = flat.compress(flat > median - 3 * std)
            inner = lower.compress(lower < median + 3 * std)
            if inner.size == flat.size:
                return flat
            flat = inner
    return clipper, sky.kept(data)


def threshold(data):
    return lambda x: cupy.where(x > sky.LEVEL, 1, 0), sky.mask(data)


def gaussian(data):
    function = module("cupyx.scipy.ndimage").gaussian_filter
    return lambda x: function(x, filter.SIGMA, mode="nearest"), filter.blurred(data)


def label(data):
    function = module("cupyx.scipy.ndimage").label
    return lambda x: function(x)[0], lambda r: near("labels", data.load("labels"), r)


def otsu(data):
    return module("cucim.skimage.filters").threshold_otsu, cells.level(data)


def erosion(data):
    morphology = module("cucim.skimage.morphology")
    disk = cupy.asarray(morphology.disk(2))
    return lambda x: morphology.binary_erosion(x.astype(bool), disk), cells.eroded(data)


both("convolve-gauss-f32 convolve-gauss-f64", "CuPy convolve2d", "cupy", convolve(filter.gauss))
both("convolve-dense-f32 convolve-dense-f64", "CuPy convolve2d", "cupy", convolve(filter.dense))
both("stats", "CuPy", "cupy", statistics)
both("clip", "CuPy, the lesson's loop", "cupy", clip)
both("threshold", "CuPy where", "cupy", threshold)
both(sky.LABELS, "CuPy label", "cupy", label)
both("gaussian", "CuPy gaussian_filter", "cupy", gaussian)
both("otsu", "cuCIM threshold_otsu", "cucim", otsu)
both("erosion", "cuCIM binary_erosion", "cucim", erosion)


@peer(sky.LABELS, "pyclesperanto label", "pyclesperanto")
def _(data):
    if not cle or not cle.list_available_devices():
        raise ImportError("no device")
    image = cle.push(data.image)

    def run():
        labels = cle.connected_component_labeling(image, connectivity="sphere")
        cle.wait_for_kernel_to_finish(True)
        return labels
    return run, lambda r: same_partition(data.load("labels"), np.asarray(cle.pull(r)).astype(np.int64))
