# SPDX-License-Identifier: MIT
from collections.abc import Sequence
from typing import Any, TypeAlias

from numpy.typing import ArrayLike, DTypeLike, NDArray

_Footprint: TypeAlias = ArrayLike | Sequence[tuple[ArrayLike, int]] | None

def binary_erosion(
    image: ArrayLike,
    footprint: _Footprint = None,
    out: NDArray[Any] | None = None,
    *,
    mode: str = "ignore",
    selem: _Footprint = None,
) -> NDArray[Any]: ...
def binary_dilation(
    image: ArrayLike,
    footprint: _Footprint = None,
    out: NDArray[Any] | None = None,
    *,
    mode: str = "ignore",
    selem: _Footprint = None,
) -> NDArray[Any]: ...
def binary_opening(
    image: ArrayLike,
    footprint: _Footprint = None,
    out: NDArray[Any] | None = None,
    *,
    mode: str = "ignore",
    selem: _Footprint = None,
) -> NDArray[Any]: ...
def binary_closing(
    image: ArrayLike,
    footprint: _Footprint = None,
    out: NDArray[Any] | None = None,
    *,
    mode: str = "ignore",
    selem: _Footprint = None,
) -> NDArray[Any]: ...
def remove_small_objects(
    ar: ArrayLike,
    min_size: int = 64,
    connectivity: int = 1,
    in_place: bool = False,
    *,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]: ...
def remove_small_holes(
    ar: ArrayLike,
    area_threshold: int = 64,
    connectivity: int = 1,
    in_place: bool = False,
    *,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]: ...
def disk(radius: int, dtype: DTypeLike = ...) -> NDArray[Any]: ...
def square(width: int, dtype: DTypeLike = ...) -> NDArray[Any]: ...
def diamond(radius: int, dtype: DTypeLike = ...) -> NDArray[Any]: ...
def rectangle(nrows: int, ncols: int, dtype: DTypeLike = ...) -> NDArray[Any]: ...
def footprint_rectangle(shape: Sequence[int], *, dtype: DTypeLike = ...) -> NDArray[Any]: ...
