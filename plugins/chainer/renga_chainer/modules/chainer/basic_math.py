"""``chainer.basic_math``: `chainer.functions.math.basic_math`."""

from __future__ import annotations

import importlib
from typing import Any

__all__: list[str] = []


def __getattr__(name: str) -> Any:
    return getattr(importlib.import_module("chainer.functions.math.basic_math"), name)
