# SPDX-License-Identifier: MIT
"""What a peer is: a function that gets a case's data and gives back what to time and how to check it.

    @peer("threshold", "NumPy where", "numpy", goal=15)
    def _(data):
        return lambda: np.where(data.image > LEVEL, 1, 0), same("mask")

The first function is timed, and nothing but it. The second one gets its result and raises Differs when
it is not the reference's; a peer that defines the operation differently raises Other, with the figures
that show how near it is. `goal` is how many times faster clump wants to be.
"""
import importlib

import numpy as np

PEERS = {}


class Missing:
    """Stands for a package that is not installed, and for all that is in it: false, and no function."""

    def __getattr__(self, name):
        return self

    def __bool__(self):
        return False

    def __call__(self, *args, **kwargs):
        raise ImportError("a package that this peer calls is missing")


def optional(module):
    try:
        return importlib.import_module(module)
    except ImportError:
        return Missing()


class Differs(Exception):
    """The peer's result is not the reference's."""


class Other(Exception):
    """The peer computes something else of the same kind."""


class Data:
    """A case: `image`, `extra` (labels), and in `expected` what the reference made of it."""

    def __init__(self, folder, numbers):
        self.folder = folder
        self.numbers = numbers
        self.image = self.load("image")

    def load(self, name):
        return np.load(f"{self.folder}/{name}.npy")

    @property
    def labels(self):
        return self.load("extra0")


class Peer:
    def __init__(self, name, package, goal, threads, setup):
        self.name, self.package, self.goal = name, package, goal
        self.threads, self.setup = threads, setup


def peer(cases, name, package, goal=None, threads=1):
    def register(setup):
        for case in cases.split():
            wanted = goal.get(case) if isinstance(goal, dict) else goal
            PEERS.setdefault(case, []).append(Peer(name, package, wanted, threads, setup))
        return setup
    return register


def near(what, mine, theirs, rtol=0.0, atol=0.0):
    mine, theirs = np.asarray(mine), np.asarray(theirs)
    if mine.shape != theirs.shape:
        raise Differs(f"{what}: shape {theirs.shape}, the reference has {mine.shape}")
    good = np.isclose(theirs, mine, rtol=rtol, atol=atol, equal_nan=True)
    if not good.all():
        at = np.unravel_index(np.argmin(good), good.shape) if good.ndim else ()
        raise Differs(f"{what} at {tuple(map(int, at))}: {theirs[at]!r}, the reference has {mine[at]!r}")


def same_partition(mine, theirs):
    """Equal but for the order of the numbers."""
    pairs = np.unique(np.stack([mine.ravel(), theirs.ravel()]), axis=1)
    if len(pairs[0]) != len(np.unique(pairs[0])) or len(pairs[1]) != len(np.unique(pairs[1])):
        raise Differs("labels part the mask in another way")
