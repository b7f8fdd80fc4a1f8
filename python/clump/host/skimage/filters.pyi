# SPDX-License-Identifier: MIT
from collections.abc import Sequence
from typing import Any, TypeAlias

from numpy.typing import ArrayLike, DTypeLike, NDArray

_Output: TypeAlias = NDArray[Any] | DTypeLike | None

def gaussian(
    image: ArrayLike,
    sigma: float | Sequence[float] = 1,
    output: _Output = None,
    mode: str = "nearest",
    cval: float = 0,
    multichannel: bool | None = None,
    preserve_range: bool = False,
    truncate: float = 4.0,
    *,
    channel_axis: int | None = None,
    out: NDArray[Any] | None = None,
) -> NDArray[Any]: ...
def threshold_otsu(
    image: ArrayLike | None = None,
    nbins: int = 256,
    *,
    hist: ArrayLike | tuple[ArrayLike, ArrayLike] | None = None,
) -> float: ...
def apply_hysteresis_threshold(image: ArrayLike, low: float, high: float) -> NDArray[Any]: ...
