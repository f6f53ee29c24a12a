"""Thread-local configuration: train or test mode, graph building, debug mode.

Code reads and changes `config`; a change affects the current thread only. `global_config` holds the defaults of all
threads. `using_config` changes one entry inside a `with` block::

    with using_config("train", False):
        y = model(x)

Reading an entry is one attribute access in C: defaults are attributes of the class, and a thread's own values are
attributes of the thread-local instance. Even this is too slow for three reads in every function call, so the engine
skips them while `unusual` is empty.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import wraps
from types import MappingProxyType
from typing import Any, ParamSpec, TextIO, TypeVar

import numpy as np

__all__ = ["Config", "config", "get_dtype", "global_config", "unusual", "using_config"]

P = ParamSpec("P")
R = TypeVar("R")

_USUAL = {"enable_backprop": True, "debug": False, "function_hooks": None, "tracers": (), "choice_tracers": ()}
"""The entries that change how functions are applied, and their usual values, which change nothing."""

unusual: set[tuple[int, str]] = set()
"""Pairs of a thread's number (0: all threads) and an entry that it has set to an unusual value.

While it is empty, functions in every thread join the graph, without hooks. If a thread ends without undoing its
changes, its pairs stay in this set. Other threads then have to read their own configuration, which is slower.
"""

_set = threading.local.__setattr__
_NOTHING = object()
"""Placeholder for a value that a thread has not set."""


class Config(threading.local):
    """The entries and their defaults. Plugins and programs add entries by assigning to them.

    Attributes:
        train: Training mode; dropout and batch normalization read it.
        enable_backprop: Build a graph when functions are called.
        debug: Check for NaN, and record where the program called each function.
        keep_graph_on_report: Keep the graph of reported Variables.
        type_check: Check shapes and dtypes of function arguments before computing.
        dtype: Default dtype of parameters and data sets.
        warn_nondeterministic: Warn if results may differ between runs.
        in_recomputing: A function is called a second time for its gradients (`recomputed`), and must not repeat side
            effects, such as updating moving averages of batch normalization.
        gradient_listener: Receives gradients that are complete while backward continues: see `arriving_gradients`.
        function_hooks: The hooks that watch every function of this thread, by name; see `FunctionHook`.
        tracers: Tracers of this thread's next operations: see `renga_core.tracer.Tracer`.
        choice_tracers: Tracers that record which kernels this thread uses.
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
        _check(name, value)
        _set(self, name, value)
        if name in _USUAL and self is config:
            _note(threading.get_ident(), name, value)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        if self is config:
            unusual.discard((threading.get_ident(), name))

    def show(self, file: TextIO | None = None) -> None:
        """Print each entry and its value in this thread, one per line (default: standard output)."""
        _show({**vars(Config), **vars(self)}, file)


def _check(name: str, value: Any) -> None:
    """Refuse at once what would fail late, or mean something else: the text ``"no"`` is true."""
    if isinstance(value, str) and isinstance(getattr(Config, name, None), bool):
        raise TypeError(f"config.{name} is True or False, not {value!r}")
    if name == "dtype":
        with suppress(TypeError):
            if value is not None and np.dtype(value).kind in "fV":
                return
        hint = "For mixed precision, call optimizer.use_fp32_update() too, or set run.dtype in a run file."
        raise TypeError(f"config.dtype is a floating dtype such as ml_dtypes.bfloat16, not {value!r}. {hint}")


def _note(thread: int, name: str, value: Any) -> None:
    """Keep `unusual` up to date."""
    (unusual.discard if value == _USUAL[name] else unusual.add)((thread, name))


def _show(entries: Mapping[str, Any], file: TextIO | None) -> None:
    for name in sorted(entries):
        if not name.startswith("_") and name != "show":
            print(f"{name:20} {entries[name]!r}", file=file or sys.stdout)


class GlobalConfig:
    """The defaults of all threads. Setting an entry here changes it in each thread that has not set its own value."""

    def __getattr__(self, name: str) -> Any:
        return getattr(Config, name)

    def __setattr__(self, name: str, value: Any) -> None:
        _check(name, value)
        setattr(Config, name, value)
        if name in _USUAL:
            _note(0, name, value)

    def __delattr__(self, name: str) -> None:
        delattr(Config, name)

    def show(self, file: TextIO | None = None) -> None:
        """Print each default, one per line (default: to standard output)."""
        _show(vars(Config), file)


config = Config()
global_config = GlobalConfig()


def get_dtype(dtype: Any = None, map_mixed16: Any = None) -> np.dtype[Any]:
    """Return `dtype`, or ``config.dtype`` if it is None.

    Args:
        dtype: The dtype that the user passed.
        map_mixed16: Replaces a half-precision default where more precision is needed, as in averages: float32. Renga
            needs no special mode for this (Chainer's was ``mixed16``).
    """
    if dtype is None and map_mixed16 is not None and np.dtype(config.dtype).itemsize == 2:
        dtype = map_mixed16
    found: np.dtype[Any] = np.dtype(config.dtype if dtype is None else dtype)
    return found


class using_config:
    """Set entry `name` to `value` in this thread while a ``with`` block runs, or a function that this decorates.

    Args:
        name: The entry.
        value: Its value in the block. TypeError if it is none for this entry, as with assignments to `config`.
        config: The configuration to change; default: the thread's.
    """

    __slots__ = ("_before", "_config", "_name", "_value")

    def __init__(self, name: str, value: Any, config: Config = config) -> None:
        _check(name, value)
        self._name = name
        self._value = value
        self._config = config

    def __enter__(self) -> None:
        own = vars(self._config)
        self._before = own.get(self._name, _NOTHING)
        own[self._name] = self._value
        if self._name in _USUAL and self._config is config:
            _note(threading.get_ident(), self._name, self._value)

    def __exit__(self, *error: object) -> None:
        if self._before is not _NOTHING:
            setattr(self._config, self._name, self._before)
        elif self._name in vars(self._config):
            delattr(self._config, self._name)

    def __call__(self, function: Callable[P, R]) -> Callable[P, R]:
        """Return `function` wrapped so that the entry is set during each call."""

        @wraps(function)
        def within(*args: P.args, **kwargs: P.kwargs) -> R:
            with using_config(self._name, self._value, self._config):
                return function(*args, **kwargs)

        return within
