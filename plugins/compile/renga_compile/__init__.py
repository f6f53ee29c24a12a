"""Compilers: a training step, run faster than Python would run it.

- `compiler`: `compile`, which users call. `compiled_step`: `CompiledStep`, the protocol of what a compiler returns.
- `kind`: the kind ``compiler``, so that others can be plugged in.
- `replay/`: the compiler ``replay``: a step is recorded, and then run without building its graph.
- `fused/`: the compiler ``fused``: so, with chains of operations on arrays compiled by numba.

What it gains, and what it asks of a step: docs/explanation/performance.md. How to write a compiler:
docs/how-to/write-a-compiler.md. Nothing is imported here: `plugin` is, whenever somebody lists compilers.
"""
