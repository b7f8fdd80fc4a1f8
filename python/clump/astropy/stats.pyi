# SPDX-License-Identifier: MIT
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

from numpy.typing import ArrayLike

from clump import ndarray

_Axis: TypeAlias = int | Sequence[int] | None

def sigma_clip(
    data: ndarray,
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
    data: ndarray,
    mask: ndarray | None = None,
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
class SigmaClip:
    sigma: float
    sigma_lower: float
    sigma_upper: float
    maxiters: float
    cenfunc: str | Callable[..., Any]
    stdfunc: str | Callable[..., Any]
    grow: bool | float
    def __init__(
        self,
        sigma: float = 3.0,
        sigma_lower: float | None = None,
        sigma_upper: float | None = None,
        maxiters: float | None = 5,
        cenfunc: str | Callable[..., Any] = "median",
        stdfunc: str | Callable[..., Any] = "std",
        grow: bool | float = False,
    ) -> None: ...
    def __call__(
        self,
        data: ndarray | ArrayLike,
        axis: _Axis = None,
        masked: bool = True,
        return_bounds: bool = False,
        copy: bool = True,
    ) -> Any: ...
