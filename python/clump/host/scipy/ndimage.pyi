# SPDX-License-Identifier: MIT
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

_Small: TypeAlias = ArrayLike
_Axis: TypeAlias = int | Sequence[int] | None
_Output: TypeAlias = NDArray[Any] | DTypeLike | None

def binary_closing(
    input: ArrayLike,
    structure: _Small | None = None,
    iterations: int = 1,
    output: _Output = None,
    origin: int | Sequence[int] = 0,
    mask: ArrayLike | None = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: _Axis = None,
) -> NDArray[Any]: ...
def binary_dilation(
    input: ArrayLike,
    structure: _Small | None = None,
    iterations: int = 1,
    mask: ArrayLike | None = None,
    output: _Output = None,
    border_value: int = 0,
    origin: int | Sequence[int] = 0,
    brute_force: bool = False,
    *,
    axes: _Axis = None,
) -> NDArray[Any]: ...
def binary_erosion(
    input: ArrayLike,
    structure: _Small | None = None,
    iterations: int = 1,
    mask: ArrayLike | None = None,
    output: _Output = None,
    border_value: int = 0,
    origin: int | Sequence[int] = 0,
    brute_force: bool = False,
    *,
    axes: _Axis = None,
) -> NDArray[Any]: ...
def binary_fill_holes(
    input: ArrayLike,
    structure: _Small | None = None,
    output: _Output = None,
    origin: int | Sequence[int] = 0,
    *,
    axes: _Axis = None,
) -> NDArray[Any]: ...
def binary_hit_or_miss(
    input: ArrayLike,
    structure1: _Small | None = None,
    structure2: _Small | None = None,
    output: _Output = None,
    origin1: int | Sequence[int] = 0,
    origin2: int | Sequence[int] | None = None,
    *,
    axes: _Axis = None,
) -> NDArray[Any]: ...
def binary_opening(
    input: ArrayLike,
    structure: _Small | None = None,
    iterations: int = 1,
    output: _Output = None,
    origin: int | Sequence[int] = 0,
    mask: ArrayLike | None = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: _Axis = None,
) -> NDArray[Any]: ...
def binary_propagation(
    input: ArrayLike,
    structure: _Small | None = None,
    mask: ArrayLike | None = None,
    output: _Output = None,
    border_value: int = 0,
    origin: int | Sequence[int] = 0,
    *,
    axes: _Axis = None,
) -> NDArray[Any]: ...
def center_of_mass(
    input: ArrayLike, labels: _Small | None = None, index: _Small | None = None
) -> Any: ...
def convolve(
    input: ArrayLike,
    weights: _Small,
    output: _Output = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: _Axis = None,
) -> NDArray[Any]: ...
def convolve1d(
    input: ArrayLike,
    weights: _Small,
    axis: int = -1,
    output: _Output = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> NDArray[Any]: ...
def correlate(
    input: ArrayLike,
    weights: _Small,
    output: _Output = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: _Axis = None,
) -> NDArray[Any]: ...
def correlate1d(
    input: ArrayLike,
    weights: _Small,
    axis: int = -1,
    output: _Output = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> NDArray[Any]: ...
def extrema(
    input: ArrayLike, labels: _Small | None = None, index: _Small | None = None
) -> tuple[Any, Any, Any, Any]: ...
def find_objects(input: ArrayLike, max_label: int = 0) -> list[tuple[slice, ...] | None]: ...
def gaussian_filter(
    input: ArrayLike,
    sigma: float | Sequence[float],
    order: int | Sequence[int] = 0,
    output: _Output = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | Sequence[int] | None = None,
    axes: _Axis = None,
) -> NDArray[Any]: ...
def gaussian_filter1d(
    input: ArrayLike,
    sigma: float,
    axis: int = -1,
    order: int = 0,
    output: _Output = None,
    mode: str = "reflect",
    cval: float = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | None = None,
) -> NDArray[Any]: ...
def generate_binary_structure(rank: int, connectivity: int) -> NDArray[np.bool_]: ...
def iterate_structure(
    structure: ArrayLike, iterations: int, origin: int | Sequence[int] | None = None
) -> Any: ...
def label(input: ArrayLike, structure: _Small | None = None, output: _Output = None) -> Any: ...
def maximum(input: ArrayLike, labels: _Small | None = None, index: _Small | None = None) -> Any: ...
def maximum_position(
    input: ArrayLike, labels: _Small | None = None, index: _Small | None = None
) -> Any: ...
def mean(input: ArrayLike, labels: _Small | None = None, index: _Small | None = None) -> Any: ...
def median(input: ArrayLike, labels: _Small | None = None, index: _Small | None = None) -> Any: ...
def minimum(input: ArrayLike, labels: _Small | None = None, index: _Small | None = None) -> Any: ...
def minimum_position(
    input: ArrayLike, labels: _Small | None = None, index: _Small | None = None
) -> Any: ...
def standard_deviation(
    input: ArrayLike, labels: _Small | None = None, index: _Small | None = None
) -> Any: ...
def sum(input: ArrayLike, labels: _Small | None = None, index: _Small | None = None) -> Any: ...
def sum_labels(
    input: ArrayLike, labels: _Small | None = None, index: _Small | None = None
) -> Any: ...
def variance(
    input: ArrayLike, labels: _Small | None = None, index: _Small | None = None
) -> Any: ...
