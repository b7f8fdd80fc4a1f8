# SPDX-License-Identifier: MIT
"""Complex pixels in clump.host: what is linear is done to the real parts and to the others apart.

A device has no complex pixels. The parts of NumPy arrays go up one after another, each as a real
image, and are put together where they come down.
"""

import warnings

import numpy as np

# The functions that are linear: their second argument that may be complex, and what is outside.
_LINEAR = {
    "scipy.signal.convolve2d": ("in2", "fillvalue"),
    "scipy.signal.correlate2d": ("in2", "fillvalue"),
    "scipy.signal.convolve": ("in2", None),
    "scipy.signal.fftconvolve": ("in2", None),
    "scipy.signal.correlate": ("in2", None),
    "scipy.ndimage.convolve": ("weights", "cval"),
    "scipy.ndimage.correlate": ("weights", "cval"),
    "scipy.ndimage.convolve1d": ("weights", "cval"),
    "scipy.ndimage.correlate1d": ("weights", "cval"),
    "scipy.ndimage.gaussian_filter": (None, "cval"),
    "scipy.ndimage.gaussian_filter1d": (None, "cval"),
}


def wanted(function, arguments):
    """Whether a call is of complex pixels or weights, and of a function that is linear."""
    name, images, _ = function.__clump__
    if name not in _LINEAR:
        return False
    return any(np.iscomplexobj(arguments.get(part)) for part in (images[0], _LINEAR[name][0]))


def run(call, function, arguments):
    """Calls `call`, which takes real arrays, for each pair of parts."""
    name, images, output = function.__clump__
    second, outside = _LINEAR[name]
    first = images[0]
    pixels = np.asarray(arguments[first])
    weights = np.asarray(arguments[second]) if second else None
    kinds = [pixels.dtype] + ([weights.dtype] if second and not output else [])
    dtype = np.result_type(*kinds, np.complex64)
    target, dtype = _target(arguments.pop(output, None) if output else None, dtype)
    part = np.empty(0, dtype).real.dtype
    fill = complex(arguments.get(outside, 0)) if outside else 0
    if output and fill.imag and not np.iscomplexobj(pixels):
        raise ValueError("Cannot provide a complex-valued cval when the input is real.")
    if second and "correlate" in name:
        weights = weights.conj()

    def real(x, w, value):
        given = {**arguments, first: np.ascontiguousarray(x, part)}
        if second:
            given[second] = np.ascontiguousarray(w)
        if outside:
            given[outside] = value
        return call(**given)

    w = weights.real if second else None
    result = np.asarray(real(pixels.real, w, fill.real)).astype(dtype)
    result.imag = real(pixels.imag, w, fill.imag)
    if second and np.iscomplexobj(weights):
        result.real -= real(pixels.imag, weights.imag, fill.imag)
        result.imag += real(pixels.real, weights.imag, fill.real)
    if target is None:
        return result
    target[...] = result
    return target


def _target(output, dtype):
    """The array to be filled, or None, and the complex type of the result."""
    if isinstance(output, np.ndarray):
        if output.dtype.kind != "c":
            raise RuntimeError("output must have complex dtype")
        return output, output.dtype
    if output is None:
        return None, dtype
    output = np.dtype(output)
    if output.kind != "c":
        warnings.warn("promoting specified output dtype to complex", stacklevel=5)
    return None, np.result_type(output, np.complex64)
