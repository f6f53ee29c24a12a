"""Device numbers, as Chainer's programs use them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_chainer.scope import of_chainer
from renga_core.backend import device_names

__all__ = ["DummyDeviceType", "install", "uninstall", "without_cuda"]


class DummyDeviceType:
    """The CPU, with the interface of a CuPy device."""

    id = -1

    def __int__(self) -> int:
        return -1

    def __enter__(self) -> DummyDeviceType:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def use(self) -> None:
        """Do nothing."""

    def synchronize(self) -> None:
        """Do nothing."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DummyDeviceType)

    def __hash__(self) -> int:
        return hash(DummyDeviceType)


def _of_number(number: Any) -> str:
    """Return the device name for a number: ``numpy`` for -1, ``cupy:0`` for 0."""
    return "numpy" if int(number) < 0 else f"cupy:{int(number)}"


def _of_text(text: str) -> str:
    """Convert a device number, which may be text (``--device -1``); other names stay as they are."""
    try:
        return _of_number(text)
    except ValueError:
        pass
    if text.startswith("@numpy:"):
        raise ValueError(f"the CPU is '@numpy', without a number: {text!r}")
    return text


_NAMES: dict[type, Callable[[Any], str]] = {
    int: _of_number,
    DummyDeviceType: _of_number,
    **{np.dtype(code).type: _of_number for code in np.typecodes["AllInteger"]},
    str: _of_text,
}


def _unless_renga(name: Callable[[Any], str]) -> Callable[[Any], Any]:
    """The method: only code that uses Chainer gets numbers converted."""
    return lambda spec: name(spec) if of_chainer() else spec


def without_cuda(why: Exception) -> str:
    """The message for code that needs a GPU when there is none."""
    return (
        f"CUDA is not available: {why}\n"
        "To compute on the CPU, run the program with --device -1 (or --gpu -1), or call get_device('@numpy')"
    )


def install() -> None:
    """Accept a number (also as text) as the name of a device, in code that uses Chainer."""
    device_names.update({kind: _unless_renga(name) for kind, name in _NAMES.items()})


def uninstall() -> None:
    """Restore the previous behaviour."""
    for kind in _NAMES:
        device_names.pop(kind, None)
