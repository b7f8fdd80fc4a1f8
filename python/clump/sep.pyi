# SPDX-License-Identifier: MIT
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray

from clump import ndarray

_Image: TypeAlias = ndarray | ArrayLike

OBJ_MERGED: int
OBJ_TRUNC: int
OBJ_DOVERFLOW: int
OBJ_SINGU: int
APER_TRUNC: int
APER_HASMASKED: int
APER_ALLMASKED: int
APER_NONPOSITIVE: int
APER_INVALID: int
default_kernel: NDArray[np.float32]

class Background:
    globalback: float
    globalrms: float
    def __init__(
        self,
        data: _Image,
        mask: _Image | None = None,
        maskthresh: float = 0.0,
        bw: int = 64,
        bh: int = 64,
        fw: int = 3,
        fh: int = 3,
        fthresh: float = 0.0,
    ) -> None: ...
    def back(self, dtype: DTypeLike = None, copy: bool = True) -> NDArray[Any]: ...
    def rms(self, dtype: DTypeLike = None) -> NDArray[Any]: ...
    def subfrom(self, array: NDArray[Any]) -> None: ...
    def __array__(self, dtype: DTypeLike = None, copy: bool | None = None) -> NDArray[Any]: ...
    def __rsub__(self, array: ArrayLike) -> NDArray[Any]: ...

def extract(
    data: _Image,
    thresh: float,
    err: _Image | float | None = None,
    var: _Image | float | None = None,
    gain: float | None = None,
    mask: _Image | None = None,
    maskthresh: float = 0.0,
    minarea: int = 5,
    filter_kernel: ArrayLike | None = ...,
    filter_type: str = "matched",
    deblend_nthresh: int = 32,
    deblend_cont: float = 0.005,
    clean: bool = True,
    clean_param: float = 1.0,
    segmentation_map: bool | ArrayLike = False,
) -> Any: ...
def sum_circle(
    data: _Image,
    x: ArrayLike,
    y: ArrayLike,
    r: ArrayLike,
    var: _Image | float | None = None,
    err: _Image | float | None = None,
    gain: float | None = None,
    mask: _Image | None = None,
    maskthresh: float = 0.0,
    seg_id: ArrayLike | None = None,
    segmap: _Image | None = None,
    bkgann: tuple[ArrayLike, ArrayLike] | None = None,
    subpix: int = 5,
) -> tuple[Any, Any, Any]: ...
def sum_circann(
    data: _Image,
    x: ArrayLike,
    y: ArrayLike,
    rin: ArrayLike,
    rout: ArrayLike,
    var: _Image | float | None = None,
    err: _Image | float | None = None,
    gain: float | None = None,
    mask: _Image | None = None,
    maskthresh: float = 0.0,
    seg_id: ArrayLike | None = None,
    segmap: _Image | None = None,
    subpix: int = 5,
) -> tuple[Any, Any, Any]: ...
def sum_ellipse(
    data: _Image,
    x: ArrayLike,
    y: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    theta: ArrayLike,
    r: ArrayLike = 1.0,
    var: _Image | float | None = None,
    err: _Image | float | None = None,
    gain: float | None = None,
    mask: _Image | None = None,
    maskthresh: float = 0.0,
    seg_id: ArrayLike | None = None,
    segmap: _Image | None = None,
    bkgann: tuple[ArrayLike, ArrayLike] | None = None,
    subpix: int = 5,
) -> tuple[Any, Any, Any]: ...
def sum_ellipann(
    data: _Image,
    x: ArrayLike,
    y: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    theta: ArrayLike,
    rin: ArrayLike,
    rout: ArrayLike,
    var: _Image | float | None = None,
    err: _Image | float | None = None,
    gain: float | None = None,
    mask: _Image | None = None,
    maskthresh: float = 0.0,
    seg_id: ArrayLike | None = None,
    segmap: _Image | None = None,
    subpix: int = 5,
) -> tuple[Any, Any, Any]: ...
def kron_radius(
    data: _Image,
    x: ArrayLike,
    y: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    theta: ArrayLike,
    r: ArrayLike,
    mask: _Image | None = None,
    maskthresh: float = 0.0,
    seg_id: ArrayLike | None = None,
    segmap: _Image | None = None,
) -> tuple[Any, Any]: ...
def flux_radius(
    data: _Image,
    x: ArrayLike,
    y: ArrayLike,
    rmax: ArrayLike,
    frac: ArrayLike,
    normflux: ArrayLike | None = None,
    mask: _Image | None = None,
    maskthresh: float = 0.0,
    seg_id: ArrayLike | None = None,
    segmap: _Image | None = None,
    subpix: int = 5,
) -> tuple[Any, Any]: ...
def winpos(
    data: _Image,
    xinit: ArrayLike,
    yinit: ArrayLike,
    sig: ArrayLike,
    mask: _Image | None = None,
    maskthresh: float = 0.0,
    subpix: int = 11,
    minsig: float = ...,
) -> tuple[Any, Any, Any]: ...
def ellipse_coeffs(a: ArrayLike, b: ArrayLike, theta: ArrayLike) -> tuple[Any, Any, Any]: ...
def ellipse_axes(cxx: ArrayLike, cyy: ArrayLike, cxy: ArrayLike) -> tuple[Any, Any, Any]: ...
def mask_ellipse(
    arr: NDArray[np.bool_],
    x: ArrayLike,
    y: ArrayLike,
    a: ArrayLike | None = None,
    b: ArrayLike | None = None,
    theta: ArrayLike | None = None,
    r: ArrayLike = 1.0,
    cxx: ArrayLike | None = None,
    cyy: ArrayLike | None = None,
    cxy: ArrayLike | None = None,
) -> None: ...
def set_extract_pixstack(size: int) -> None: ...
def get_extract_pixstack() -> int: ...
def set_sub_object_limit(size: int) -> None: ...
def get_sub_object_limit() -> int: ...
