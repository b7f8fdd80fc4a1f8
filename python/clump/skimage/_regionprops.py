# SPDX-License-Identifier: MIT
"""Regions with scikit-image's properties: figures from the library, pictures through the host."""

import inspect
import math

import numpy as np

from clump import _ops
from clump._pixels import trip

# older names of properties
OLDER = {
    "bbox_area": "area_bbox",
    "convex_area": "area_convex",
    "filled_area": "area_filled",
    "convex_image": "image_convex",
    "filled_image": "image_filled",
    "equivalent_diameter": "equivalent_diameter_area",
    "intensity_image": "image_intensity",
    "local_centroid": "centroid_local",
    "major_axis_length": "axis_major_length",
    "minor_axis_length": "axis_minor_length",
    "max_intensity": "intensity_max",
    "mean_intensity": "intensity_mean",
    "min_intensity": "intensity_min",
    "weighted_centroid": "centroid_weighted",
    "weighted_local_centroid": "centroid_weighted_local",
    "weighted_moments": "moments_weighted",
    "weighted_moments_central": "moments_weighted_central",
    "weighted_moments_hu": "moments_weighted_hu",
    "weighted_moments_normalized": "moments_weighted_normalized",
    "BoundingBox": "bbox",
    "BoundingBoxArea": "area_bbox",
    "CentralMoments": "moments_central",
    "ConvexArea": "area_convex",
    "ConvexImage": "image_convex",
    "Coordinates": "coords",
    "EquivDiameter": "equivalent_diameter_area",
    "EulerNumber": "euler_number",
    "FeretDiameter": "feret_diameter_max",
    "FeretDiameterMax": "feret_diameter_max",
    "FilledArea": "area_filled",
    "FilledImage": "image_filled",
    "HuMoments": "moments_hu",
    "InertiaTensor": "inertia_tensor",
    "InertiaTensorEigvals": "inertia_tensor_eigvals",
    "IntensityImage": "image_intensity",
    "LocalCentroid": "centroid_local",
    "MajorAxisLength": "axis_major_length",
    "MaxIntensity": "intensity_max",
    "MeanIntensity": "intensity_mean",
    "MinIntensity": "intensity_min",
    "MinorAxisLength": "axis_minor_length",
    "NormalizedMoments": "moments_normalized",
    "CroftonPerimeter": "perimeter_crofton",
    "WeightedCentralMoments": "moments_weighted_central",
    "WeightedCentroid": "centroid_weighted",
    "WeightedHuMoments": "moments_weighted_hu",
    "WeightedLocalCentroid": "centroid_weighted_local",
    "WeightedMoments": "moments_weighted",
    "WeightedNormalizedMoments": "moments_weighted_normalized",
    **{
        name.capitalize(): name
        for name in (
            "area centroid eccentricity extent image label moments "
            "orientation perimeter slice solidity"
        ).split()
    },
}
INTEGERS = {"area", "area_bbox", "area_convex", "area_filled", "bbox", "euler_number", "label"}
OBJECTS = {"coords", "image", "image_convex", "image_filled", "image_intensity", "slice"}
WEIGHTED = {
    "centroid_weighted",
    "centroid_weighted_local",
    "image_intensity",
    "intensity_max",
    "intensity_mean",
    "intensity_min",
    "moments_weighted",
    "moments_weighted_central",
    "moments_weighted_hu",
    "moments_weighted_normalized",
}


class Source:
    """The images that regions are of; the host's copies are made when a picture is asked for."""

    def __init__(self, labels, intensity, extra):
        self.labels, self.intensity = labels, intensity
        self.extra = {function.__name__: function for function in extra or ()}
        self._labels = self._intensity = None

    def host_labels(self):
        if self._labels is None:
            trip("pictures of regions")
            self._labels = self.labels.get()
        return self._labels

    def host_intensity(self):
        if self._intensity is None:
            trip("pictures of regions")
            self._intensity = self.intensity.get()
        return self._intensity


def _central(a, centre):
    """Moments up to the third order about a place."""
    rows, cols = (np.arange(side) - middle for side, middle in zip(a.shape, centre))
    powers = np.arange(4)
    return (rows[None] ** powers[:, None]) @ a @ (cols[:, None] ** powers[None])


def _normalized(mu):
    nu = np.full_like(mu, np.nan)
    for i in range(4):
        for j in range(4):
            if i + j >= 2 and i < mu.shape[0]:
                nu[i, j] = mu[i, j] / mu[0, 0] ** ((i + j) / 2 + 1)
    return nu


