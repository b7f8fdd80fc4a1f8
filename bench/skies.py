#!/usr/bin/python3
# SPDX-License-Identifier: MIT
"""Simulated skies of six kinds, extracted by clump, SEP and photutils with the same settings.

    bench/skies.py CLUMP [--size N] [--stars N] [--seed N] [--device D] [KIND...]

For each kind it prints the completeness of stars of a signal to noise of 7 to 10 and of all, the
purity of the catalogue, and the median ratio of flux_auto to the truth for stars above 20. A star is
found where an object lies within 2 pixels; purity counts objects with a star within 3 pixels. A
program that is not installed is left out. With --limit P the status is 1 where clump is worse than
SEP by more than P points in a figure of any kind.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import warnings

import numpy as np

warnings.simplefilter("ignore")
FWHM = 3.0
SIGMA = FWHM / 2.3548
KINDS = ["flat", "pedestal", "nebula", "rms", "crowded", "artefacts"]


def star(image, x, y, flux):
    """Adds a Gaussian star."""
    reach = int(6 * SIGMA) + 1
    y0, x0 = max(int(y) - reach, 0), max(int(x) - reach, 0)
    rows, cols = np.mgrid[y0:min(int(y) + reach + 1, image.shape[0]),
                          x0:min(int(x) + reach + 1, image.shape[1])]
    light = np.exp(-((cols - x) ** 2 + (rows - y) ** 2) / (2 * SIGMA ** 2))
    image[rows, cols] += flux / (2 * np.pi * SIGMA ** 2) * light


def sky(kind, size, stars, seed):
    """An image, its stars (x, y, flux, signal to noise) and its mask or None."""
    rng = np.random.default_rng(seed)
    yy, xx = np.mgrid[:size, :size]
    noise = np.ones((size, size))
    if kind == "rms":
        noise = 0.5 + 2.5 * xx / size
    count = stars * 4 if kind == "crowded" else stars
    snr = 5 * 20 ** rng.random(count)  # 5 to 100
    x, y = rng.uniform(5, size - 6, count), rng.uniform(5, size - 6, count)
    flux = snr * noise[y.astype(int), x.astype(int)] * np.sqrt(4 * np.pi) * SIGMA
    image = np.zeros((size, size))
    for i in range(count):
        star(image, x[i], y[i], flux[i])
    image += noise * rng.standard_normal((size, size))
    mask = None
    if kind == "pedestal":
        image += 1000
    if kind == "nebula":
        image += 100 + 0.05 * xx + 30 * np.exp(-((xx - size / 3) ** 2 + (yy - size / 2) ** 2)
                                               / (2 * (size / 8) ** 2))
    if kind == "artefacts":
        mask = np.zeros((size, size), bool)
        mask[:, rng.integers(0, size, 4)] = True
        for _ in range(300):  # cosmic rays
            r, c, n = rng.integers(0, size - 8), rng.integers(0, size - 8), rng.integers(2, 8)
            mask[r + np.arange(n) // 2, c + np.arange(n)] = True
        image[mask] += rng.uniform(50, 500, mask.sum())
    return image.astype(np.float32), np.array([x, y, flux, snr]).T, mask


def by_clump(program, image, mask, device):
    from astropy.io import fits
    from astropy.table import Table
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "sky.fits"), os.path.join(folder, "out.fits")
        fits.writeto(path, image)
        words = [program, "extract", path, "-qo", out] + (["-d", device] if device else [])
        if mask is not None:
            fits.writeto(os.path.join(folder, "mask.fits"), mask.astype(np.uint8))
            words += ["--mask", os.path.join(folder, "mask.fits")]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL)
        table = Table.read(out)
        return table["x"] - 1, table["y"] - 1, table["flux_auto"]


def by_sep(image, mask):
    import sep
    data = image.astype(float)
    back = sep.Background(data, mask=mask)
    data -= back.back()
    objects, segments = sep.extract(data, 1.5, err=back.rms(), mask=mask, segmentation_map=True)
    ids = np.arange(1, len(objects) + 1, dtype=np.int32)
    shape = [objects[c] for c in ("x", "y", "a", "b", "theta")]
    shape[4] = np.clip(shape[4], -np.pi / 2, np.pi / 2)
    kron, _ = sep.kron_radius(data, *shape, 6.0, mask=mask, segmap=segments, seg_id=ids)
    flux, _, _ = sep.sum_ellipse(data, *shape, np.maximum(2.5 * kron, 3.5), subpix=1, mask=mask,
                                 segmap=segments, seg_id=ids)
    return objects["x"], objects["y"], flux


def by_photutils(image, mask):
    from astropy.convolution import convolve
    from photutils.background import Background2D, SExtractorBackground
    from photutils.segmentation import SourceCatalog, deblend_sources, detect_sources
    back = Background2D(image, 64, filter_size=3, mask=mask, bkg_estimator=SExtractorBackground())
    data = image - back.background
    kernel = np.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16
    smooth = convolve(data, kernel, mask=mask, preserve_nan=True)
    found = detect_sources(smooth, 1.5 * back.background_rms, npixels=5, mask=mask)
    found = deblend_sources(smooth, found, npixels=5, nlevels=32, contrast=0.005,
                            progress_bar=False)
    catalog = SourceCatalog(data, found, convolved_data=smooth, mask=mask)
    return catalog.xcentroid, catalog.ycentroid, catalog.kron_flux


def judge(stars, x, y, flux):
    """Completeness at 7 to 10 and of all, purity, flux ratio of bright stars; in per cent."""
    from scipy.spatial import cKDTree
    x, y, flux = (np.asarray(v, float) for v in (x, y, flux))
    good = np.isfinite(x) & np.isfinite(y)
    x, y, flux = x[good], y[good], flux[good]
    if not len(x):
        return 0.0, 0.0, 0.0, 0.0
    far, which = cKDTree(np.array([x, y]).T).query(stars[:, :2])
    found = far < 2
    back, _ = cKDTree(stars[:, :2]).query(np.array([x, y]).T)
    faint, bright = (stars[:, 3] >= 7) & (stars[:, 3] <= 10), found & (stars[:, 3] > 20)
    return (100 * found[faint].mean(), 100 * found.mean(), 100 * (back < 3).mean(),
            100 * np.median(flux[which[bright]] / stars[bright, 2]))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("clump")
    parser.add_argument("kinds", nargs="*")
    parser.add_argument("--size", type=int, default=768)
    parser.add_argument("--stars", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--device")
    parser.add_argument("--limit", type=float)
    args = parser.parse_args()
    worse = 0
    print("%-10s %-10s %7s %7s %7s %7s %6s" % ("kind", "program", "7-10 %", "all %", "pure %",
                                              "flux %", "n"))
    for kind in args.kinds or KINDS:
        image, stars, mask = sky(kind, args.size, args.stars, args.seed)
        figures = {}
        for name, run in (("clump", lambda: by_clump(args.clump, image, mask, args.device)),
                          ("sep", lambda: by_sep(image, mask)),
                          ("photutils", lambda: by_photutils(image, mask))):
            try:
                x, y, flux = run()
            except ImportError:
                continue
            figures[name] = judge(stars, x, y, flux)
            print("%-10s %-10s %7.1f %7.1f %7.1f %7.1f %6d" % (kind, name, *figures[name], len(x)))
        if args.limit is not None and "sep" in figures:
            ours, theirs = figures["clump"], figures["sep"]
            worse += any(a < b - args.limit for a, b in zip(ours[:3], theirs[:3]))
            worse += abs(ours[3] - 100) > abs(theirs[3] - 100) + args.limit
    sys.exit(1 if worse else 0)


if __name__ == "__main__":
    main()
