"""Utilities for programs written for Chainer; also in `renga.utils`.

- `arrays`: `force_array`, `force_type`, `size_of_shape`, `sum_to`.
- `final`: `final` marks methods that subclasses may not override; `enable_final` is the base class that checks it.
- `marks`: `experimental` and `nondeterministic`, which warn about the function that calls them.
- `tempdir`: a temporary folder for a ``with`` block.
"""

from renga_chainer.utils.arrays import force_array, force_type, size_of_shape, sum_to
from renga_chainer.utils.final import enable_final, final
from renga_chainer.utils.marks import experimental, nondeterministic
from renga_chainer.utils.tempdir import tempdir

__all__ = [
    "enable_final",
    "experimental",
    "final",
    "force_array",
    "force_type",
    "nondeterministic",
    "size_of_shape",
    "sum_to",
    "tempdir",
]
