# SPDX-License-Identifier: MIT
"""python -m clump: the devices, and a self-test of each beside NumPy."""

import sys

import numpy as np

import clump
from clump import _driver
from clump.scipy import ndimage, signal


def check(device):
    """Computes a little of everything, and compares."""
    rng = np.random.default_rng(1)
    a = rng.normal(size=(120, 150)).astype(np.float32)
    a[40:50, 60:75] += 20
    with clump.device(device.index if device.type != "reference" else "reference"):
        x = clump.asarray(a)
        wrong = [] if np.array_equal(x.get(), a) else ["transfer"]
        figures = clump.stats(x)
        wrong += [] if np.isclose(figures.std, a.astype(float).std()) else ["stats"]
        wrong += [] if figures.median == np.median(a.astype(float)) else ["median"]
        mask = x > 10
        wrong += [] if np.array_equal(mask.get(), a > 10) else ["threshold"]
        labels, count = ndimage.label(mask)
        wrong += [] if count == 1 else ["label"]
        total = ndimage.sum_labels(x, labels, 1)
        wrong += [] if np.isclose(total, a[a > 10].astype(float).sum()) else ["measure"]
        ones = signal.convolve2d(x, np.ones((3, 3)), "valid").get()
        right = sum(a[i : i + 118, j : j + 148] for i in range(3) for j in range(3))
        wrong += [] if np.allclose(ones, right, atol=1e-4) else ["convolve"]
    return wrong


def main():
    print(f"clump {clump.__version__}, Python {sys.version.split()[0]}, NumPy {np.__version__}")
    devices = clump.devices()
    for path in _driver.found:
        print(f"driver from pip: {path}")
    failed = 0
    for device in devices:
        try:
            wrong = check(device)
        except clump.Error as error:  # a driver that does not know this CPU, for one
            wrong = [str(error)]
        failed += bool(wrong)
        print(
            f"{device.index}: {device.name} ({device.platform}), {device.type}: "
            + ("self-test passed" if not wrong else "FAILED: " + ", ".join(wrong))
        )
    if len(devices) == 1:
        print("no OpenCL device; a driver for the CPU comes with: pip install clump-image[pocl]")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
