"""A pytest plugin: a test that changes global state fails.

Tests that run in one process share its configuration, environment, threads and more. A test that leaves a change makes
another test fail, but only in some orders and on some workers. Here the state is compared after each test, when all
its fixtures are torn down. A test that changed something fails, with the names of what it changed. Then the state is
restored, so that other tests do not fail.

Each part below is a pair of functions: one reads the state, the other restores it (where that is possible). A part is
read twice for each of some 45,000 tests, so it must be cheap.

Random numbers of Renga are not compared, because nearly every test draws some. Each test starts with the same seed
instead, whatever ran before it, and the state is put back after it.
"""

from __future__ import annotations

import functools
import gc
import locale
import logging
import multiprocessing
import os
import random
import signal
import sys
import threading
import time
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest

SHARED_MEMORY = Path("/dev/shm")
_SIGNALS = [getattr(signal, name) for name in ("SIGINT", "SIGTERM", "SIGUSR1", "SIGUSR2", "SIGCHLD", "SIGHUP")]

# Threads that live as long as the process by design: the beginning of the name, and the reason.
_LASTING_THREADS = {
    "pytest_timeout": "counts the seconds of the running test",
    "pytest-xdist": "connects a worker with pytest's main process",
    "execnet": "the same",
    "renga-numpy": "the thread pool of NumPy's kernels, made once for the process",
    "JAX": "a library's own pool",
}
_LASTING_PROCESSES = {
    b"multiprocessing.resource_tracker": "Python's own, one for the process",
    b"multiprocessing.forkserver": "the same",
    b"communicator_ranks": "the same, of the kit of communicators",
    b"mpiexec": "ranks that wait for the programs of tests (fixture rank_pool), ended with the session",
    b"prterun": "the same",
}

_LASTING_FINDERS = {"importlib_metadata", "six", "_distutils_hack", "mpi4py._mpiabi"}
"""Packages that put a finder of their own on ``sys.meta_path`` when they are imported."""
_LASTING_VARIABLES = {
    "PYTEST_CURRENT_TEST": "pytest's own",
    "TORCHINDUCTOR_CACHE_DIR": "set when PyTorch is imported",
    "CRC32C_SW_MODE": "set when tensorboardX is imported",
    "GOMP_SPINCOUNT": "set when oneDNN is loaded, for its threads: once for the process",
}

_START_METHOD = multiprocessing.get_all_start_methods()[0]
"""State of processes; the module initializes it per process at its first use."""


class Part:
    """A piece of global state: `read` returns a value for ``==``; `restore` restores it, if possible."""

    def __init__(self, read: Callable[[], Any], restore: Callable[[Any], object] | None = None) -> None:
        self.read = read
        self.restore = restore


class _Configuration:
    """The defaults of all threads, and the entries of this thread; compared by value."""

    def __init__(self) -> None:
        from renga_core.configuration import Config, config, unusual

        self.defaults = {name: value for name, value in vars(Config).items() if not name.startswith("__")}
        self.own = dict(vars(config))
        self.unusual = set(unusual)

    @property
    def entries(self) -> dict[str, Any]:
        return {**self.defaults, **self.own, "entries that slow the engine down": self.unusual}

    def __eq__(self, after: object) -> bool:
        return isinstance(after, _Configuration) and self.defaults == after.defaults and self.entries == after.entries

    def restore_own(self) -> None:
        """Remove a value of this thread that equals the default: it would hide a later change of the default."""
        from renga_core.configuration import config

        if self.own != vars(config):
            vars(config).clear()
            vars(config).update(self.own)

    def restore(self) -> None:
        from renga_core.configuration import Config, config, unusual

        for name in [name for name in vars(Config) if not name.startswith("__") and name not in self.defaults]:
            delattr(Config, name)
        for name, value in self.defaults.items():
            setattr(Config, name, value)
        vars(config).clear()
        vars(config).update(self.own)
        unusual.clear()
        unusual.update(self.unusual)


def _settings() -> Any:
    from renga_core.settings import layers

    return layers.settings_state()


