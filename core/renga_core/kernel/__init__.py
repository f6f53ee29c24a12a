"""Operations that may have faster implementations for some backend.

- `operation`: `Operation`, a named operation with one reference implementation written on `xp`; it chooses between this
  and the kernels that plugins register. `implementation`: `Implementation`, the result of the choice. `candidates`: the
  order in which implementations are tried.
- `list_operation`: `ListOperation`, which treats many arrays alike, such as an update of all parameters.
- `sample`: `Sample`, example arguments of an operation, for the conformance kit of kernels.

A function calls `Operation.select` once in its forward, keeps the `Implementation`, and uses the same one for backward.
To write a kernel: docs/how-to/write-a-kernel.md.
"""

from renga_core.kernel.implementation import Implementation
from renga_core.kernel.list_operation import ListOperation
from renga_core.kernel.operation import Operation, operations
from renga_core.kernel.sample import Sample, Samples, Seeded

__all__ = ["Implementation", "ListOperation", "Operation", "Sample", "Samples", "Seeded", "operations"]
