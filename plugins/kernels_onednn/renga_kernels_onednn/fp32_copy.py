"""Parameters in bfloat16 and their copies in float32: operations ``refresh_fp32_copy`` and ``round_fp32_copy``."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from renga_backend_numpy.arrays import address, is_bfloat16, is_single
from renga_core.backend import Array
from renga_core.kernel import operations
from renga_kernels_onednn.cache import find, same_bits
from renga_kernels_onednn.layout import plain_layout
from renga_kernels_onednn.primitive import Primitive, reorder

__all__ = ["Refresh", "Round", "supports_bfloat16", "supports_round_bfloat16"]

_PIECE = 1 << 18
"""Number of elements that are rounded at once, and then compared while they are in the cores' caches."""


def supports_bfloat16(copy: Array, param: Array) -> bool:
    """Whether these are contiguous arrays of float32 and of bfloat16."""
    return is_single(copy) and is_bfloat16(param) and copy.flags.c_contiguous and param.flags.c_contiguous


def supports_round_bfloat16(param: Array, copy: Array) -> bool:
    """As `supports_bfloat16`."""
    return supports_bfloat16(copy, param)


class Refresh:
    """Operation ``refresh_fp32_copy``. Usually nothing has changed, and a comparison of bits shows this."""

    @staticmethod
    def forward(copies: Sequence[Array], params: Sequence[Array]) -> None:
        """As the reference, piece by piece."""
        reference = operations["refresh_fp32_copy"].reference.forward
        for copy, param in zip(copies, params, strict=True):
            wide, half = copy.reshape(-1), param.reshape(-1)
            for first in range(0, wide.size, _PIECE):
                mine, theirs = wide[first : first + _PIECE], half[first : first + _PIECE]
                rounded = np.empty_like(theirs)
                _round(mine, rounded)
                if not np.array_equal(rounded.view(np.uint16), theirs.view(np.uint16)):
                    reference([mine], [theirs])


class Round:
    """Operation ``round_fp32_copy``."""

    @staticmethod
    def forward(params: Sequence[Array], copies: Sequence[Array]) -> None:
        """See the reference."""
        for param, copy in zip(params, copies, strict=True):
            _round(copy, param)


def _round(x: Array, y: Array) -> None:
    find(x.size, _plan, x.size)(address(x), address(y))


@same_bits
def _plan(size: int) -> Primitive:
    made = reorder(plain_layout((size,)), plain_layout((size,), 2))
    assert made is not None, "the dtypes differ"
    return made
