"""The plugin kind of compilers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from renga_core.plugin import Kind

if TYPE_CHECKING:
    from renga_compile.compiled_step import CompiledStep

__all__ = ["COMPILER"]

COMPILER: Kind[Callable[..., CompiledStep]] = Kind(
    "compiler",
    config_key="run.compiler",
    default="replay",
    protocol="renga_compile.compiled_step:CompiledStep",
    suite="renga_testing.suites:CompilerSuite",
    summary="a callable that takes a step and returns a CompiledStep, which does the same faster",
)
