"""What this plugin offers: `renga.compile`, the kind of compilers, and two of them."""

from typing import Any

from renga_compile.kind import COMPILER
from renga_core.plugin import Kind, Namespace, Provider, hookimpl


@hookimpl
def renga_kinds() -> list[Kind[Any]]:
    """Compiler."""
    return [COMPILER]


@hookimpl
def renga_compilers() -> list[Provider]:
    """How steps are made faster."""
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
            "As replay, with chains of operations on arrays compiled by numba",
        ),
    ]


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """What users call."""
    return [
        Namespace("renga", names={"renga_compile.compiled_step": "CompiledStep", "renga_compile.compiler": "compile"})
    ]
