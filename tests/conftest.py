"""For all tests."""

from __future__ import annotations

import gc
import importlib.util
import os
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest.runner import runtestprotocol
from hypothesis import settings

if TYPE_CHECKING:
    from renga_comm_mpi.testing import RankPool

# Set before NumPy is imported, in the workers of pytest-xdist and in the processes that tests start, too: several
# processes with several threads each for matrices of three rows are slower than one.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
# What is for every backend is tested on all that can be used here.
os.environ.setdefault("RENGA_CHECK_BACKENDS", "all")

from global_state import global_state_stays, name_shared_memory  # noqa: F401 - from tests/support, after the above

name_shared_memory()

# Plugins add entries to the configuration when they are loaded. No single test is to be blamed for that.
if importlib.util.find_spec("renga_cv"):
    from renga_cv.configuration import add_entries

    add_entries()

# How long an example takes depends on what else the machine does. Where CI is set, each run has the same examples, so
# that a change is not blamed for what another one has hidden; elsewhere each run draws new ones.
settings.register_profile("renga", deadline=None, derandomize="CI" in os.environ)
settings.load_profile("renga")

# Started in the background by a shell, pytest would ignore Ctrl-C, and so would the programs that the tests interrupt.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Collect no garbage while tests are collected: they stay until the end, so most of it would be in vain.

    Of 45,000 tests, a third of the time. Afterwards the garbage collector passes over them, which saves half a second
    each time.
    """
    gc.disable()
    try:
        return (yield)
    finally:
        gc.collect()
        gc.freeze()
        gc.enable()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Where pytest-xdist runs the tests, files with slow ones come first.

    Otherwise a worker can start one of a minute when the others have nothing left to do.
    """
    if hasattr(config, "workerinput"):
        slow = {item.path for item in items if item.get_closest_marker("slow")}
        items.sort(key=lambda item: item.path not in slow)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> bool | None:
    """Where pytest-xdist runs the tests, say one thing of a test that passes, not five.

    Each is a message from the worker to the main process, which reads 45,000 times five.
    """
    if not hasattr(item.config, "workerinput"):
        return None
    for report in runtestprotocol(item, log=False, nextitem=nextitem):
        if report.when == "call" or not report.passed or report.duration > 1:  # the last for --durations
            item.ihook.pytest_runtest_logreport(report=report)
    return True


_NN = Path(__file__).parent / "nn"
_FUNCTIONS = _NN / "functions"
_ON_EVERY_BACKEND = {
    "math": [_FUNCTIONS / "math"],
    "array": [_FUNCTIONS / "array", _FUNCTIONS / "loss", _FUNCTIONS / "test_on_every_backend.py"],
    "layers": [_FUNCTIONS / name for name in ("activation", "connection", "normalization", "pooling")],
    "links": [_NN / "links"],
}
# Others come with the optimizers: a folder of functions that is new is not left out.
_NAMED = {path for paths in _ON_EVERY_BACKEND.values() for path in paths}
_ON_EVERY_BACKEND["others"] = [
    *sorted({path for path in _FUNCTIONS.iterdir() if path.is_dir() and not path.name.startswith("__")} - _NAMED),
    _NN / "distributions",
    _NN.parent / "optimizers",
]


@pytest.fixture(params=_ON_EVERY_BACKEND)
def part(request: pytest.FixtureRequest) -> list[Path]:
    """One after the other, the tests that take their backends from the registry, in parts of a minute or so.

    A process for each, which imports PyTorch and more: many small parts would take most of their time to begin.
    """
    paths = _ON_EVERY_BACKEND[request.param]
    assert all(path.exists() for path in paths)
    return paths


@pytest.fixture(scope="session")
def rank_pool() -> Iterator[Callable[..., RankPool]]:
    """Return ``rank_pool(size, ranks_per_node=None)``: real ranks, started once for all tests of the session."""
    if importlib.util.find_spec("mpi4py") is None:
        pytest.skip("mpi4py is not installed: pip install 'renga[mpi]'")
    from renga_comm_mpi.launching import LaunchError, find_mpiexec
    from renga_comm_mpi.testing import RankPool

    try:
        find_mpiexec()
    except LaunchError as error:
        pytest.skip(str(error))
    pools: dict[tuple[int, int | None], RankPool] = {}

    def pool(size: int, ranks_per_node: int | None = None) -> RankPool:
        key = size, ranks_per_node
        if key not in pools:
            pools[key] = RankPool(size, ranks_per_node=ranks_per_node)
        return pools[key]

    yield pool
    for started in pools.values():
        started.close()
