"""Settings of a thread: train or test mode, graph building, debug mode.

`config` is what code reads and changes; a change concerns the current thread only. `global_config` holds the defaults
that every thread falls back to. `using_config` changes one entry for the length of a `with` block::

    with using_config("train", False):
        y = model(x)

Reading an entry is one attribute access in C: defaults are attributes of the class, a thread's own values attributes of
the thread-local instance. Even that is more than the engine can afford three times on every call of a function: while
`unusual` is empty, it need not look.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from functools import wraps
from types import MappingProxyType, TracebackType
from typing import Any, ParamSpec, TextIO, TypeVar

import numpy as np

__all__ = ["Config", "config", "get_dtype", "global_config", "unusual", "using_config"]

P = ParamSpec("P")
R = TypeVar("R")

_USUAL = {"enable_backprop": True, "debug": False, "function_hooks": None, "tracers": (), "choice_tracers": ()}
"""The entries that change what applying a function does, and the value with which they change nothing."""

unusual: set[tuple[int, str]] = set()
"""Threads, by number (0: all), and entries that they have set to a value other than the usual one.

While it is empty, functions called in any thread join the graph, unwatched. A thread that ends without undoing what it
has set is left in it, which costs others a look at their own configuration.
"""


_set = threading.local.__setattr__


class Config(threading.local):
    """The entries, with their defaults. Plugins and programs may add entries of their own by assigning them.

    Attributes:
        train: Training mode; dropout and batch normalization ask it.
        enable_backprop: Build a graph when functions are called.
        debug: Check for NaN, and remember where in the program each function was called.
        keep_graph_on_report: Keep the graph of reported Variables.
        type_check: Check shapes and dtypes of functions' arguments before computing.
        dtype: Default dtype of parameters and data sets.
        warn_nondeterministic: Warn where results may differ from one run to the next.
        in_recomputing: A function is being called a second time, for its gradients (`recomputed`): what it should do
            once only, such as moving averages of batch normalization, it has done.
        gradient_listener: Is told of gradients that are complete while backward goes on: see `arriving_gradients`.
        function_hooks: The hooks that watch every function of this thread, by name; see `FunctionHook`.
        tracers: Who sees what this thread does next: see `renga_core.tracer.Tracer`.
        choice_tracers: Who sees which kernels this thread computes with.
    """

    train: bool = True
    enable_backprop: bool = True
    debug: bool = False
    keep_graph_on_report: bool = False
    type_check: bool = True
    in_recomputing: bool = False
    warn_nondeterministic: bool = False
    dtype: Any = np.dtype(np.float32)
    gradient_listener: Callable[[Any, Any], object] | None = None
    function_hooks: Mapping[str, Any] = MappingProxyType({})
    tracers: tuple[Any, ...] = ()
    choice_tracers: tuple[Any, ...] = ()

    def __setattr__(self, name: str, value: Any) -> None:
        _set(self, name, value)
        if name in _USUAL and self is config:
            _note(threading.get_ident(), name, value)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        if self is config:
            unusual.discard((threading.get_ident(), name))

    def show(self, file: TextIO | None = None) -> None:
        """Print each entry and its value in this thread, one a line (default: standard output)."""
        _show({**vars(Config), **vars(self)}, file)


def _note(thread: int, name: str, value: Any) -> None:
    """Keep `unusual` up to date."""
    if value == _USUAL[name]:
        unusual.discard((thread, name))
    else:
        unusual.add((thread, name))


def _show(entries: Mapping[str, Any], file: TextIO | None) -> None:
    for name in sorted(entries):
        if not name.startswith("_") and name != "show":
            print(f"{name:20} {entries[name]!r}", file=file or sys.stdout)


class GlobalConfig:
    """The defaults of all threads. Setting an entry here changes it in each thread that has no value of its own."""

    def __getattr__(self, name: str) -> Any:
        return getattr(Config, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(Config, name, value)
        if name in _USUAL:
            _note(0, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(Config, name)

    def show(self, file: TextIO | None = None) -> None:
        """Print each default, one a line (default: to standard output)."""
        _show(vars(Config), file)


config = Config()
global_config = GlobalConfig()


def get_dtype(dtype: Any = None, map_mixed16: Any = None) -> np.dtype[Any]:
    """Return `dtype`, or ``config.dtype`` if it is None.

    Args:
        dtype: What the user has said.
        map_mixed16: What stands for a default of half precision where that does not do, as in averages: float32.
            Renga needs no mode of its own for this (Chainer's was ``mixed16``).
    """
    if dtype is not None:
        given: np.dtype[Any] = np.dtype(dtype)
        return given
    default: np.dtype[Any] = np.dtype(config.dtype)
    if map_mixed16 is not None and default.itemsize == 2:
        default = np.dtype(map_mixed16)
    return default


class using_config:
    """Set entry `name` to `value` in this thread while a ``with`` block runs, or a function that this decorates.

    Args:
        name: The entry.
        value: Its value in the block.
        config: Where to set it; the thread's configuration.
    """

    __slots__ = ("_before", "_config", "_name", "_value")

    def __init__(self, name: str, value: Any, config: Config = config) -> None:
        self._name = name
        self._value = value
        self._config = config

    def __enter__(self) -> None:
        own = vars(self._config)
        self._before = own.get(self._name, _NOTHING)
        own[self._name] = self._value
        if self._name in _USUAL and self._config is config:
            _note(threading.get_ident(), self._name, self._value)

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._before is not _NOTHING:
            setattr(self._config, self._name, self._before)
        elif self._name in vars(self._config):
            delattr(self._config, self._name)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """`function`, with the entry set during each call."""

        @wraps(function)
        def within(*args: P.args, **kwargs: P.kwargs) -> R:
            with using_config(self._name, self._value, self._config):
                return function(*args, **kwargs)

        return within


_NOTHING = object()
"""In place of a value that a thread does not have."""
