"""Operations that may have faster implementations for some backend.

- `operation`: `Operation`, a named operation with one reference implementation written on `xp`; choosing among it and
  the kernels that plugins register. `implementation`: `Implementation`, what is chosen. `candidates`: the order in
  which they are tried.
- `list_operation`: `ListOperation`, one that does the same to many arrays: an update of parameters.
- `sample`: `Sample`, arguments to try an operation with, which the conformance kit of kernels uses.

A function of the library calls `Operation.select` once in its forward, keeps the `Implementation` it got, and uses that
one's backward. How to write a kernel: docs/how-to/write-a-kernel.md.
"""

from renga_core.kernel.implementation import Implementation
from renga_core.kernel.list_operation import ListOperation
from renga_core.kernel.operation import Operation, operations
from renga_core.kernel.sample import Sample, Samples, Seeded

__all__ = ["Implementation", "ListOperation", "Operation", "Sample", "Samples", "Seeded", "operations"]
