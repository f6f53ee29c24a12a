"""The kind that this plugin adds: what computes frozen models."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from renga_core.plugin import Kind

if TYPE_CHECKING:
    from renga_inference.engine import Engine

__all__ = ["INFERENCE_ENGINE"]

INFERENCE_ENGINE: Kind[Callable[[], Engine]] = Kind(
    "inference_engine",
    default=("onednn", "kernels"),
    protocol="renga_inference.engine:Engine",
    summary="a callable that returns an Engine, which computes steps of frozen models",
)