def _registries() -> Any:
    from renga_core.backend import device, lookup
    from renga_core.plugin import get_manager

    registered = [(point.name, point.value, point.distribution) for point in get_manager()._registered]
    # The backend of a type of array is found at the first array, and never changes afterwards.
    return get_manager(), registered, _Growing(lookup.array_types), dict(device.device_names)


class _Growing:
    """A dictionary that may get more entries, but whose existing entries must not change."""

    def __init__(self, entries: Mapping[Any, Any]) -> None:
        self.entries = dict(entries)

    def __eq__(self, after: object) -> bool:
        # Usually there is no new entry, and a comparison of two whole dictionaries takes a tenth of the time.
        return self is after or (
            isinstance(after, _Growing)
            and (
                self.entries == after.entries
                or all(name in after.entries and after.entries[name] is value for name, value in self.entries.items())
            )
        )

    def __repr__(self) -> str:
        return f"{len(self.entries)} entries"


class _Environment:
    """The environment variables, as the system has them: to decode them would take most of the time."""

    def __init__(self) -> None:
        # A copy of `os.environb`, which is public, takes 25 µs in place of 0.4, twice for each test.
        self.raw = dict(os.environ._data)  # type: ignore[attr-defined]
        for name in _LASTING_VARIABLES:
            self.raw.pop(os.fsencode(name), None)

    @property
    def entries(self) -> dict[str, str]:
        return {os.fsdecode(name): os.fsdecode(value) for name, value in self.raw.items()}

    def __eq__(self, after: object) -> bool:
        return isinstance(after, _Environment) and self.raw == after.raw

    def restore(self) -> None:
        os.environ.clear()
        os.environ.update(self.entries)


def _threads() -> set[threading.Thread]:
    return {thread for thread in threading.enumerate() if not thread.name.startswith(tuple(_LASTING_THREADS))}


class _Process(int):
    """Number of a process, shown with its command line; the latter changes when a forked process starts a program."""

    def __repr__(self) -> str:
        try:
            return f"{int(self)}: {Path(f'/proc/{int(self)}/cmdline').read_bytes().replace(bytes(1), b' ').decode()}"
        except OSError:
            return f"{int(self)}, which has ended since"


def _processes() -> set[_Process]:
    """Children of this process, including zombies."""
    found: set[_Process] = set()
    try:
        os.waitid(os.P_ALL, 0, os.WEXITED | os.WNOHANG | os.WNOWAIT)  # looks for children, without reaping one
    except ChildProcessError:
        return found
    for thread in _listed("/proc/self/task"):
        try:
            numbers = Path(f"/proc/self/task/{thread}/children").read_text().split()
        except OSError:  # the thread has ended meanwhile
            continue
        for number in numbers:
            try:
                command = Path(f"/proc/{number}/cmdline").read_bytes()
            except OSError:
                continue
            if not any(lasting in command for lasting in _LASTING_PROCESSES):
                found.add(_Process(number))
    return found


def _listed(folder: str) -> list[str]:
    try:
        return os.listdir(folder)
    except OSError:  # another system
        return []


def _shared_memory() -> set[str]:
    """Shared memory that this process, or a fork of it, has made and not removed; see `name_shared_memory`."""
    prefix = _shared_memory_prefix()
    return {name for name in _listed(str(SHARED_MEMORY)) if name.startswith(prefix)}


def _shared_memory_prefix() -> str:
    return f"rt{os.getpid():x}_"  # short: some systems allow 14 characters only, and Python checks this


def name_shared_memory() -> None:
    """Put the worker's name into names of shared memory, to identify its tests."""
    from multiprocessing import shared_memory

    shared_memory._SHM_NAME_PREFIX = "/" + _shared_memory_prefix()  # type: ignore[attr-defined]


class _RandomState:
    """State of Python's and NumPy's global generators."""

    def __init__(self) -> None:
        self.python = random.getstate()
        self.numpy = np.random.get_state()

    def __eq__(self, after: object) -> bool:
        return (
            isinstance(after, _RandomState)
            and self.python == after.python
            and self.numpy[2:] == after.numpy[2:]
            and bool((self.numpy[1] == after.numpy[1]).all())
        )

    def __repr__(self) -> str:
        return f"Python's {hash(self.python):x}, NumPy's {hash((self.numpy[1].tobytes(), self.numpy[2:])):x}"

    def restore(self) -> None:
        random.setstate(self.python)
        np.random.set_state(self.numpy)


