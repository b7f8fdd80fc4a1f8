# SPDX-License-Identifier: MIT
from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import ArrayLike, NDArray

from clump.skimage.measure import RegionProperties

def label(
    label_image: ArrayLike,
    background: int | None = None,
    return_num: bool = False,
    connectivity: int | None = None,
) -> Any: ...
def regionprops(
    label_image: ArrayLike,
    intensity_image: ArrayLike | None = None,
    cache: bool = True,
    coordinates: str | None = None,
    *,
    extra_properties: Sequence[Callable[..., Any]] | None = None,
) -> list[RegionProperties]: ...
def regionprops_table(
    label_image: ArrayLike,
    intensity_image: ArrayLike | None = None,
    properties: Sequence[str] = ("label", "bbox"),
    *,
    cache: bool = True,
    separator: str = "-",
    extra_properties: Sequence[Callable[..., Any]] | None = None,
) -> dict[str, NDArray[Any]]: ...
