# SPDX-License-Identifier: MIT
"""Filters by scipy.ndimage's names: weights are made on the host, sums on the device."""

import numpy as np

from clump import _ops
from clump._array import ndarray
from clump._ops import FLOAT32, FLOAT64, host, image
from clump._peer import into, peer, sequence, with_axes
from clump._pixels import canonical, flat

BOUNDARIES = {
    "reflect": "symm",
    "grid-mirror": "symm",
    "constant": "fill",
    "grid-constant": "fill",
    "nearest": "nearest",
    "mirror": "mirror",
    "wrap": "wrap",
    "grid-wrap": "wrap",
}


def boundary(mode):
    """The library's word for a mode of scipy.ndimage."""
    if not isinstance(mode, str) or mode not in BOUNDARIES:
        raise RuntimeError("boundary mode not supported")
    return BOUNDARIES[mode]


def _double(x):
    """SciPy sums in double whatever the pixels are."""
    return _ops.real(_ops.astype(x, FLOAT64)) if x.device.fp64 else _ops.real(x)


def _output(input, output):
    """The dtype of a result, as scipy.ndimage has it."""
    if output is None:
        return input.dtype
    return output.dtype if isinstance(output, ndarray) else canonical(output)


def _check(name, x):
    if x.dtype == np.float16:
        raise RuntimeError("array type dtype('float16') not supported")
    return flat(name, x)


def gaussian_weights(sigma, order, radius):
    """The weights of a derivative of the Gaussian, for a correlation."""
    if order < 0:
        raise ValueError("order must be non-negative")
    places = np.arange(-radius, radius + 1)
    phi = np.exp(-0.5 / (sigma * sigma) * places**2)
    phi = phi / phi.sum()
    if order:
        # A derivative is a polynomial q times phi: (q phi)' = (q' - q x / sigma^2) phi.
        q = np.polynomial.Polynomial([1.0])
        for _ in range(order):
            q = q.deriv() - q * np.polynomial.Polynomial([0, 1 / (sigma * sigma)])
        phi = q(places) * phi
    return phi[::-1]


def _radius(sigma, truncate, radius):
    if radius is None:
        return int(truncate * float(sigma) + 0.5)
    if not isinstance(radius, (int, np.integer)) or radius < 0:
        raise ValueError("Radius must be a nonnegative integer.")
    return int(radius)


def _truncate(sigmas, truncate, radii):
    """The width in sigmas that gives these radii; None where no one width gives all."""
    wanted = [_radius(s, truncate, r) for s, r in zip(sigmas, radii)]
    if any(r is not None for r in radii) and sigmas[-1] > 1e-15:
        truncate = wanted[-1] / sigmas[-1]
    fits = all(_radius(s, truncate, None) == r for s, r in zip(sigmas, wanted) if s > 1e-15)
    return truncate if fits else None


@peer("scipy.ndimage.gaussian_filter", "input", "output")
def gaussian_filter(
    input,
    sigma,
    order=0,
    output=None,
    mode="reflect",
    cval=0.0,
    truncate=4.0,
    *,
    radius=None,
    axes=None,
):
    """Peer: scipy.ndimage.gaussian_filter. sigma, order, mode and radius may be of each axis.

    float32 pixels are summed in float32, derivatives in float64. Integers go through float64 and
    are truncated at the end, as SciPy does. Refused: axes. Does not wait, but for integers.
    """
    x = _check("gaussian_filter", image(input))
    if axes is not None and tuple(np.atleast_1d(axes) % x.ndim) != tuple(range(x.ndim)):
        raise NotImplementedError("gaussian_filter: axes is not offered here")
    count = x.ndim
    orders, sigmas = sequence(order, count), [float(s) for s in sequence(sigma, count)]
    modes, radii = sequence(mode, count), sequence(radius, count)
    for one in modes:
        boundary(one)
    dtype = _output(x, output)
    if x._handle is None:
        return into(output, x, dtype)
    width, truncate = truncate, _truncate(sigmas, truncate, radii)
    plain = not any(orders) and truncate is not None and len(set(modes)) == 1
    if plain and dtype in (FLOAT32, FLOAT64) and x.dtype in (FLOAT32, FLOAT64):
        pair = [s if s > 1e-15 else 0.0 for s in ([0.0] + sigmas)[-2:]]
        x = _ops.astype(x, dtype)
        return into(output, _ops.gaussian(x, pair, truncate, boundary(modes[0]), cval), dtype)
    for axis in range(count):
        if sigmas[axis] > 1e-15:
            radius = _radius(sigmas[axis], width, radii[axis])
            weights = gaussian_weights(sigmas[axis], orders[axis], radius)
            x = correlate1d(x, weights, axis, dtype, modes[axis], cval)
    return into(output, x, dtype)