def _warnings() -> Any:
    # Libraries such as SymPy and SciPy add filters for certain texts, or warnings of their own, when they are imported.
    filters = [f for f in warnings.filters if f[1] is None and f[3] is None and f[2].__module__ == "builtins"]
    return filters, warnings.showwarning, warnings._showwarnmsg_impl  # type: ignore[attr-defined]


def _module_of(finder: object) -> str:
    """The module that defines a finder, which may be an object or a class."""
    return (finder if isinstance(finder, type) else type(finder)).__module__


def _import_hooks() -> Any:
    finders = [finder for finder in sys.meta_path if _module_of(finder) not in _LASTING_FINDERS]
    return finders, list(sys.path_hooks), list(sys.path)


def _restore_import_hooks(before: Any) -> None:
    lasting = [finder for finder in sys.meta_path if _module_of(finder) in _LASTING_FINDERS]
    finders, sys.path_hooks[:], sys.path[:] = before
    sys.meta_path[:] = [*finders, *lasting]


_last_modules = _Growing({})
_last_listed: list[Any] = []


def _modules() -> Any:
    """Nearly always the last ones. Two lists of the same objects are compared in a quarter of a dictionary's time."""
    global _last_modules, _last_listed
    listed = [*sys.modules.values()]
    if listed != _last_listed:
        _last_modules, _last_listed = _Growing(sys.modules), listed
    return _last_modules


@functools.cache
def _places() -> list[Any]:
    """The classes and modules whose attributes layers may change for the whole process."""
    import renga_core.backend.device
    import renga_core.backend.lookup
    import renga_core.graph.backprop
    import renga_core.kernel.operation
    import renga_core.link
    import renga_core.optimizer
    import renga_training
    from renga_core import graph, serializers

    return [
        graph.Variable, graph.Parameter, graph.FunctionNode, renga_core.graph.backprop, renga_core.link.Link,
        renga_core.link.Chain, renga_core.optimizer.Optimizer, renga_core.optimizer.UpdateRule,
        renga_core.kernel.operation.Operation, renga_core.backend.device, renga_core.backend.lookup,
        serializers.Serializer, renga_training.Trainer,
    ]  # fmt: skip


class _Methods:
    """Callable attributes of those classes and modules; other attributes, such as caches, may change."""

    def __init__(self) -> None:
        self.attributes = [dict(vars(place)) for place in _places()]

    @property
    def entries(self) -> dict[str, Any]:
        return {
            f"{place.__name__}.{name}": value
            for place, attributes in zip(_places(), self.attributes, strict=True)
            for name, value in attributes.items()
            if callable(value) or isinstance(value, (property, staticmethod, classmethod))
        }

    def __eq__(self, after: object) -> bool:
        return isinstance(after, _Methods) and (self.attributes == after.attributes or self.entries == after.entries)


def _interpreter() -> Any:
    return {
        "sys.excepthook": sys.excepthook,
        "threading.excepthook": threading.excepthook,
        "sys.unraisablehook": None,  # pytest's own
        "recursion limit": sys.getrecursionlimit(),
        "switch interval": sys.getswitchinterval(),
        "garbage collector": (gc.isenabled(), gc.get_threshold()),
        "trace and profile": (sys.gettrace(), sys.getprofile()),
        "locale": locale.setlocale(locale.LC_ALL),
        "start method": multiprocessing.get_start_method(allow_none=True) or _START_METHOD,
        **{number.name: _handler(number) for number in _SIGNALS},
        "logging": (logging.root.level, logging.root.disabled),
        "NumPy's errors": np.geterr(),
        "NumPy's printing": np.get_printoptions(),
        "file mode": _umask(),
    }


def _handler(number: signal.Signals) -> Any:
    handler = signal.getsignal(number)
    # A process that becomes a rank of MPI listens to its launcher from then on.
    return signal.SIG_DFL if getattr(handler, "__module__", "") == "renga_comm_mpi.failures" else handler


def _umask() -> int:
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


