"""Compilers: run a training step faster than plain Python.

- `compiler`: `compile`, for users. `compiled_step`: `CompiledStep`, the protocol for the result of a compiler.
- `kind`: the plugin kind ``compiler``, for compilers of other packages.
- `replay/`: the compiler ``replay`` records a step, and then runs it without building its graph.
- `fused/`: the compiler ``fused`` does the same, and compiles chains of array operations with numba.

Speed and requirements: docs/explanation/performance.md. How to write a compiler: docs/how-to/write-a-compiler.md. This
module imports nothing; listing compilers imports `plugin`.
"""
