"""Global state of the program, which a test of a kit must not change."""

from __future__ import annotations

import gc
import locale
import logging
import os
import random as python_random
import signal
import socket
import sys
import tempfile
import warnings
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from renga_core import random
from renga_core.configuration import Config, config
from renga_core.kinds import COMMUNICATOR
from renga_core.plugin import registry

__all__ = ["SEED", "changes", "look", "restore", "start_random"]

SEED = 715_225_739
"""The seed of the library's random numbers in each test. No provider would choose this seed, so a different seed means
that a provider has set it."""


def start_random(number: int = 0) -> None:
    """Seed the library's random numbers, which tests of a kit may do; the seed depends on `number`."""
    random.seed(SEED + number)


def look() -> dict[str, Any]:
    """Each part of the state with its present value, for comparison."""
    return {name: read() for name, (read, _) in _THINGS.items()} | {_LIBRARIES: _libraries()}


def changes(before: Mapping[str, Any]) -> list[str]:
    """Short descriptions of all changes since.

    Libraries may change state when they are imported. If a test imported one, the environment and NumPy's random
    numbers (JAX draws some) are not compared.
    """
    now = look()
    if now[_LIBRARIES] != before[_LIBRARIES]:
        now |= {name: before[name] for name in _CHANGED_BY_IMPORTS}
    heard = {name: handler for name, handler in before[_SIGNALS].items() if _is_of_a_communicator(now[_SIGNALS][name])}
    now[_SIGNALS] |= heard
    found = [_difference(name, before[name], now[name]) for name in _THINGS if not _same(before[name], now[name])]
    entropy = random.get_state()["entropy"]
    if entropy is None or not SEED <= entropy < SEED + 100:
        found.append(f"the seed of Renga's random numbers (it was set to {entropy})")
    return found


def restore(before: Mapping[str, Any]) -> None:
    """Put everything back."""
    for name, (_, put) in _THINGS.items():
        if name != _ENVIRONMENT or _libraries() == before[_LIBRARIES]:
            put(before[name])


def _same(before: Any, now: Any) -> bool:
    return bool(before == now)


def _difference(name: str, before: Any, now: Any) -> str:
    if isinstance(before, dict) and isinstance(now, dict):
        keys = sorted(str(key) for key in before.keys() | now.keys() if before.get(key) != now.get(key))
        return f"{name} ({', '.join(keys[:5])})"
    plain = all(isinstance(value, (str, int, float, bool)) for value in (before, now))
    return f"{name} (from {before!r} to {now!r})" if plain else name


def _numpy_random() -> tuple[Any, ...]:
    name, keys, *rest = np.random.get_state()
    return (name, np.asarray(keys).tobytes(), *rest)


def _put_numpy_random(state: tuple[Any, ...]) -> None:
    if _numpy_random() != state:  # to compare is quicker
        name, keys, *rest = state
        np.random.set_state((name, np.frombuffer(keys, np.uint32), *rest))


def _put_environment(value: dict[str, str]) -> None:
    found = _environment()
    if found != value:  # to compare is quicker
        for name in found.keys() - value.keys():
            del os.environ[name]
        os.environ.update(value)


def _wide_filters() -> list[Any]:
    """The filters for Python's own categories, without a text or a module.

    Libraries add narrower ones when they are first imported.
    """
    return [f for f in warnings.filters if f[1] is None and f[3] is None and f[2].__module__ == "builtins"]


def _put_filters(value: list[Any]) -> None:
    if _wide_filters() != value:
        warnings.filters[:] = value  # type: ignore[index]


_ENVIRONMENT, _LIBRARIES, _SIGNALS = "environment variables", "libraries", "handlers of signals"
_NUMPY_RANDOM = "the state of NumPy's global random numbers"
_CHANGED_BY_IMPORTS = (_ENVIRONMENT, _NUMPY_RANDOM)


def _libraries() -> frozenset[str]:
    """Top-level packages that have been imported, without the standard library's."""
    return frozenset({name for name in sys.modules if "." not in name} - sys.stdlib_module_names)


_NOT_OURS = ("PYTEST_", "GOMP_", "OMP_", "KMP_", "MKL_", "OPENBLAS_")