def _hu(nu):
    """Hu's seven moments."""
    p, q = nu[3, 0] + nu[1, 2], nu[2, 1] + nu[0, 3]
    a, b = nu[2, 0] + nu[0, 2], nu[2, 0] - nu[0, 2]
    c, d = nu[3, 0] - 3 * nu[1, 2], 3 * nu[2, 1] - nu[0, 3]
    return np.array(
        [
            a,
            b * b + 4 * nu[1, 1] ** 2,
            c * c + d * d,
            p * p + q * q,
            c * p * (p * p - 3 * q * q) + d * q * (3 * p * p - q * q),
            b * (p * p - q * q) + 4 * nu[1, 1] * p * q,
            d * p * (p * p - 3 * q * q) - c * q * (3 * p * p - q * q),
        ]
    )


class RegionProperties:
    """One region: its properties are attributes and items, by scikit-image's names."""

    def __init__(self, row, source):
        self._row, self._source = row, source

    def __getattr__(self, name):
        if name in OLDER:
            return getattr(self, OLDER[name])
        function = self.__dict__.get("_source") and self._source.extra.get(name)
        if function is None:
            raise AttributeError(f"'{type(self)}' object has no attribute '{name}'")
        count = len(inspect.signature(function).parameters)
        if count == 1:
            return function(self.image)
        if count != 2:
            raise AttributeError(
                "Custom regionprop function's number of arguments must be 1 or 2, "
                f"but {name} takes {count} arguments."
            )
        if self._source.intensity is None:
            raise AttributeError(f"intensity image required to calculate {name}")
        return function(self.image, self.image_intensity)

    def __getitem__(self, name):
        if not hasattr(type(self), OLDER.get(name, name)) and name not in self._source.extra:
            raise KeyError(name)
        return getattr(self, name)

    def __iter__(self):
        names = [name for name in dir(type(self)) if not name.startswith("_")]
        if self._source.intensity is None:
            names = [name for name in names if name not in WEIGHTED]
        return iter(sorted(names + list(self._source.extra)))

    def __eq__(self, other):
        if not isinstance(other, RegionProperties):
            return False
        for name in self:
            try:
                np.testing.assert_equal(self[name], other[name])
            except AssertionError:
                return False
        return True

    __hash__ = None

    # Figures of the library

    @property
    def label(self):
        return int(self._row["label"])

    @property
    def area(self):
        return int(self._row["area"])

    @property
    def bbox(self):
        return tuple(int(self._row[name]) for name in ("row_min", "col_min", "row_max", "col_max"))

    @property
    def slice(self):
        top, left, bottom, right = self.bbox
        return slice(top, bottom), slice(left, right)

    @property
    def area_bbox(self):
        top, left, bottom, right = self.bbox
        return (bottom - top) * (right - left)

    @property
    def extent(self):
        return self.area / self.area_bbox

    @property
    def centroid(self):
        return float(self._row["centroid_row"]), float(self._row["centroid_col"])

    @property
    def centroid_local(self):
        return np.array(self.centroid) - self.bbox[:2]

    @property
    def equivalent_diameter_area(self):
        return math.sqrt(4 * self.area / math.pi)

    @property
    def inertia_tensor(self):
        rr, rc, cc = (float(self._row[n]) for n in ("moment_rr", "moment_rc", "moment_cc"))
        return np.array([[cc, -rc], [-rc, rr]])

    @property
    def inertia_tensor_eigvals(self):
        (a, b), (_, c) = self.inertia_tensor
        middle, root = (a + c) / 2, math.sqrt(((a - c) / 2) ** 2 + b * b)
        return [middle + root, max(middle - root, 0.0)]

    @property
    def axis_major_length(self):
        return float(self._row["axis_major"])

    @property
    def axis_minor_length(self):
        return float(self._row["axis_minor"])

    @property
    def orientation(self):
        return float(self._row["orientation"])

    @property
    def eccentricity(self):
        return float(self._row["eccentricity"])

    @property
    def perimeter(self):
        return float(self._row["perimeter"])

    @property
    def area_convex(self):
        return int(self._row["area_convex"])

    @property
    def solidity(self):
        return float(self._row["solidity"])

    @property
    def euler_number(self):
        return int(self._row["euler"])

    def _intensities(self):
        if self._source.intensity is None:
            raise AttributeError("No intensity image specified.")

    @property
    def intensity_max(self):
        self._intensities()
        return float(self._row["max"])

    @property
    def intensity_min(self):
        self._intensities()
        return float(self._row["min"])

    @property
    def intensity_mean(self):
        self._intensities()
        return float(self._row["mean"])

    @property
    def centroid_weighted(self):
        self._intensities()
        return float(self._row["weighted_row"]), float(self._row["weighted_col"])

    @property
    def centroid_weighted_local(self):
        return np.array(self.centroid_weighted) - self.bbox[:2]

    # Pictures, which come through the host

    @property
    def image(self):
        return self._source.host_labels()[self.slice] == self.label

    @property
    def coords(self):
        return np.argwhere(self.image) + self.bbox[:2]

    @property
    def image_intensity(self):
        self._intensities()
        return self._source.host_intensity()[self.slice] * self.image

    @property
    def image_filled(self):
        context = self._source.labels._context
        from clump.scipy._morphology import binary_fill_holes

        return binary_fill_holes(
            _ops.asarray(self.image, device=context), np.ones((3, 3), bool)
        ).get()

    @property
    def area_filled(self):
        return int(self.image_filled.sum())

    @property
    def image_convex(self):
        """The pixels in or on the hull of the middles of the pixels' sides."""
        a = self.image
        points = np.argwhere(a)[:, None] * 2 + np.array([[1, 0], [-1, 0], [0, 1], [0, -1]])
        hull = _hull(np.unique(points.reshape(-1, 2), axis=0))
        rows, cols = np.indices(a.shape) * 2
        inside = np.ones(a.shape, bool)
        for (r0, c0), (r1, c1) in zip(hull, np.roll(hull, -1, axis=0)):
            inside &= (c1 - c0) * (rows - r0) - (r1 - r0) * (cols - c0) <= 0
        return inside

    @property
    def feret_diameter_max(self):
        """The greatest distance between the middles of two sides on the hull's outline."""
        whole = np.pad(self.image_convex, 1)
        points = []
        for move in ((1, 0), (0, 1)):
            step = tuple(slice(None, -1) if m else slice(None) for m in move)
            after = tuple(slice(1, None) if m else slice(None) for m in move)
            places = np.argwhere(whole[step] != whole[after]) + np.array(move) / 2
            points.append(places)
        points = np.vstack(points)
        hull = _hull(np.unique((points * 2).astype(int), axis=0)) / 2
        return float(np.sqrt(((hull[:, None] - hull[None]) ** 2).sum(-1).max()))

    @property
    def perimeter_crofton(self):
        """Crofton's formula: where lines in four directions enter the region."""
        a = np.pad(self.image, 1)
        straight = (a[:, :-1] < a[:, 1:]).sum() + (a[:-1] < a[1:]).sum()
        slanting = (a[:-1, :-1] < a[1:, 1:]).sum() + (a[:-1, 1:] < a[1:, :-1]).sum()
        return float(math.pi / 4 * (straight + slanting / math.sqrt(2)))

    @property
    def moments(self):
        return _central(self.image.astype(float), (0, 0))

    @property
    def moments_central(self):
        return _central(self.image.astype(float), self.centroid_local)

    @property
    def moments_normalized(self):
        return _normalized(self.moments_central)

    @property
    def moments_hu(self):
        return _hu(self.moments_normalized)

    @property
    def moments_weighted(self):
        return _central(self.image_intensity.astype(float), (0, 0))

    @property
    def moments_weighted_central(self):
        return _central(self.image_intensity.astype(float), self.centroid_weighted_local)

    @property
    def moments_weighted_normalized(self):
        return _normalized(self.moments_weighted_central)

    @property
    def moments_weighted_hu(self):
        return _hu(self.moments_weighted_normalized)


def _hull(points):
    """The corners of a convex hull, by Andrew's monotone chain; integers, so that it is exact."""
    points = points[np.lexsort((points[:, 1], points[:, 0]))].tolist()
    if len(points) < 3:
        return np.array(points)
    halves = []
    for sequence in (points, points[::-1]):
        half = []
        for p in sequence:
            while (
                len(half) > 1
                and (
                    (half[-1][0] - half[-2][0]) * (p[1] - half[-2][1])
                    - (half[-1][1] - half[-2][1]) * (p[0] - half[-2][0])
                )
                <= 0
            ):
                half.pop()
            half.append(p)
        halves += half[:-1]
    return np.array(halves)
