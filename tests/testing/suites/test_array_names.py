"""The part of NumPy that a backend must have is the part that the library uses: the sources are read."""

import ast
from pathlib import Path

import numpy as np

from renga_testing.suites import array_names

ROOT = Path(__file__).parents[3]
LIBRARY = [
    "core/renga_core/graph",
    "core/renga_core/link",
    "core/renga_core/optimizer",
    "core/renga_core/communicator",
    "plugins/comm_base/renga_comm_base",
    "plugins/nn/renga_nn",
    "plugins/optimizers/renga_optimizers",
    "plugins/training/renga_training",
    "plugins/distributed/renga_distributed",
]
"""Code that runs on arrays of any backend. Kernels of one backend are not among it."""

NO_ARRAYS = {"self", "np", "random", "copy", "json", "math", "F", "functions", "device", "os", "graph"}
"""What stands before a dot and is no array, where the name after it is also one of an array's."""

OF_OTHERS = {
    "newbyteorder",
    "device",
    "to_device",
    "dumps",
    "partition",
    "data",
    "sort",
    "var",
    "compress",
    "resize",
    "put",
    "take",
    "choose",
}
"""Names that arrays have too, but which belong to Variables, links, modules, texts, pictures here; `Variable.data` …"""

OF_HOST_ARRAYS = {"flat", "std", "tolist", "view", "nbytes", "repeat"}
"""Names that are asked of arrays known to be NumPy's. The run on array-api-strict sees to it that they are."""


def trees():
    for folder in LIBRARY:
        for path in sorted((ROOT / folder).rglob("*.py")):
            yield ast.parse(path.read_text(encoding="utf-8"))


def is_namespace(node):
    """`xp`, `x.xp`, `get_array_module(x)`."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "get_array_module"
    return (isinstance(node, ast.Name) and node.id == "xp") or (isinstance(node, ast.Attribute) and node.attr == "xp")


def names_of_the_namespace():
    found = set()
    for tree in trees():
        nodes = list(ast.walk(tree))
        inner = {id(node.value) for node in nodes if isinstance(node, ast.Attribute)}
        for node in nodes:
            if (
                isinstance(node, ast.Attribute)
                and is_namespace(node.value)
                and not (id(node) in inner and node.attr in ("linalg", "fft"))
            ):
                found.add(node.attr)
            elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Attribute):
                if is_namespace(node.value.value):
                    found.add(f"{node.value.attr}.{node.attr}")
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "getattr":
                assert not is_namespace(node.args[0]) or isinstance(node.args[1], ast.Name), ast.dump(node)
    return found


def methods_of_arrays():
    known = {name for name in dir(np.ndarray) if not name.startswith("_")} - OF_OTHERS - OF_HOST_ARRAYS
    found = set()
    for tree in trees():
        for node in ast.walk(tree):
            if not isinstance(node, ast.Attribute) or node.attr not in known or is_namespace(node.value):
                continue
            if not (isinstance(node.value, ast.Name) and node.value.id in NO_ARRAYS):
                found.add(node.attr)
    return found


LISTED = {*array_names.ELEMENTWISE, *array_names.STANDARD, *array_names.BEYOND, *array_names.CONSTANTS}
# Looked up by name: see `renga_nn.functions.math.argmax`.
BY_NAME = {"argmax", "argmin"}
# Of vision, most of which is about host arrays, so that its sources are not among those read here.
IN_VISION = {"argsort"}


def test_every_name_that_is_used_is_listed():
    assert names_of_the_namespace() - LISTED - set(array_names.DTYPES) == set()


def test_no_name_is_listed_in_vain():
    assert (LISTED | set(array_names.DTYPES)) - names_of_the_namespace() - BY_NAME - IN_VISION == set()


def test_every_method_that_is_used_is_listed():
    listed = {*array_names.METHODS, *array_names.ATTRIBUTES, "itemsize"}
    assert methods_of_arrays() - listed == set()
    assert listed - methods_of_arrays() == set()
