# SPDX-License-Identifier: MIT
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from clump.astropy.stats import SigmaClip as SigmaClip

_Axis: TypeAlias = int | Sequence[int] | None

def sigma_clip(
    data: ArrayLike,
    sigma: float = 3,
    sigma_lower: float | None = None,
    sigma_upper: float | None = None,
    maxiters: float | None = 5,
    cenfunc: str | Callable[..., Any] = "median",
    stdfunc: str | Callable[..., Any] = "std",
    axis: _Axis = None,
    masked: bool = True,
    return_bounds: bool = False,
    copy: bool = True,
    grow: bool | float = False,
) -> Any: ...
def sigma_clipped_stats(
    data: ArrayLike,
    mask: ArrayLike | None = None,
    mask_value: float | None = None,
    sigma: float = 3.0,
    sigma_lower: float | None = None,
    sigma_upper: float | None = None,
    maxiters: float | None = 5,
    cenfunc: str | Callable[..., Any] = "median",
    stdfunc: str | Callable[..., Any] = "std",
    std_ddof: int = 0,
    axis: _Axis = None,
    grow: bool | float = False,
) -> tuple[Any, Any, Any]: ...
