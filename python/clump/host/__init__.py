# SPDX-License-Identifier: MIT
"""The same functions for NumPy arrays: clump.host.scipy.ndimage.label(a) goes up, computes, comes
back.

For scripts, dask and tests. Every function that is marked with its peer has its twin here; there is
no second list.
"""

import functools
import importlib
import inspect
import sys
import types

import numpy as np

from clump import _complex
from clump._array import asarray, ndarray


def _up(value):
    return value if value is None or isinstance(value, ndarray) else asarray(value)


def _down(value):
    if isinstance(value, ndarray):
        return value.get()
    if isinstance(value, (tuple, list)):
        return type(value)(_down(item) for item in value)
    return value


def twin(function):
    """A function of NumPy arrays from one of device arrays."""
    if hasattr(function, "__clump_host__"):
        return function.__clump_host__
    _, images, output = function.__clump__
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        bound = signature.bind(*args, **kwargs)
        if _complex.wanted(function, bound.arguments):
            return _complex.run(call, function, dict(bound.arguments))
        target = bound.arguments.get(output) if output else None
        if target is None and bound.arguments.get("in_place"):
            target = bound.arguments[images[0]]
        for name in images:
            if name in bound.arguments:
                bound.arguments[name] = _up(bound.arguments[name])
        if not isinstance(target, np.ndarray):
            return _down(function(*bound.args, **bound.kwargs))
        image = bound.arguments[images[0]]
        if target.shape != image.shape:
            raise RuntimeError("output shape not correct")
        bound.arguments[output] = target.dtype
        result = _down(function(*bound.args, **bound.kwargs))
        if isinstance(result, tuple):  # label: the count alone is given
            target[...] = result[0]
            return result[1]
        target[...] = result
        return target

    return call


class _Module(types.ModuleType):
    """A module whose functions are made at first use."""

    def __init__(self, name, source):
        super().__init__(name, f"{source} for NumPy arrays.")
        self.__source__ = source
        self.__path__ = []

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        source = importlib.import_module(self.__source__)
        value = getattr(source, name, None)
        if value is None:
            try:
                importlib.import_module(f"{self.__source__}.{name}")
            except ImportError:
                raise AttributeError(f"{self.__name__} has no {name}") from None
            value = _module(f"{self.__name__}.{name}", f"{self.__source__}.{name}")
        elif isinstance(value, types.ModuleType):
            value = _module(f"{self.__name__}.{name}", f"{self.__source__}.{name}")
        elif hasattr(value, "__clump__"):
            value = twin(value)
        setattr(self, name, value)
        return value

    def __dir__(self):
        return dir(importlib.import_module(self.__source__))


def _module(name, source):
    if name not in sys.modules:
        sys.modules[name] = _Module(name, source)
    return sys.modules[name]


__path__ = []
for _parent, _names in {
    "scipy": "signal ndimage",
    "skimage": "filters morphology measure color",
    "astropy": "stats",
}.items():
    globals()[_parent] = _module(f"clump.host.{_parent}", f"clump.{_parent}")
    for _name in _names.split():
        _module(f"clump.host.{_parent}.{_name}", f"clump.{_parent}.{_name}")
