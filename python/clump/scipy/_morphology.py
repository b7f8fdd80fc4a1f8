# SPDX-License-Identifier: MIT
"""Binary morphology by scipy.ndimage's names and border rules."""

import numpy as np

from clump import _ops
from clump._array import ndarray
from clump._numpy import array_equal, full, zeros_like
from clump._ops import BOOL, host, image
from clump._peer import into, peer, sequence, with_axes
from clump._pixels import flat


def generate_binary_structure(rank, connectivity):
    """A NumPy array: the neighbours at up to `connectivity` steps. Peer: scipy.ndimage."""
    if connectivity < 1:
        connectivity = 1
    if rank < 1:
        return np.array(True, dtype=bool)
    return np.abs(np.indices([3] * rank) - 1).sum(0) <= connectivity


def iterate_structure(structure, iterations, origin=None):
    """A structure dilated by itself, as a NumPy array. Peer: scipy.ndimage.iterate_structure."""
    structure = np.asarray(structure)
    if iterations < 2:
        return structure.copy()
    steps = iterations - 1
    shape = [side + steps * (side - 1) for side in structure.shape]
    grown = np.zeros(shape, bool)
    places = np.argwhere(structure)
    start = tuple(
        slice(steps * (side // 2), steps * (side // 2) + side) for side in structure.shape
    )
    grown[start] = structure != 0
    centre = np.array([side // 2 for side in structure.shape])
    for _ in range(steps):
        before = np.argwhere(grown)
        moved = (before[:, None] + (places - centre)[None]).reshape(-1, structure.ndim)
        keep = np.all((moved >= 0) & (moved < shape), axis=1)
        grown[tuple(moved[keep].T)] = True
    if origin is None:
        return grown
    return grown, [iterations * o for o in sequence(origin, structure.ndim)]


def _centred(structure, origin):
    """A structure in an array of odd sides whose middle is its origin."""
    structure = np.atleast_2d(structure != 0)
    origin = [0] * (2 - len(origin)) + list(origin)
    sides, starts = [], []
    for side, move in zip(structure.shape, origin):
        if not -(side // 2) <= move <= (side - 1) // 2:
            raise ValueError("invalid origin")
        centre = side // 2 + move
        reach = max(centre, side - 1 - centre)
        sides.append(2 * reach + 1)
        starts.append(reach - centre)
    cells = np.zeros(sides, bool)
    cells[
        starts[0] : starts[0] + structure.shape[0], starts[1] : starts[1] + structure.shape[1]
    ] = structure
    return cells


def _step(x, cells, border, dilate):
    """An erosion, or a dilation, in which the pixels outside are `border`."""
    outside = (
        _ops.lib.CLUMP_MORPHOLOGY_BORDER_SET if border else _ops.lib.CLUMP_MORPHOLOGY_BORDER_CLEAR
    )
    turned = cells[::-1, ::-1] if dilate else cells
    return _ops.morphology(x, "DILATION" if dilate else "EROSION", turned, border=outside)


def _run(name, input, structure, iterations, mask, output, border, origin, dilate):
    if np.iscomplexobj(host(input) if not isinstance(input, ndarray) else 0):
        raise TypeError("Complex type not supported")
    input = image(input)
    structure = generate_binary_structure(input.ndim, 1) if structure is None else host(structure)
    structure = structure != 0
    if structure.ndim != input.ndim:
        raise RuntimeError("structure and input must have same dimensionality")
    if structure.size < 1:
        raise RuntimeError("structure must not be empty")
    iterations = _whole(iterations)
    if mask is not None and image(mask).shape != input.shape:
        raise RuntimeError("mask and input must have equal sizes")
    origin = sequence(origin, input.ndim, "origin")
    if dilate:
        structure = structure[tuple([slice(None, None, -1)] * structure.ndim)]
        origin = [-o - (not side & 1) for o, side in zip(origin, structure.shape)]
    x = _ops.mask(input)
    if x._handle is None or not structure.any():
        result = x if x._handle is None else full(x.shape, not dilate, BOOL, _context=x._context)
        return into(output, result)
    flat(name, x)
    cells, mask = _centred(structure, origin), None if mask is None else _ops.mask(mask)
    border = int(bool(border))
    count = 0
    while True:
        grown = _step(x, cells, border, dilate)
        if mask is not None:
            grown = (grown & mask) | (x & ~mask)
        count += 1
        if count == iterations or (iterations < 1 or count > 1) and array_equal(grown, x):
            return into(output, grown)
        x = grown


def _whole(iterations):
    import operator

    try:
        return operator.index(iterations)
    except TypeError as error:
        raise TypeError("iterations parameter should be an integer") from error


@peer("scipy.ndimage.binary_erosion", "input mask", "output")
@with_axes
def binary_erosion(
    input,
    structure=None,
    iterations=1,
    mask=None,
    output=None,
    border_value=0,
    origin=0,
    brute_force=False,
):
    """Peer: scipy.ndimage.binary_erosion. Structures of up to 63 x 63, with their origin.
    Iterations of less than 1 repeat until nothing changes."""
    return _run(
        "binary_erosion", input, structure, iterations, mask, output, border_value, origin, False
    )


@peer("scipy.ndimage.binary_dilation", "input mask", "output")
@with_axes
def binary_dilation(
    input,
    structure=None,
    iterations=1,
    mask=None,
    output=None,
    border_value=0,
    origin=0,
    brute_force=False,
):
    """Peer: scipy.ndimage.binary_dilation. As binary_erosion."""
    return _run(
        "binary_dilation", input, structure, iterations, mask, output, border_value, origin, True
    )


@peer("scipy.ndimage.binary_opening", "input mask", "output")
@with_axes
def binary_opening(
    input,
    structure=None,
    iterations=1,
    output=None,
    origin=0,
    mask=None,
    border_value=0,
    brute_force=False,
):
    """An erosion and a dilation. Peer: scipy.ndimage.binary_opening."""
    x = binary_erosion(input, structure, iterations, mask, None, border_value, origin)
    return binary_dilation(x, structure, iterations, mask, output, border_value, origin)


@peer("scipy.ndimage.binary_closing", "input mask", "output")
@with_axes
def binary_closing(
    input,
    structure=None,
    iterations=1,
    output=None,
    origin=0,
    mask=None,
    border_value=0,
    brute_force=False,
):
    """A dilation and an erosion. Peer: scipy.ndimage.binary_closing."""
    x = binary_dilation(input, structure, iterations, mask, None, border_value, origin)
    return binary_erosion(x, structure, iterations, mask, output, border_value, origin)


@peer("scipy.ndimage.binary_propagation", "input mask", "output")
@with_axes
def binary_propagation(input, structure=None, mask=None, output=None, border_value=0, origin=0):
    """A dilation that is repeated until nothing changes. Peer: scipy.ndimage.binary_propagation."""
    return binary_dilation(input, structure, -1, mask, output, border_value, origin)


@peer("scipy.ndimage.binary_fill_holes", "input", "output")
@with_axes
def binary_fill_holes(input, structure=None, output=None, origin=0):
    """Peer: scipy.ndimage.binary_fill_holes. With 4 neighbours in one operation; other structures
    dilate step by step."""
    x = _ops.mask(image(input))
    cross = generate_binary_structure(2, 1)
    if structure is None or np.array_equal(host(structure) != 0, cross):
        if not np.any(origin) and x.ndim == 2 and x._handle is not None:
            return into(output, _ops.morphology(x, "FILL"))
    if x._handle is None:
        return into(output, x)
    outside = binary_dilation(zeros_like(x), structure, -1, ~x, None, 1, origin)
    return into(output, ~outside)


@peer("scipy.ndimage.binary_hit_or_miss", "input", "output")
@with_axes
def binary_hit_or_miss(
    input, structure1=None, structure2=None, output=None, origin1=0, origin2=None
):
    """Peer: scipy.ndimage.binary_hit_or_miss."""
    x = _ops.mask(image(input))
    hit = generate_binary_structure(x.ndim, 1) if structure1 is None else host(structure1) != 0
    miss = ~hit if structure2 is None else host(structure2) != 0
    origin2 = origin1 if origin2 is None else origin2
    there = binary_erosion(x, hit, 1, None, None, 0, origin1)
    return into(output, there & binary_erosion(~x, miss, 1, None, None, 1, origin2))
