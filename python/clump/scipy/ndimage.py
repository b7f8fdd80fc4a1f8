# SPDX-License-Identifier: MIT
"""scipy.ndimage's functions on device arrays."""

from clump.scipy._filters import (
    convolve,
    correlate,
    convolve1d,
    correlate1d,
    gaussian_filter,
    gaussian_filter1d,
)
from clump.scipy._measurements import (
    center_of_mass,
    extrema,
    find_objects,
    label,
    maximum,
    maximum_position,
    mean,
    median,
    minimum,
    minimum_position,
    standard_deviation,
    sum,
    sum_labels,
    variance,
)
from clump.scipy._morphology import (
    binary_closing,
    binary_dilation,
    binary_erosion,
    binary_fill_holes,
    binary_hit_or_miss,
    binary_opening,
    binary_propagation,
    generate_binary_structure,
    iterate_structure,
)

__all__ = [name for name in dir() if not name.startswith("_")]
