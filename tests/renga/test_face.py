"""`import renga`: what it costs, what it loads, and what can be reached through it."""

from __future__ import annotations

import ast
import importlib
import json
import subprocess
import sys
from pathlib import Path

import pytest

import renga

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


@pytest.mark.parametrize("name", renga.__all__)
def test_each_name_is_there(name: str) -> None:
    assert getattr(renga, name) is not None
    assert name in dir(renga)


@pytest.mark.parametrize("module", renga._MODULES)
def test_each_part_is_there(module: str) -> None:
    part = getattr(renga, module)
    assert part is importlib.import_module(f"renga.{module}")
    for name in part.__all__:
        assert getattr(part, name) is not None


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse(Path(renga.__file__).read_text(encoding="utf-8"))
    (block,) = [n for n in tree.body if isinstance(n, ast.If)]
    seen = {
        node.module: tuple(alias.name for alias in node.names)
        for node in block.body
        if isinstance(node, ast.ImportFrom)
    }
    assert seen == renga._NAMES
    assert set(renga.__all__) == set(renga._HOME)


def test_an_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(
        AttributeError, match=r"^module 'renga' has no attribute 'Varible'\. Did you mean 'Variable'\?$"
    ):
        _ = renga.Varible
    with pytest.raises(AttributeError, match=r"^module 'renga' has no attribute 'quite_else'$"):
        _ = renga.quite_else


def test_a_misspelt_part_names_the_nearest_once() -> None:
    with pytest.raises(AttributeError) as caught:
        _ = renga.functions.sofmax
    assert "Did you mean 'softmax'" in str(caught.value)
    assert str(caught.value).count("'softmax'") == 1
