# SPDX-License-Identifier: MIT
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from clump import Context, Device

class _PerfCaseResult:
    name: str
    cpu_times: NDArray[np.float64]
    gpu_times: NDArray[np.float64]
    device_times: NDArray[np.float64]
    def to_str(self, show_gpu: bool = False) -> str: ...

def benchmark(
    func: Callable[..., Any],
    args: tuple[Any, ...] = (),
    kwargs: dict[str, Any] = ...,
    n_repeat: int = 10000,
    *,
    name: str | None = None,
    n_warmup: int = 10,
    max_duration: float = ...,
    devices: Sequence[int | str | Device | Context] | None = None,
) -> _PerfCaseResult: ...
