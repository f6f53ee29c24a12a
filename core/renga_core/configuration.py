"""Settings of a thread: train or test mode, graph building, debug mode.

`config` is what code reads and changes; a change concerns the current thread only. `global_config` holds the defaults
that every thread falls back to. `using_config` changes one entry for the length of a `with` block::

    with using_config("train", False):
        y = model(x)

Reading an entry is one attribute access in C: defaults are attributes of the class, a thread's own values attributes of
the thread-local instance. The engine reads two of them on every call of a function.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any, TextIO

import numpy as np

__all__ = ["Config", "config", "get_dtype", "global_config", "using_config"]


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
        function_hooks: The hooks that watch every function of this thread, by name; see `FunctionHook`.
    """

    train: bool = True
    enable_backprop: bool = True
    debug: bool = False
    keep_graph_on_report: bool = False
    type_check: bool = True
    in_recomputing: bool = False
    warn_nondeterministic: bool = False
    dtype: Any = np.dtype(np.float32)
    function_hooks: Mapping[str, Any] = MappingProxyType({})

    def show(self, file: TextIO | None = None) -> None:
        """Print each entry and its value in this thread, one a line (default: standard output)."""
        _show({**vars(Config), **vars(self)}, file)


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

    def __delattr__(self, name: str) -> None:
        delattr(Config, name)

    def show(self, file: TextIO | None = None) -> None:
        """Print each default, one a line (default: to standard output)."""
        _show(vars(Config), file)


config = Config()
global_config = GlobalConfig()


def get_dtype(dtype: Any = None, map_mixed16: Any = None) -> np.dtype[Any]:
    """The dtype that is meant: `dtype`, or ``config.dtype`` if it is None.

    Args:
        dtype: What the user has said.
        map_mixed16: What stands for a default of float16 where half precision does not do, as in averages: float32.
            Renga needs no mode of its own for this (Chainer's was ``mixed16``).
    """
    if dtype is not None:
        given: np.dtype[Any] = np.dtype(dtype)
        return given
    default: np.dtype[Any] = np.dtype(config.dtype)
    if map_mixed16 is not None and default == np.float16:
        default = np.dtype(map_mixed16)
    return default


@contextmanager
def using_config(name: str, value: Any, config: Config = config) -> Iterator[None]:
    """Set entry `name` to `value` in this thread while the `with` block runs."""
    own = vars(config)
    had, before = name in own, own.get(name)
    setattr(config, name, value)
    try:
        yield
    finally:
        if had:
            setattr(config, name, before)
        else:
            own.pop(name, None)
