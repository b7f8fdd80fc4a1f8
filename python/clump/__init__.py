# SPDX-License-Identifier: MIT
"""Clump from Python: finds and measures what stands out in an image, on any OpenCL device.

    import clump as cp
    from clump.scipy.ndimage import label

    x = cp.asarray(a)                      # to the device
    labels, n = label(x > 5 * cp.std(x))   # there
    labels.get()                           # and back

Code that was written for CuPy runs when its imports become `clump`, `clump.scipy` and
`clump.skimage`. The same functions in `clump.host` take and give NumPy arrays. Clump's own verbs,
such as clump.find and clump.cells, take either.
"""

from clump import _protocol
from clump._array import allow_array, asarray, asnumpy, ndarray, wrap
from clump._clump import ffi as _ffi
from clump._clump import lib as _lib
from clump._core import Context, Device, device, devices, finish, trim
from clump._errors import (
    ArgumentError,
    ClumpWarning,
    DeviceError,
    DeviceMemoryError,
    Error,
    FallbackWarning,
    FileError,
    FormatError,
    HostMemoryError,
    KernelError,
    OpenCLError,
    ResultError,
    UnsupportedError,
)
from clump._figures import (
    all,
    amax,
    amin,
    any,
    argmax,
    argmin,
    average,
    count_nonzero,
    max,
    mean,
    median,
    min,
    nanmax,
    nanmean,
    nanmedian,
    nanmin,
    nanpercentile,
    nanquantile,
    nanstd,
    nansum,
    nanvar,
    percentile,
    ptp,
    quantile,
    std,
    sum,
    unique,
    var,
)
from clump._files import File, open, read, view, write, write_table
from clump._numpy import (
    allclose,
    arange,
    array,
    array_equal,
    compress,
    convolve,
    copy,
    diagonal,
    empty,
    empty_like,
    full,
    full_like,
    isclose,
    ones,
    ones_like,
    ravel,
    reshape,
    where,
    zeros,
    zeros_like,
)
from clump._pixels import trips
from clump._verbs import cells, clip, find, label, label2rgb, measure, otsu, primes, stats

__version__ = _ffi.string(_lib.clump_version()).decode()
__all__ = [name for name in dir() if not name.startswith("_")]

del _protocol
