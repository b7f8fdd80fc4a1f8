#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes pipelines.json: the two pipelines on the sample images, step by step in SciPy and skimage.

usage: python3 tests/golden/pipelines.py > tests/golden/pipelines.json
(numpy 1.24.2, scipy 1.10.1, scikit-image 0.19.3 and astropy 5.2.1 of Debian 12 made the one stored)
"""
import json
import os

import numpy as np
from astropy.io import fits
from astropy.wcs import WCS
from scipy import ndimage
from skimage import filters, io, measure, morphology

DATA = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "data")


def clip(values):
    values = values[np.isfinite(values)].astype(float)
    while True:
        median, std = np.median(values), values.std()
        kept = values[(values > median - 3 * std) & (values < median + 3 * std)]
        if len(kept) == len(values):
            return kept
        values = kept


def find(name, level, connectivity, raw=False):
    with fits.open(os.path.join(DATA, name)) as hdus:
        image, wcs = hdus[0].data.astype(float), WCS(hdus[0].header)
    kept = clip(image.ravel())
    base = np.median(kept) if level == "median" else 0
    threshold = base + 5 * kept.std()
    structure = ndimage.generate_binary_structure(2, 1 if connectivity == 4 else 2)
    labels, count = ndimage.label(image > threshold, structure)
    numbers = range(1, count + 1)
    image = image if raw else image - base
    centres = np.array(ndimage.center_of_mass(image, labels, numbers))
    sky = wcs.all_pix2world(centres[:, ::-1], 0)
    return {
        "threshold": threshold, "sources": count, "kept": len(kept),
        "after": {"mean": kept.mean(), "median": np.median(kept), "std": kept.std(),
                  "max": kept.max()},
        "x": (centres[:, 1] + 1).tolist(), "y": (centres[:, 0] + 1).tolist(),
        "ra": sky[:, 0].tolist(), "dec": sky[:, 1].tolist(),
        "flux": ndimage.sum_labels(image, labels, numbers).tolist(),
        "peak": ndimage.maximum(image, labels, numbers).tolist(),
        "npix": np.bincount(labels.ravel())[1:].tolist(),
    }


def cells(name, channel):
    image = io.imread(os.path.join(DATA, name))[:, :, channel]
    blurred = filters.gaussian(image, sigma=5)
    threshold = filters.threshold_otsu(blurred)
    labels = measure.label(morphology.binary_erosion(blurred > threshold, morphology.disk(2)))
    table = measure.regionprops_table(labels, image, properties=(
        "label", "area", "bbox", "centroid", "weighted_centroid", "mean_intensity", "min_intensity",
        "max_intensity", "major_axis_length", "minor_axis_length", "orientation", "eccentricity",
        "perimeter", "convex_area", "solidity", "euler_number"))
    new = {"weighted_centroid-0": "centroid_weighted-0", "weighted_centroid-1": "centroid_weighted-1",
           "mean_intensity": "intensity_mean", "min_intensity": "intensity_min",
           "max_intensity": "intensity_max", "major_axis_length": "axis_major_length",
           "minor_axis_length": "axis_minor_length", "convex_area": "area_convex"}
    return {"threshold": threshold, "objects": int(labels.max()),
            "columns": {new.get(k, k): v.tolist() for k, v in table.items()}}


print(json.dumps({
    "find": find("field.fits", "median", 4),
    "find --raw": find("field.fits", "median", 4, raw=True),
    "find --level zero --connectivity 8": find("field.fits", "zero", 8),
    "cells --channel green": cells("cells.png", 1),
}, indent=1))
