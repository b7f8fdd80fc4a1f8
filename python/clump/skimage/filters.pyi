# SPDX-License-Identifier: MIT
from collections.abc import Sequence
from typing import TypeAlias

from numpy.typing import ArrayLike, DTypeLike

from clump import ndarray

_Output: TypeAlias = ndarray | DTypeLike | None

def gaussian(
    image: ndarray,
    sigma: float | Sequence[float] = 1,
    output: _Output = None,
    mode: str = "nearest",
    cval: float = 0,
    multichannel: bool | None = None,
    preserve_range: bool = False,
    truncate: float = 4.0,
    *,
    channel_axis: int | None = None,
    out: ndarray | None = None,
) -> ndarray: ...
def threshold_otsu(
    image: ndarray | None = None,
    nbins: int = 256,
    *,
    hist: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None,
) -> float: ...
def apply_hysteresis_threshold(image: ndarray, low: float, high: float) -> ndarray: ...