PARTS: dict[str, Part] = {
    "configuration": Part(_Configuration, _Configuration.restore),
    "settings": Part(_settings),
    "registries": Part(_registries),
    "environment": Part(_Environment, _Environment.restore),
    "current folder": Part(os.getcwd, os.chdir),
    "threads": Part(_threads),
    "processes": Part(_processes),
    "shared memory": Part(_shared_memory),
    "global random state of Python and NumPy": Part(_RandomState, _RandomState.restore),
    "warnings": Part(_warnings),
    "import hooks and path": Part(_import_hooks, _restore_import_hooks),
    "imported modules": Part(_modules),
    "methods of Renga's classes": Part(_Methods),
    "interpreter": Part(_interpreter),
}
_ENDING = {"threads", "processes", "shared memory"}
"""Parts that may still be ending when a test has ended, such as threads: the check waits up to `PATIENCE` for them."""
PATIENCE = 20.0
"""Seconds."""


def describe(before: Any, after: Any) -> str:
    """A short description of what has changed."""
    if isinstance(before, set):
        return "; ".join(
            [f"new: {_shown(item)}" for item in after - before] + [f"gone: {_shown(item)}" for item in before - after]
        )
    if isinstance(before, _Growing):
        return describe_mapping(before.entries, {name: after.entries.get(name) for name in before.entries})
    if isinstance(before, (_Configuration, _Environment, _Methods)):
        return describe_mapping(before.entries, after.entries)
    if isinstance(before, Mapping):
        return describe_mapping(before, after)
    if isinstance(before, tuple) and len(before) == len(after):
        return "; ".join(describe(a, b) for a, b in zip(before, after, strict=True) if a != b)
    if isinstance(before, list):
        return (
            "; ".join(
                [f"new: {_shown(item)}" for item in after if item not in before]
                + [f"gone: {_shown(item)}" for item in before if item not in after]
            )
            or "another order"
        )
    return f"{_shown(before)} before, {_shown(after)} after"


def describe_mapping(before: Mapping[Any, Any], after: Mapping[Any, Any]) -> str:
    """The entries that differ."""
    nothing = object()
    names = [name for name in {**before, **after} if before.get(name, nothing) != after.get(name, nothing)]
    return "; ".join(
        f"{name}: {_shown(before.get(name, 'absent'))} before, {_shown(after.get(name, 'absent'))} after"
        for name in names[:5]
    ) + ("; …" if len(names) > 5 else "")


def _shown(item: object) -> str:
    if isinstance(item, threading.Thread):
        frame = sys._current_frames().get(item.ident or 0)
        where = traceback.extract_stack(frame)[-1] if frame else "not running"
        return f"{item!r} at {where}"
    text = repr(item)
    return text if len(text) < 200 else text[:200] + " …"


def take() -> dict[str, Any]:
    """Read every part."""
    return {name: part.read() for name, part in PARTS.items()}


def changes(before: Mapping[str, Any], restore: bool = True) -> dict[str, str]:
    """Return the differences from `before`, by part; with `restore`, restore them if possible."""
    found = {}
    for name, part in PARTS.items():
        after = part.read()
        if name in _ENDING and after - before[name]:
            deadline = time.monotonic() + PATIENCE
            while (after := part.read()) - before[name] and time.monotonic() < deadline:
                gc.collect()
                time.sleep(0.01)
        # Processes and threads that have ended since do no harm.
        changed = bool(after - before[name]) if name in _ENDING else before[name] != after
        if changed:
            found[name] = describe(before[name], after)
            if restore and part.restore is not None:
                part.restore(before[name])
    return found


@pytest.fixture(autouse=True)
def global_state_stays(request: pytest.FixtureRequest) -> Iterator[None]:
    """Fail a test that changes global state, with the names; its fixtures have been torn down before."""
    from renga_core import random as renga_random

    names = ("_entropy", "_children", "_generators", "_given")
    numbers = {name: getattr(renga_random, name) for name in names}
    renga_random.seed(0)
    before = take()
    yield
    for name, value in numbers.items():
        setattr(renga_random, name, value)
    found = changes(before)
    before["configuration"].restore_own()
    if found:
        listed = "\n".join(f"  {name}: {what}" for name, what in found.items())
        pytest.fail(f"{request.node.nodeid} changes global state and does not restore it:\n{listed}", pytrace=False)