def _public(of: Any) -> dict[str, Any]:
    return {name: value for name, value in vars(of).items() if not name.startswith("_") and not callable(value)}


def _put_config(value: dict[str, Any]) -> None:
    for name in vars(config).keys() - value.keys():
        delattr(config, name)
    for name, entry in value.items():
        setattr(config, name, entry)


def _put_defaults(value: dict[str, Any]) -> None:
    for name in _public(Config).keys() - value.keys():
        delattr(Config, name)
    for name, entry in value.items():
        if vars(Config)[name] is not entry:
            setattr(Config, name, entry)


def _signals() -> dict[str, Any]:
    """SIGALRM is ignored, because test runners use it for time limits."""
    return {name: signal.getsignal(getattr(signal, name)) for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGUSR1")}


def _is_of_a_communicator(handler: Any) -> bool:
    """Whether a package that offers communicators has set the handler: a rank keeps it for signals of its launcher."""
    if not callable(handler) or handler is signal.default_int_handler:
        return False
    packages = {offer.provider.target.partition(":")[0].partition(".")[0] for offer, _ in registry(COMMUNICATOR).list()}
    return getattr(handler, "__module__", "").partition(".")[0] in packages


def _put_signals(value: dict[str, Any]) -> None:
    for name, handler in value.items():
        found = signal.getsignal(getattr(signal, name))
        if found is not handler and not _is_of_a_communicator(found):
            signal.signal(getattr(signal, name), handler)


def _log_handlers() -> list[logging.Handler]:
    """Handlers of the test runner are ignored, because they change with each phase of a test."""
    return [one for one in logging.root.handlers if not type(one).__module__.startswith("_pytest.")]


def _put_log_handlers(value: list[logging.Handler]) -> None:
    for handler in _log_handlers():
        if handler not in value:
            logging.root.removeHandler(handler)
    for handler in value:
        logging.root.addHandler(handler)  # empty if it exists


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


_THINGS: dict[str, tuple[Callable[[], Any], Callable[[Any], object]]] = {
    "Renga's configuration": (lambda: _public(config), _put_config),
    "Renga's configuration of all threads": (lambda: _public(Config), _put_defaults),
    "the state of Python's random numbers": (python_random.getstate, python_random.setstate),
    _NUMPY_RANDOM: (_numpy_random, _put_numpy_random),
    "NumPy's handling of floating-point errors": (np.geterr, lambda value: np.seterr(**value)),
    "NumPy's print options": (np.get_printoptions, lambda value: np.set_printoptions(**value)),
    "the filters of warnings": (lambda: _wide_filters(), _put_filters),
    _ENVIRONMENT: (lambda: _environment(), _put_environment),
    "the current folder": (os.getcwd, os.chdir),
    "the folder of temporary files": (
        lambda: tempfile.tempdir or "",
        lambda value: setattr(tempfile, "tempdir", value or None),
    ),
    "the mask of file modes": (_umask, os.umask),
    "sys.path": (lambda: list(sys.path), lambda value: sys.path.__setitem__(slice(None), value)),
    "sys.excepthook": (lambda: sys.excepthook, lambda value: setattr(sys, "excepthook", value)),
    "the limit of recursion": (sys.getrecursionlimit, sys.setrecursionlimit),
    "garbage collection": (gc.isenabled, lambda value: gc.enable() if value else gc.disable()),
    _SIGNALS: (_signals, _put_signals),
    "the locale": (lambda: locale.setlocale(locale.LC_ALL), lambda value: locale.setlocale(locale.LC_ALL, value)),
    "the level of logging": (lambda: logging.root.level, logging.root.setLevel),
    "the handlers of logging": (lambda: _log_handlers(), _put_log_handlers),
    "sys.argv": (lambda: list(sys.argv), lambda value: setattr(sys, "argv", value)),
    "the time limit of sockets": (
        lambda: socket.getdefaulttimeout() or 0.0,
        lambda v: socket.setdefaulttimeout(v or None),
    ),
}


def _environment() -> dict[str, str]:
    """Ignored are the test runner's variable for the running test, and variables that libraries for threads set at
    first use."""
    return {name: value for name, value in os.environ.items() if not name.startswith(_NOT_OURS)}
