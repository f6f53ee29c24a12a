"""Small things that programs written for Chainer use; `renga.utils` has them, too.

- `arrays`: `force_array`, `force_type`, `size_of_shape`, `sum_to`.
- `final`: `final` methods, which subclasses may not override, and `enable_final`, the base that sees to it.
- `marks`: `experimental` and `nondeterministic`, which warn of what they mark.
- `tempdir`: a folder for the length of a ``with`` block.
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
