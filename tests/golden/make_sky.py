#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Makes the golden values of background and photometry: what SEP says.

    python3 tests/golden/make_sky.py background > tests/golden/background.txt
    python3 tests/golden/make_sky.py photometry > tests/golden/photometry.txt

The images are those of make.py. A line is one case: its input, then what SEP finds.
"""
import sys

import numpy as np
import sep

import make


def sky(rows, cols, seed, level):
    """Bell-shaped noise of sigma 9.2 about a level, some pixels bright."""
    image = make.bell(make.draw(seed, rows * cols)).reshape(rows, cols) / 4096.0
    return (image + level).astype(np.float32)


def background():
    print("# sep", sep.__version__, "by make_sky.py background")
    print("# rows cols seed level mesh filter, then globals and 20 pixels of level and rms")
    for rows, cols, seed, level, mesh, fltr in [
            (256, 256, 1, 0, 64, 3), (300, 200, 2, 100, 32, 3), (130, 190, 3, 1000, 16, 1),
            (96, 333, 4, -50, 48, 5), (64, 64, 5, 10, 64, 3), (40, 200, 6, 5, 50, 3),
            (200, 40, 7, 5, 50, 3)]:
        found = sep.Background(sky(rows, cols, seed, level), bw=mesh, bh=mesh, fw=fltr, fh=fltr)
        back, rms = found.back(), found.rms()
        at = [(k * 7919) % (rows * cols) for k in range(20)]
        print(rows, cols, seed, level, mesh, fltr, make.number(float(found.globalback)),
              make.number(float(found.globalrms)),
              *(make.number(float(m.ravel()[i])) for m in (back, rms) for i in at))


def photometry():
    print("# sep", sep.__version__, "by make_sky.py photometry")
    print("# seed subpix x y a b theta r, then circle, its error, annulus, ellipse, elliptical "
          "annulus, kron radius, half-light radius")
    image = np.abs(sky(80, 90, 11, 30))
    for i in range(24):
        h = [int(v) / 2**64 for v in make.draw(100 + i, 7)]
        x, y, r = 90 * h[0], 80 * h[1], 1 + 6 * h[2]
        a, b, theta = 1 + 3 * h[3], 0.5 + 0.5 * h[4], 3 * (h[5] - 0.5)
        n = i % 3 * 5
        one = lambda v: np.array([v])
        circle = sep.sum_circle(image, one(x), one(y), one(r), err=2.0, gain=3.0, subpix=n)
        ring = sep.sum_circann(image, one(x), one(y), r, r + 2, subpix=n)
        ellipse = sep.sum_ellipse(image, one(x), one(y), one(a), one(b), one(theta), one(r),
                                  subpix=n)
        band = sep.sum_ellipann(image, one(x), one(y), one(a), one(b), one(theta), r, r + 1,
                                subpix=n)
        kron = sep.kron_radius(image, one(x), one(y), one(a), one(b), one(theta), 6.0)
        half = sep.flux_radius(image, one(x), one(y), one(2 * r), 0.5, subpix=5)
        print(11, n, *(make.number(v) for v in (x, y, a, b, theta, r)),
              *(make.number(float(v[0])) for v in (circle[0], circle[1], ring[0], ellipse[0],
                                                   band[0], kron[0], half[0])))


if __name__ == "__main__":
    {"background": background, "photometry": photometry}[sys.argv[1]]()
