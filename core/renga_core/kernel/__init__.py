"""Operations that may have faster implementations for some backend.

- `operation`: `Operation`, a named operation with one reference implementation written on `xp`; choosing among it and
  the kernels that plugins register.

A function of the library calls `Operation.select` once in its forward, keeps the `Implementation` it got, and uses that
one's backward. How to write a kernel: docs/how-to/write-a-kernel.md.
"""

from renga_core.kernel.operation import Implementation, Operation, operations

__all__ = ["Implementation", "Operation", "operations"]
