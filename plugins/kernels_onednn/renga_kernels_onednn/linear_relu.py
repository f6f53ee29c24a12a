"""The layer `linear` and ReLU together: the product is rectified where it lies, and not copied.

oneDNN can apply ReLU while it stores a product (a post-op), but that ReLU turns NaN into 0: see `relu`.
"""

from __future__ import annotations

from renga_core.backend import Array
from renga_kernels_onednn.product import Linear
from renga_kernels_onednn.relu import pass_where_positive, rectify

__all__ = ["LinearReLU"]


class LinearReLU:
    """Operation ``linear_relu``; the results are those of ``linear``, then ``relu``, bit for bit."""

    @staticmethod
    def forward(x: Array, W: Array, b: Array | None) -> Array:
        """See the reference."""
        y = Linear.forward(x, W, b)
        rectify(y)
        return y

    @staticmethod
    def backward(x: Array, W: Array, y: Array, gy: Array, wanted: tuple[int, ...]) -> tuple[Array, ...]:
        """See the reference."""
        return Linear.backward(x, W, pass_where_positive(y, gy), wanted)
