# SPDX-License-Identifier: MIT
from collections.abc import Sequence
from typing import Any

from clump import ndarray

def label2rgb(
    label: ndarray,
    image: ndarray | None = None,
    colors: Sequence[Any] | None = None,
    alpha: float = 0.3,
    bg_label: int = 0,
    bg_color: Any = (0, 0, 0),
    image_alpha: float = 1,
    kind: str = "overlay",
    *,
    saturation: float = 0,
    channel_axis: int = -1,
) -> ndarray: ...
