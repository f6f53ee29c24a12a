"""Every network saves what ChainerCV's of that name saves: the same names, in the same shapes and dtypes.

`layouts.json` has a tree for each network. What stands at a leaf: ``W 64x3x7x7``, weights; ``Wb …``, weights and biases
of as many outputs; ``bn 64``, a batch normalization; ``W+bn …``, ``Wb+bn …``, a link with children `conv` and `bn`.
"""

import json
from pathlib import Path

import numpy as np
import pytest

import renga.cv
from renga_core.graph import parameter
from renga_core.serializers import Serializer

LAYOUTS = json.loads(Path(__file__).with_name("layouts.json").read_text())


class Shapes(Serializer):
    """Notes shapes and dtypes of what is saved; None of what has none yet."""

    def __init__(self, target, path=""):
        self.target = target
        self.path = path

    def __getitem__(self, key):
        return Shapes(self.target, f"{self.path}{key}/")

    def __call__(self, key, value):
        array = None if value is None else np.asarray(value)
        self.target[self.path + key] = array if array is None else (array.shape, array.dtype.name)
        return value


def expand(leaf):
    """Names and shapes of the arrays of a leaf."""
    kind, _, text = leaf.rpartition(" ")
    shape = tuple(map(int, text.split("x"))) if text else ()
    if kind.endswith("+bn"):
        return {
            **{f"conv/{name}": found for name, found in expand(f"{kind.removesuffix('+bn')} {text}").items()},
            **{f"bn/{name}": found for name, found in expand(f"bn {shape[0]}").items()},
        }
    if kind == "bn":
        arrays = dict.fromkeys(("avg_mean", "avg_var", "beta", "gamma"), (shape, "float32"))
        return {**arrays, "N": ((), "int64")}
    if kind in ("W", "Wb"):
        return {"W": (shape, "float32"), **({"b": (shape[:1], "float32")} if kind == "Wb" else {})}
    return {"": (shape, "float32")}


def arrays_of(tree, path=""):
    for name, below in tree.items():
        if isinstance(below, dict):
            yield from arrays_of(below, f"{path}{name}/")
        else:
            yield from ((f"{path}{name}/{leaf}".rstrip("/"), found) for leaf, found in expand(below).items())


def find_class(place):
    namespace = renga.cv
    *modules, name = place.split(".")
    for module in modules:
        namespace = getattr(namespace, module)
    if not hasattr(namespace, name):
        pytest.skip(f"renga.cv.{place} is not there yet")
    return getattr(namespace, name)


@pytest.fixture(autouse=True)
def no_values(monkeypatch):
    """Memory that is never written to costs nothing, however large a network is."""
    monkeypatch.setattr(parameter, "_fill", lambda array, initializer, name: None)


@pytest.mark.parametrize("name", LAYOUTS)
def test_layout(name):
    layout = LAYOUTS[name]
    network = find_class(layout["class"])(**layout["arguments"])
    found = {}
    network.serialize(Shapes(found))
    expected = dict(arrays_of(layout["arrays"]))
    assert sorted(found) == sorted(expected)
    open_yet = {path for path, shape in found.items() if shape is None}
    differing = {path: (found[path], expected[path]) for path in expected if found[path] != expected[path]}
    assert differing.keys() <= open_yet, differing
