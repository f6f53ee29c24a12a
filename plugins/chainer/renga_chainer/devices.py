"""Devices by number, as programs of Chainer's say them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_chainer.scope import of_chainer
from renga_core.backend import device_names

__all__ = ["DummyDeviceType", "install", "uninstall", "without_cuda"]


class DummyDeviceType:
    """The CPU, with the methods of CuPy's devices."""

    id = -1

    def __int__(self) -> int:
        return -1

    def __enter__(self) -> DummyDeviceType:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def use(self) -> None:
        """Nothing."""

    def synchronize(self) -> None:
        """Nothing."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DummyDeviceType)

    def __hash__(self) -> int:
        return hash(DummyDeviceType)


def _of_number(number: Any) -> str:
    """``numpy`` for -1, ``cupy:0`` for 0."""
    return "numpy" if int(number) < 0 else f"cupy:{int(number)}"


def _of_text(text: str) -> str:
    """A number may be text, as ``--device -1`` gives it; other names are names."""
    try:
        return _of_number(text)
    except ValueError:
        pass
    if text.startswith("@numpy:"):
        raise ValueError(f"the CPU is '@numpy', and has no number: {text!r}")
    return text


_NAMES: dict[type, Callable[[Any], str]] = {
    int: _of_number,
    DummyDeviceType: _of_number,
    **{np.dtype(code).type: _of_number for code in np.typecodes["AllInteger"]},
    str: _of_text,
}


def _unless_renga(name: Callable[[Any], str]) -> Callable[[Any], Any]:
    """The function; of other code's devices it says nothing."""
    return lambda spec: name(spec) if of_chainer() else spec


def without_cuda(why: Exception) -> str:
    """The message of what needs a GPU where there is none."""
    return (
        f"CUDA is not available: {why}\n"
        "To compute on the CPU, run the program with --device -1 (or --gpu -1), or say get_device('@numpy')"
    )


def install() -> None:
    """Let a number, also one that is text, name a device, for code that uses Chainer."""
    device_names.update({kind: _unless_renga(name) for kind, name in _NAMES.items()})


def uninstall() -> None:
    """As before."""
    for kind in _NAMES:
        device_names.pop(kind, None)
