"""Which Python a library runs in, and with which variables."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def environments(monkeypatch, tmp_path):
    monkeypatch.syspath_prepend(ROOT)
    environments = importlib.import_module("benchmarks.environments")
    monkeypatch.setattr(environments, "FOLDER", tmp_path)
    monkeypatch.delenv(environments.VARIABLE, raising=False)
    return environments


def test_the_nearest_word_counts(environments, monkeypatch, tmp_path):
    assert environments.interpreter("numpy", {}) == sys.executable
    assert environments.interpreter("no_such_library", {}) is None
    made = environments._python_of(tmp_path / "numpy")
    made.parent.mkdir(parents=True)
    made.symlink_to(sys.executable)
    assert environments.interpreter("numpy", {}) == str(made)
    other = tmp_path / "other"
    other.symlink_to(sys.executable)
    monkeypatch.setenv(environments.VARIABLE, f"jax=/nowhere,numpy={other}")
    assert environments.interpreter("numpy", {}) == str(other)
    assert environments.interpreter("numpy", {"numpy": sys.executable}) == sys.executable
    with pytest.raises(FileNotFoundError, match="no Python for jax at /nowhere"):
        environments.interpreter("jax", {})


def test_what_is_no_pair_is_refused(environments):
    assert environments.parse_interpreters("") == {}
    assert environments.parse_interpreters("a=/b,c=/d=e") == {"a": "/b", "c": "/d=e"}
    with pytest.raises(ValueError, match="'python3' is not of the form"):
        environments.parse_interpreters("a=/b,python3")


def test_every_pool_is_told_the_threads_and_nothing_else_of_its_own(environments, monkeypatch):
    monkeypatch.setenv("OPENBLAS_CORETYPE", "Haswell")
    monkeypatch.setenv("OMP_WAIT_POLICY", "active")
    monkeypatch.setenv("PYTHONPATH", "/a")
    there = environments.process_environment(sys.executable, 3, {"RENGA_PLUGINS_DISABLE": "onednn"})
    assert there["OMP_NUM_THREADS"] == there["OPENBLAS_NUM_THREADS"] == "3"
    assert there["RENGA_PLUGINS_DISABLE"] == "onednn"
    assert there["PYTHONPATH"] == "/a"
    assert not {"OPENBLAS_CORETYPE", "OMP_WAIT_POLICY"} & set(there)
    assert "PYTHONPATH" not in environments.process_environment("/another/python", 3, {})
