# SPDX-License-Identifier: MIT
"""Every public name has its line in a .pyi, whose arguments are those of the function."""

import ast
import importlib
import inspect
import os

import pytest

import clump

FOLDER = os.path.dirname(clump.__file__)
PEERS = (
    "scipy.ndimage scipy.signal skimage.color skimage.filters skimage.measure skimage.morphology "
    "astropy.stats"
).split()
MODULES = ["", "sep", "profiler", *PEERS, *("host." + name for name in PEERS)]


def stub(name):
    """The definitions of a module's stub, by name."""
    path = os.path.join(FOLDER, *name.split("."))
    path = os.path.join(path, "__init__.pyi") if os.path.isdir(path) else path + ".pyi"
    with open(path, encoding="utf-8") as file:
        body = ast.parse(file.read(), path).body
    return definitions(body)


def definitions(body):
    found = {}
    for node in body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            found[node.name] = node
        elif isinstance(node, ast.AnnAssign):
            found[node.target.id] = node
        elif isinstance(node, ast.ImportFrom):  # a name is given on by "X as X"
            found.update({a.name: node for a in node.names if a.asname == a.name})
    return found


def written(node):
    """Arguments as a stub has them: name, kind, whether there is a default."""
    a, kinds = node.args, inspect.Parameter
    plain = a.posonlyargs + a.args
    first = len(plain) - len(a.defaults)
    found = [(p.arg, kinds.POSITIONAL_OR_KEYWORD, i >= first) for i, p in enumerate(plain)]
    found += [(a.vararg.arg, kinds.VAR_POSITIONAL, False)] if a.vararg else []
    found += [
        (p.arg, kinds.KEYWORD_ONLY, d is not None) for p, d in zip(a.kwonlyargs, a.kw_defaults)
    ]
    return found + ([(a.kwarg.arg, kinds.VAR_KEYWORD, False)] if a.kwarg else [])


def check_function(where, function, node, method=False):
    assert isinstance(node, ast.FunctionDef), f"{where}: no stub of a function"
    given = [
        (p.name, p.kind, p.default is not p.empty)
        for p in inspect.signature(function).parameters.values()
        if not p.name.startswith("_")
    ]
    had = written(node)
    skip = 1 if method else 0  # whatever self is called
    assert had[skip:] == given[skip:], f"{where}: the stub has other arguments"
    arguments = node.args.posonlyargs + node.args.args + node.args.kwonlyargs
    arguments = [a for a in (*arguments, node.args.vararg, node.args.kwarg) if a]
    for argument in arguments[skip:]:
        assert argument.annotation is not None, f"{where}: {argument.arg} has no type"
    assert node.returns is not None, f"{where}: no type of the result"


def check_class(where, kind, node):
    assert isinstance(node, ast.ClassDef), f"{where}: no stub of a class"
    inside = definitions(node.body)
    for name, value in vars(kind).items():
        if name.startswith("_") and name not in ("__init__", "__call__", "__len__", "__getitem__"):
            continue
        if kind is clump.ndarray and name == "__init__":  # it only says that asarray is meant
            continue
        assert name in inside, f"{where}.{name}: not in the stub"
        if inspect.isfunction(value):
            check_function(f"{where}.{name}", value, inside[name], method=True)


@pytest.mark.parametrize("name", MODULES)
def test_stubs(name):
    module = importlib.import_module(".".join(["clump", name]).rstrip("."))
    source = importlib.import_module(f"clump.{name[5:]}") if name.startswith("host.") else module
    had, names = stub(name), list(source.__all__)
    assert names
    for public in names:
        value, where = getattr(module, public), f"{module.__name__}.{public}"
        assert public in had, f"{where}: not in the stub"
        if isinstance(had[public], ast.ImportFrom):
            continue
        if inspect.isclass(value):
            check_class(where, value, had[public])
        elif callable(value):
            check_function(where, value, had[public])
    extra = {key for key in had if not key.startswith("_")} - set(names)
    assert all(hasattr(module, key) for key in extra), f"{name}: {extra} are not there"


def test_stubs_are_found():
    """py.typed and the stubs lie in the package that is imported."""
    found = {
        os.path.relpath(os.path.join(base, name), FOLDER)
        for base, _, names in os.walk(FOLDER, followlinks=True)
        for name in names
    }
    assert {"py.typed", "__init__.pyi", os.path.join("host", "__init__.pyi")} <= found