def _shorter(x, dtype):
    return _ops.astype(x, FLOAT32) if dtype == FLOAT32 and x.dtype == FLOAT64 else x


@peer("scipy.ndimage.gaussian_filter1d", "input", "output")
def gaussian_filter1d(
    input,
    sigma,
    axis=-1,
    order=0,
    output=None,
    mode="reflect",
    cval=0.0,
    truncate=4.0,
    *,
    radius=None,
):
    """Peer: scipy.ndimage.gaussian_filter1d."""
    x = _check("gaussian_filter1d", image(input))
    weights = gaussian_weights(float(sigma), order, _radius(sigma, truncate, radius))
    return correlate1d(x, weights, axis, output, mode, cval, 0)


def _centred(weights, origins):
    """Weights in an array of odd sides whose middle is their origin, for a correlation."""
    sides, starts = [], []
    for side, origin in zip(weights.shape, origins):
        centre = side // 2 + origin
        if not 0 <= centre < side:
            raise ValueError(
                "Invalid origin; origin must satisfy "
                "-(weights.shape[k] // 2) <= origin[k] <= (weights.shape[k]-1) // 2"
            )
        reach = max(centre, side - 1 - centre)
        sides.append(2 * reach + 1)
        starts.append(reach - centre)
    cells = np.zeros(sides)
    cells[tuple(slice(s, s + side) for s, side in zip(starts, weights.shape))] = weights
    return cells


def _correlate(name, input, weights, output, mode, cval, origin, flipped):
    x = _check(name, image(input))
    weights = host(weights)
    if np.iscomplexobj(weights):
        raise TypeError(f"{name}: complex weights are not offered here")
    if weights.ndim != x.ndim:
        raise RuntimeError("filter weights array has incorrect shape.")
    origins = sequence(origin, x.ndim)
    if flipped:
        weights = weights[tuple([slice(None, None, -1)] * weights.ndim)]
        origins = [-o - (not side & 1) for o, side in zip(origins, weights.shape)]
    if not weights.size:
        raise RuntimeError("filter weights array has incorrect shape.")
    cells = _centred(weights.astype(FLOAT64), origins)
    dtype = _output(x, output)
    if x._handle is None:
        return into(output, x, dtype)
    cells = np.atleast_2d(cells[tuple([slice(None, None, -1)] * cells.ndim)])
    result = _ops.convolve(_double(x), cells, "same", boundary(mode), cval)
    return into(output, _shorter(result, dtype), dtype)


@peer("scipy.ndimage.correlate", "input", "output")
@with_axes
def correlate(input, weights, output=None, mode="reflect", cval=0.0, origin=0):
    """Peer: scipy.ndimage.correlate. Sums are made in float64. Refused: complex numbers."""
    return _correlate("correlate", input, weights, output, mode, cval, origin, False)


@peer("scipy.ndimage.convolve", "input", "output")
@with_axes
def convolve(input, weights, output=None, mode="reflect", cval=0.0, origin=0):
    """Peer: scipy.ndimage.convolve. Sums are made in float64. Refused: complex numbers."""
    return _correlate("convolve", input, weights, output, mode, cval, origin, True)


def _along(x, weights, axis):
    weights = host(weights)
    if weights.ndim != 1 or not weights.size:
        raise RuntimeError("no filter weights given")
    if not -x.ndim <= axis < x.ndim:
        raise np.AxisError(axis, x.ndim) if hasattr(np, "AxisError") else ValueError("invalid axis")
    shape = [1] * x.ndim
    shape[axis] = -1
    return weights.reshape(shape)


@peer("scipy.ndimage.correlate1d", "input", "output")
def correlate1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Peer: scipy.ndimage.correlate1d."""
    x, origins = image(input), [0] * input.ndim
    origins[axis] = origin
    return correlate(x, _along(x, weights, axis), output, mode, cval, origins)


@peer("scipy.ndimage.convolve1d", "input", "output")
def convolve1d(input, weights, axis=-1, output=None, mode="reflect", cval=0.0, origin=0):
    """Peer: scipy.ndimage.convolve1d."""
    weights = host(weights)[::-1]
    origin = -origin - (not weights.size & 1)
    return correlate1d(input, weights, axis, output, mode, cval, origin)
