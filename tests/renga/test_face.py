"""`import renga`: what it costs, what it loads, and what can be reached through it."""

from __future__ import annotations

import ast
import importlib
import inspect
import json
import pickle
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import renga
from renga.pytorch_names import PYTORCH_NAMES
from renga.view import VIEWS, View

HEAVY = ("pluggy", "importlib_metadata", "cupy", "mpi4py", "matplotlib", "tqdm", "torch", "scipy")


def python(code: str) -> str:
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return done.stdout


def test_importing_loads_no_plugin_and_nothing_heavy() -> None:
    loaded = json.loads(python("import sys, json, renga; print(json.dumps(sorted(sys.modules)))"))
    plugins = {name.split(".")[0] for name in loaded if name.startswith("renga_")} - {"renga_core"}
    assert plugins == set()
    assert not set(HEAVY) & {name.split(".")[0] for name in loaded}


def test_importing_the_core_loads_no_plugin() -> None:
    code = (
        "import sys, json, renga_core.graph, renga_core.link, renga_core.plugin; print(json.dumps(sorted(sys.modules)))"
    )
    loaded = {name.split(".")[0] for name in json.loads(python(code))}
    assert not {name for name in loaded if name.startswith("renga_")} - {"renga_core"}
    assert not set(HEAVY) & loaded


def test_importing_runs_little_code() -> None:
    """At most 50 ms beyond NumPy is promised; counted here in modules, which does not depend on the machine's load."""
    code = "import numpy, sys; before = set(sys.modules); import renga; print(len(set(sys.modules) - before))"
    assert int(python(code)) < 20


def test_naming_parts_imports_no_plugin() -> None:
    code = "import sys, json, renga.functions, renga.links, renga.optimizers, renga.training.extensions"
    loaded = {name.split(".")[0] for name in json.loads(python(f"{code}; print(json.dumps(sorted(sys.modules)))"))}
    assert {name for name in loaded if name.startswith("renga_")} <= {"renga_core"}
    assert "numpy" not in loaded


def test_a_name_is_kept_where_it_was_found() -> None:
    """So that a second use costs what any attribute costs."""
    kept = python("import renga.functions as F; before = vars(F).get('relu'); F.relu; print(before, vars(F)['relu'])")
    assert kept.startswith("None <function relu at ")


def test_a_name_brings_what_it_needs_and_no_more() -> None:
    code = "import sys, renga; renga.optimizers.SGD; print(*[name for name in sys.modules if 'renga_' in name])"
    loaded = python(code).split()
    assert "renga_optimizers.sgd" in loaded
    assert "renga_optimizers.adam" not in loaded
    assert {"renga_nn.functions", "renga_data.datasets", "renga_training.trainer"}.isdisjoint(loaded)


@pytest.mark.parametrize("name", renga.__all__)
def test_each_name_is_there(name: str) -> None:
    assert getattr(renga, name) is not None
    assert name in dir(renga)


def modules(view: View) -> Iterator[str]:
    yield view.module
    for name in view.modules:
        yield from modules(VIEWS[importlib.import_module(f"{view.module}.{name}").__name__])


@pytest.mark.parametrize("module", [*modules(VIEWS["renga"])])
def test_each_part_is_there(module: str) -> None:
    part = importlib.import_module(module)
    for name in part.__all__:
        assert getattr(part, name) is not None
        assert name in dir(part)
    for name, home in VIEWS[module].own.items():
        assert name in importlib.import_module(home).__all__, (home, name)


def test_a_star_brings_every_name() -> None:
    there: dict[str, object] = {}
    exec("from renga.optimizers import *", there)
    assert set(there) - {"__builtins__"} == set(renga.optimizers.__all__)


def test_what_is_listed_twice_is_the_same() -> None:
    """A `Namespace` of Renga's lists nothing that stands there as a provider."""
    for module in modules(VIEWS["renga"]):
        for name, entries in VIEWS[module].public.entries().items():
            assert len([entry for entry in entries if entry.offer.plugin.shipped]) == 1, (module, name)


def test_objects_are_pickled_by_where_they_are_defined() -> None:
    assert pickle.loads(pickle.dumps(renga.optimizers.Adam)) is renga.optimizers.Adam
    assert b"renga_optimizers.adam" in pickle.dumps(renga.optimizers.Adam)
    assert pickle.loads(pickle.dumps(renga.functions.relu)) is renga.functions.relu
    assert inspect.getdoc(renga.functions.relu)
    assert inspect.getsource(renga.functions.relu).startswith("def relu(")


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(
        AttributeError, match=r"^module 'renga' has no attribute 'Varible'\. Did you mean 'Variable'\?$"
    ):
        _ = renga.Varible
    with pytest.raises(AttributeError, match=r"^module 'renga' has no attribute 'quite_else'$"):
        _ = renga.quite_else


def test_a_name_of_pytorch_is_answered_by_that_of_renga() -> None:
    links = importlib.import_module("renga.links")
    with pytest.raises(AttributeError, match=r"In Renga, PyTorch's 'Conv2d' is 'renga\.links\.Convolution2D'"):
        _ = links.Conv2d
    for module, names in PYTORCH_NAMES.items():
        for theirs, ours in names.items():
            assert not hasattr(importlib.import_module(module), theirs)
            place, _, name = ours.rpartition(".")
            assert callable(getattr(importlib.import_module(place), name))


def test_a_misspelt_part_names_the_nearest_once() -> None:
    with pytest.raises(AttributeError) as caught:
        _ = renga.functions.sofmax
    assert "Did you mean 'softmax'" in str(caught.value)
    assert str(caught.value).count("'softmax'") == 1


def test_no_plugin_is_named_in_a_string() -> None:
    """What imports cannot do, strings shall not: `importlib.import_module("renga_nn")`. Kits are no plugin."""
    for path in Path(renga.__file__).parent.rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        explained = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in explained:
                found = re.match(r"renga_(?!core\b|testing\b)\w+[.:]", node.value)
                assert not found, f"{path}: {node.value}"
