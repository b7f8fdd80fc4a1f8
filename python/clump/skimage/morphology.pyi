# SPDX-License-Identifier: MIT
from collections.abc import Sequence
from typing import Any, TypeAlias

from numpy.typing import ArrayLike, DTypeLike, NDArray

from clump import ndarray

_Footprint: TypeAlias = ndarray | ArrayLike | Sequence[tuple[ArrayLike, int]] | None

def binary_erosion(
    image: ndarray,
    footprint: _Footprint = None,
    out: ndarray | None = None,
    *,
    mode: str = "ignore",
    selem: _Footprint = None,
) -> ndarray: ...
def binary_dilation(
    image: ndarray,
    footprint: _Footprint = None,
    out: ndarray | None = None,
    *,
    mode: str = "ignore",
    selem: _Footprint = None,
) -> ndarray: ...
def binary_opening(
    image: ndarray,
    footprint: _Footprint = None,
    out: ndarray | None = None,
    *,
    mode: str = "ignore",
    selem: _Footprint = None,
) -> ndarray: ...
def binary_closing(
    image: ndarray,
    footprint: _Footprint = None,
    out: ndarray | None = None,
    *,
    mode: str = "ignore",
    selem: _Footprint = None,
) -> ndarray: ...
def remove_small_objects(
    ar: ndarray,
    min_size: int = 64,
    connectivity: int = 1,
    in_place: bool = False,
    *,
    out: ndarray | None = None,
) -> ndarray: ...
def remove_small_holes(
    ar: ndarray,
    area_threshold: int = 64,
    connectivity: int = 1,
    in_place: bool = False,
    *,
    out: ndarray | None = None,
) -> ndarray: ...
def disk(radius: int, dtype: DTypeLike = ...) -> NDArray[Any]: ...
def square(width: int, dtype: DTypeLike = ...) -> NDArray[Any]: ...
def diamond(radius: int, dtype: DTypeLike = ...) -> NDArray[Any]: ...
def rectangle(nrows: int, ncols: int, dtype: DTypeLike = ...) -> NDArray[Any]: ...
def footprint_rectangle(shape: Sequence[int], *, dtype: DTypeLike = ...) -> NDArray[Any]: ...
