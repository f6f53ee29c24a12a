"""What this plugin registers: `renga.compile`, the kind of compilers, and two compilers."""

from typing import Any

from renga_compile.kind import COMPILER
from renga_core.plugin import Kind, Namespace, Provider, hookimpl


@hookimpl
def renga_kinds() -> list[Kind[Any]]:
    """The plugin kind ``compiler``."""
    return [COMPILER]


@hookimpl
def renga_compilers() -> list[Provider]:
    """The compilers ``replay`` and ``fused``."""
    return [
        Provider(
            "replay",
            "renga_compile.replay.step:ReplayedStep",
            1,
            "Record a step twice, then replay it without building a graph",
            capabilities=frozenset({"same_bits"}),
        ),
        Provider(
            "fused",
            "renga_compile.fused.step:FusedStep",
            1,
            "Like replay, with chains of array operations compiled by numba",
        ),
    ]


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """The public function `renga.compile`."""
    return [
        Namespace("renga", names={"renga_compile.compiled_step": "CompiledStep", "renga_compile.compiler": "compile"})
    ]
