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
    paths = sorted(path for path in (HERE / "programs").glob("*.py") if path.stem != "conftest")
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


@pytest.fixture
def ranks(compat):
    """Runs programs by two ranks with Renga."""
    from renga_comm_mpi.launching import LaunchError

    try:
        return compat("ranks").Ranks("renga", sys.executable)
    except LaunchError as error:
        pytest.skip(str(error))


def check(compat, expected, done):
    comparison = compat("comparison").compare(expected.read_text(), done.output)
    assert comparison.first is None, done.errors[-2000:]
    assert done.status == 0, done.errors[-2000:]


@pytest.mark.parametrize("name", names())
def test_program_does_the_same(name, compat, renga):
    check(compat, EXPECTED / f"{name}.txt", renga.run(HERE / "programs" / f"{name}.py"))


@pytest.mark.parametrize("name", [path.stem for path in sorted((HERE / "command_lines").glob("*.py"))])
def test_program_with_options_does_the_same(name, compat, renga):
    """By each of the command lines in its docstring, as published programs are run: ``--device -1``, ``--resume``."""
    program = HERE / "command_lines" / f"{name}.py"
    check(compat, EXPECTED / f"{name}.txt", compat("command_lines").run_command_lines(renga, program))


@pytest.mark.parametrize("name", [path.stem for path in sorted((HERE / "programs_of_ranks").glob("*.py"))])
def test_program_of_ranks_does_the_same(name, compat, ranks):
    """As ChainerMN by two ranks, by each of the command lines in its docstring."""
    program = HERE / "programs_of_ranks" / f"{name}.py"
    check(compat, EXPECTED / f"{name}.txt", ranks.perform(program))


@pytest.mark.parametrize("way", ["renga launch", "mpiexec renga"])
def test_program_of_ranks_is_started_in_other_ways_too(way, compat, ranks, tmp_path):
    """`Ranks` has ``mpiexec … python -m renga_chainer``."""
    from renga_comm_mpi.launching import find_mpiexec, launch_command

    renga = [sys.executable, "-m", "renga"]
    program = ["run-chainer", str(HERE / "programs_of_ranks" / "train_model_parallel.py")]
    options = ["--communicator", "naive", "--gpu", "-1", "--epoch", "2"]
    if way == "renga launch":
        command = [*renga, "launch", "-n", "2", "renga", *program, *options]
    else:
        command = launch_command(find_mpiexec(), [*renga, *program, *options], 2)
    done = ranks.launch(command, tmp_path)
    first = (EXPECTED / "train_model_parallel.txt").read_text().split("\n$ ")[0].splitlines()[1:]
    printed = compat("command_lines").without_times(done.output)
    comparison = compat("comparison").compare("\n".join(first), "\n".join(printed))
    assert comparison.first is None, done.errors[-2000:]
    assert done.status == 0, done.errors[-2000:]


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
