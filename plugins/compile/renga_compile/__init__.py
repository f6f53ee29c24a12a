"""Compilers: a training step, run faster than Python would run it.

- `compiler`: `compile`, which users call.
- `compiled_step`: `CompiledStep`, the protocol of what a compiler returns.
- `replay/`: the compiler ``replay``: a step is recorded, and then run without building its graph.

What it gains, and what it asks of a step: docs/explanation/performance.md. How to write a compiler:
docs/how-to/write-a-compiler.md.
"""

from renga_compile.compiled_step import CompiledStep
from renga_compile.compiler import compile

__all__ = ["CompiledStep", "compile"]
