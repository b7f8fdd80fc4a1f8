# SPDX-License-Identifier: MIT
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from clump import ndarray

_Small: TypeAlias = ndarray | ArrayLike
_Axis: TypeAlias = int | Sequence[int] | None
_Output: TypeAlias = ndarray | DTypeLike | None

def binary_closing(
    input: ndarray,
    structure: _Small | None = None,
    iterations: int = 1,
    output: _Output = None,
    origin: int | Sequence[int] = 0,
    mask: ndarray | None = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: _Axis = None,
) -> ndarray: ...
def binary_dilation(
    input: ndarray,
    structure: _Small | None = None,
    iterations: int = 1,
    mask: ndarray | None = None,
    output: _Output = None,
    border_value: int = 0,
    origin: int | Sequence[int] = 0,
    brute_force: bool = False,
    *,
    axes: _Axis = None,
) -> ndarray: ...
def binary_erosion(
    input: ndarray,
    structure: _Small | None = None,
    iterations: int = 1,
    mask: ndarray | None = None,
    output: _Output = None,
    border_value: int = 0,
    origin: int | Sequence[int] = 0,
    brute_force: bool = False,
    *,
    axes: _Axis = None,
) -> ndarray: ...
def binary_fill_holes(
    input: ndarray,
    structure: _Small | None = None,
    output: _Output = None,
    origin: int | Sequence[int] = 0,
    *,
    axes: _Axis = None,
) -> ndarray: ...
def binary_hit_or_miss(
    input: ndarray,
    structure1: _Small | None = None,
    structure2: _Small | None = None,
    output: _Output = None,
    origin1: int | Sequence[int] = 0,
    origin2: int | Sequence[int] | None = None,
    *,
    axes: _Axis = None,
) -> ndarray: ...
def binary_opening(
    input: ndarray,
    structure: _Small | None = None,
    iterations: int = 1,
    output: _Output = None,
    origin: int | Sequence[int] = 0,
    mask: ndarray | None = None,
    border_value: int = 0,
    brute_force: bool = False,
    *,
    axes: _Axis = None,
) -> ndarray: ...
def binary_propagation(
    input: ndarray,
    structure: _Small | None = None,
    mask: ndarray | None = None,
    output: _Output = None,
    border_value: int = 0,
    origin: int | Sequence[int] = 0,
    *,
    axes: _Axis = None,
) -> ndarray: ...
def center_of_mass(
    input: ndarray, labels: _Small | None = None, index: _Small | None = None
) -> Any: ...
def convolve(
    input: ndarray,
    weights: _Small,
    output: _Output = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: _Axis = None,
) -> ndarray: ...
def convolve1d(
    input: ndarray,
    weights: _Small,
    axis: int = -1,
    output: _Output = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> ndarray: ...
def correlate(
    input: ndarray,
    weights: _Small,
    output: _Output = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int | Sequence[int] = 0,
    *,
    axes: _Axis = None,
) -> ndarray: ...
def correlate1d(
    input: ndarray,
    weights: _Small,
    axis: int = -1,
    output: _Output = None,
    mode: str = "reflect",
    cval: float = 0.0,
    origin: int = 0,
) -> ndarray: ...
def extrema(
    input: ndarray, labels: _Small | None = None, index: _Small | None = None
) -> tuple[Any, Any, Any, Any]: ...
def find_objects(input: ndarray, max_label: int = 0) -> list[tuple[slice, ...] | None]: ...
def gaussian_filter(
    input: ndarray,
    sigma: float | Sequence[float],
    order: int | Sequence[int] = 0,
    output: _Output = None,
    mode: str | Sequence[str] = "reflect",
    cval: float = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | Sequence[int] | None = None,
    axes: _Axis = None,
) -> ndarray: ...
def gaussian_filter1d(
    input: ndarray,
    sigma: float,
    axis: int = -1,
    order: int = 0,
    output: _Output = None,
    mode: str = "reflect",
    cval: float = 0.0,
    truncate: float = 4.0,
    *,
    radius: int | None = None,
) -> ndarray: ...
def generate_binary_structure(rank: int, connectivity: int) -> NDArray[np.bool_]: ...
def iterate_structure(
    structure: ArrayLike, iterations: int, origin: int | Sequence[int] | None = None
) -> Any: ...
def label(input: ndarray, structure: _Small | None = None, output: _Output = None) -> Any: ...
def maximum(input: ndarray, labels: _Small | None = None, index: _Small | None = None) -> Any: ...
def maximum_position(
    input: ndarray, labels: _Small | None = None, index: _Small | None = None
) -> Any: ...
def mean(input: ndarray, labels: _Small | None = None, index: _Small | None = None) -> Any: ...
def median(input: ndarray, labels: _Small | None = None, index: _Small | None = None) -> Any: ...
def minimum(input: ndarray, labels: _Small | None = None, index: _Small | None = None) -> Any: ...
def minimum_position(
    input: ndarray, labels: _Small | None = None, index: _Small | None = None
) -> Any: ...
def standard_deviation(
    input: ndarray, labels: _Small | None = None, index: _Small | None = None
) -> Any: ...
def sum(input: ndarray, labels: _Small | None = None, index: _Small | None = None) -> Any: ...
def sum_labels(
    input: ndarray, labels: _Small | None = None, index: _Small | None = None
) -> Any: ...
def variance(input: ndarray, labels: _Small | None = None, index: _Small | None = None) -> Any: ...
