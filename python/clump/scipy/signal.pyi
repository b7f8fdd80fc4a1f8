# SPDX-License-Identifier: MIT
from collections.abc import Sequence
from typing import TypeAlias

from numpy.typing import ArrayLike

from clump import ndarray

_Small: TypeAlias = ndarray | ArrayLike
_Axis: TypeAlias = int | Sequence[int] | None

def convolve2d(
    in1: ndarray, in2: _Small, mode: str = "full", boundary: str = "fill", fillvalue: float = 0
) -> ndarray: ...
def correlate2d(
    in1: ndarray, in2: _Small, mode: str = "full", boundary: str = "fill", fillvalue: float = 0
) -> ndarray: ...
def convolve(in1: ndarray, in2: _Small, mode: str = "full", method: str = "auto") -> ndarray: ...
def correlate(in1: ndarray, in2: _Small, mode: str = "full", method: str = "auto") -> ndarray: ...
def fftconvolve(in1: ndarray, in2: _Small, mode: str = "full", axes: _Axis = None) -> ndarray: ...
