# SPDX-License-Identifier: MIT
from typing import Any

from numpy.typing import NDArray

from clump import ndarray

class Stats:
    count: int
    blank: int
    infinite: int
    min: float
    max: float
    min_position: tuple[int, int]
    max_position: tuple[int, int]
    sum: float
    mean: float
    variance: float
    std: float
    median: float
    mad: float
    quantiles: NDArray[Any]

class Clip:
    lower: float
    upper: float
    kept: int
    iterations: int
    converged: bool
    before: Stats
    after: Stats
    mask: ndarray
    pixels: ndarray

class Found:
    clip: Clip
    level: float
    threshold: float
    expected_false: float
    count: int
    regions: NDArray[Any]
    sources: dict[str, NDArray[Any]]
    labels: ndarray

class Cells:
    threshold: float
    count: int
    regions: NDArray[Any]
    table: dict[str, NDArray[Any]]
    labels: ndarray
    overlay: ndarray
