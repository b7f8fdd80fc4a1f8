# SPDX-License-Identifier: MIT
"""Pixels as scikit-image's floats: integers become 0 to 1."""

import warnings

import numpy as np

from clump import _ops
from clump._ops import FLOAT32, FLOAT64
from clump._pixels import refuse


def as_float(x, preserve_range=False):
    """As skimage.util.img_as_float, or float as it stands."""
    if x.dtype == np.float16:
        return _ops.astype(x, FLOAT32)
    if x.dtype.kind == "f" or x._handle is None:
        return _ops.native(x)
    wide = FLOAT64 if x.device.fp64 else FLOAT32
    floats = _ops.astype(_ops.native(x), wide)
    if preserve_range or x.dtype == np.bool_:
        return floats
    if x.dtype.kind == "i" and _ops.stats(x)[0].min < 0:
        refuse("gaussian", "an image of negative integers; preserve_range=True")
    return _ops.arith("multiply", floats, 1.0 / np.iinfo(x.dtype).max)


def renamed(function, old, new, given, value):
    """An argument's older name, with scikit-image's warning."""
    if given is None:
        return value
    warnings.warn(
        f"`{old}` is a deprecated argument name for `{function}`. It will be removed in "
        f"version 1.0. Please use `{new}` instead.",
        FutureWarning,
        stacklevel=3,
    )
    return given
