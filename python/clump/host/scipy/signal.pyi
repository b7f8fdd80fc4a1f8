# SPDX-License-Identifier: MIT
from collections.abc import Sequence
from typing import Any, TypeAlias

from numpy.typing import ArrayLike, NDArray

_Small: TypeAlias = ArrayLike
_Axis: TypeAlias = int | Sequence[int] | None

def convolve2d(
    in1: ArrayLike, in2: _Small, mode: str = "full", boundary: str = "fill", fillvalue: float = 0
) -> NDArray[Any]: ...
def correlate2d(
    in1: ArrayLike, in2: _Small, mode: str = "full", boundary: str = "fill", fillvalue: float = 0
) -> NDArray[Any]: ...
def convolve(
    in1: ArrayLike, in2: _Small, mode: str = "full", method: str = "auto"
) -> NDArray[Any]: ...
def correlate(
    in1: ArrayLike, in2: _Small, mode: str = "full", method: str = "auto"
) -> NDArray[Any]: ...
def fftconvolve(
    in1: ArrayLike, in2: _Small, mode: str = "full", axes: _Axis = None
) -> NDArray[Any]: ...
