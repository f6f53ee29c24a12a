"""Programs in Chainer's idioms, run by the runner, print what they print with Chainer 7.8.1.

What that printed is in `expected`; ``python -m benchmarks compat --record`` has written it where Chainer is installed.
"""

from __future__ import annotations

import importlib
import shutil
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
HERE = Path(__file__).parent
EXPECTED = HERE / "expected"
DIFFERENT: dict[str, str] = {}
"""Programs that do not do the same yet, and what differs."""


def names():
    paths = sorted((HERE / "programs").glob("*.py"))
    return [
        pytest.param(path.stem, marks=[pytest.mark.xfail(strict=True, reason=DIFFERENT[path.stem])])
        if path.stem in DIFFERENT
        else path.stem
        for path in paths
    ]


@pytest.fixture(scope="module")
def compat():
    """`benchmarks.compat`'s modules by name."""
    sys.path.insert(0, str(ROOT))
    yield lambda name: importlib.import_module(f"benchmarks.compat.{name}")
    sys.path.remove(str(ROOT))


@pytest.fixture(scope="module")
def renga(compat):
    """Runs programs with Renga."""
    with compat("stage").Stage("renga", sys.executable) as stage:
        yield stage


def check(compat, expected, done):
    comparison = compat("comparison").compare(expected.read_text(), done.output)
    assert comparison.first is None, done.errors[-2000:]
    assert done.status == 0, done.errors[-2000:]


@pytest.mark.parametrize("name", names())
def test_program_does_the_same(name, compat, renga):
    check(compat, EXPECTED / f"{name}.txt", renga.run(HERE / "programs" / f"{name}.py"))


@pytest.mark.parametrize("name", [path.stem for path in sorted((HERE / "programs_of_ranks").glob("*.py"))])
def test_program_of_ranks_does_the_same(name, compat):
    """As ChainerMN by two ranks."""
    program = HERE / "programs_of_ranks" / f"{name}.py"
    check(compat, EXPECTED / f"{name}.txt", compat("ranks").run_ranks("renga", sys.executable, program))


def test_snapshots_are_laid_out_as_chainers(compat, renga, tmp_path):
    """Names, dtypes and shapes of all that is in the files: what Chainer needs to read them."""
    done = renga.run(compat("command").SNAPSHOTS, ["write", str(tmp_path)])
    check(compat, EXPECTED / "snapshots" / "write.txt", done)


def test_snapshots_of_chainers_are_read_and_gone_on_with(compat, renga, tmp_path):
    shutil.copytree(EXPECTED / "snapshots", tmp_path / "snapshots")
    done = renga.run(compat("command").SNAPSHOTS, ["read", str(tmp_path / "snapshots")])
    check(compat, EXPECTED / "snapshots" / "read.txt", done)


def test_snapshots_are_read_back(compat, renga, tmp_path):
    renga.run(compat("command").SNAPSHOTS, ["write", str(tmp_path)])
    done = renga.run(compat("command").SNAPSHOTS, ["read", str(tmp_path)])
    check(compat, EXPECTED / "snapshots" / "read.txt", done)
