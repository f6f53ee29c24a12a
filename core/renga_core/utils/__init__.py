"""Small things that programs written for Chainer, and a few parts of Renga, share.

- `arrays`: `force_array`, `force_type`, `size_of_shape`, `sum_to`.
- `final`: `final` methods, which subclasses may not override, and `enable_final`, the base that sees to it.
- `integers`: `as_ints`, of sizes and axes.
- `marks`: `experimental` and `nondeterministic`, which warn of what they mark.
- `tempdir`: a folder for the length of a ``with`` block.
"""

from renga_core.utils.arrays import force_array, force_type, size_of_shape, sum_to
from renga_core.utils.final import enable_final, final
from renga_core.utils.integers import as_ints
from renga_core.utils.marks import experimental, nondeterministic
from renga_core.utils.tempdir import tempdir

__all__ = [
    "as_ints",
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
