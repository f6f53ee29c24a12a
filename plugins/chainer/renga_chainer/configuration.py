"""The entries of Chainer's configuration, with their defaults and environment variables."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable, Mapping
from typing import Any, TextIO

import numpy as np

from renga_core.configuration import Config, GlobalConfig, global_config

__all__ = ["ADDITIONS", "Mixed16", "install", "mixed16", "uninstall"]


class Mixed16:
    """Half precision, with sums and statistics in single precision; the same as float16 in Renga."""

    dtype = np.dtype(np.float16)

    def __repr__(self) -> str:
        return "dtype('mixed16')"


mixed16 = Mixed16()

_KEYS = (
    "_will_recompute", "autotune", "compute_mode", "cudnn_deterministic", "cudnn_fast_batch_normalization", "debug",
    "dtype", "enable_backprop", "in_recomputing", "keep_graph_on_report", "lazy_grad_sum", "schedule_func", "train",
    "type_check", "use_cudnn", "use_cudnn_tensor_core", "use_ideep", "use_static_graph", "warn_nondeterministic",
)  # fmt: skip
"""Chainer's entries."""

_ABSENT = object()
_before: dict[str, Any] = {}


def defaults(environment: Mapping[str, str]) -> dict[str, Any]:
    """Chainer's entries at the start of the program, without those that always equal Renga's.

    Raises:
        TypeError: ``CHAINER_DTYPE`` is not a supported dtype.
    """

    def switch(name: str, default: str) -> bool:
        return bool(int(environment.get(name, default)))

    dtype = environment.get("CHAINER_DTYPE", "float32")
    if dtype not in ("float16", "float32", "float64", "mixed16"):
        raise TypeError(f"CHAINER_DTYPE must be float16, float32, float64 or mixed16, not {dtype!r}")
    return {
        "debug": switch("CHAINER_DEBUG", "0"),
        "keep_graph_on_report": switch("CHAINER_KEEP_GRAPH_ON_REPORT", "0"),
        "type_check": switch("CHAINER_TYPE_CHECK", "1"),
        "dtype": mixed16 if dtype == "mixed16" else np.dtype(dtype),
        "use_cudnn": environment.get("CHAINER_USE_CUDNN", "auto"),
        "use_cudnn_tensor_core": "auto",
        "use_ideep": environment.get("CHAINER_USE_IDEEP", "never"),
        "autotune": False,
        "cudnn_deterministic": False,
        "cudnn_fast_batch_normalization": switch("CHAINER_CUDNN_FAST_BATCH_NORMALIZATION", "0"),
        "lazy_grad_sum": switch("CHAINER_LAZY_GRAD_SUM", "0"),
        "schedule_func": None,
        "use_static_graph": True,
        "compute_mode": None,
        "_will_recompute": False,
    }


def install() -> None:
    """Set the defaults of all threads to those of Chainer.

    Raises:
        TypeError, ValueError: An environment variable has an invalid value. Then nothing changes.
    """
    for name, value in defaults(os.environ).items():
        _before[name] = vars(Config).get(name, _ABSENT)
        setattr(global_config, name, value)


def uninstall() -> None:
    """Restore the previous defaults."""
    while _before:
        name, value = _before.popitem()
        if value is not _ABSENT:
            setattr(global_config, name, value)
        elif hasattr(Config, name):
            delattr(global_config, name)


def _print(holder: Any, names: Iterable[str], file: TextIO | None) -> None:
    shown = sorted(names)
    width = max(map(len, shown))
    for name in shown:
        print(f"{name:{width}} {getattr(holder, name)}", file=file or sys.stdout)


def show(self: Config, file: TextIO | None = None) -> None:
    """Print each entry and its value in this thread, one per line (default: standard output)."""
    _print(self, {*_KEYS, *_programs(), *vars(self)}, file)


def show_global(self: GlobalConfig, file: TextIO | None = None) -> None:
    """Print each default, one per line (default: standard output)."""
    _print(self, {*_KEYS, *_programs()}, file)


def _programs() -> list[str]:
    """Return the entries that the program has added."""
    return [name for name in vars(Config) if name not in _RENGAS and not name.startswith("_")]


_RENGAS = {*vars(Config)}

ADDITIONS: list[tuple[type, str, Any]] = [
    (Config, "show", show),
    (GlobalConfig, "show", show_global),
]
