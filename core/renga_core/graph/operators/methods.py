"""The operators and methods of Variables, which call the functions of this folder."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

from renga_core.graph.operators import arithmetic, product, reduction, shape
from renga_core.graph.operators.arithmetic import Add, Multiply

if TYPE_CHECKING:
    from renga_core.graph.variable import Variable

__all__ = ["Operators"]


class Operators:
    """Mixin of `Variable`."""

    __slots__ = ()

    # Makes NumPy leave `array + variable` to this class.
    __array_ufunc__ = None
    __array_priority__ = 200

    def __add__(self, other: Any) -> Variable:
        if isinstance(other, Operators):  # the usual case, a little faster
            return Add().apply((self, other))[0]
        return arithmetic.add(self, other)

    def __radd__(self, other: Any) -> Variable:
        return arithmetic.add(other, self)

    def __sub__(self, other: Any) -> Variable:
        return arithmetic.subtract(self, other)

    def __rsub__(self, other: Any) -> Variable:
        return arithmetic.subtract(other, self)

    def __mul__(self, other: Any) -> Variable:
        if isinstance(other, Operators):  # the usual case, a little faster
            return Multiply().apply((self, other))[0]
        return arithmetic.multiply(self, other)

    def __rmul__(self, other: Any) -> Variable:
        return arithmetic.multiply(other, self)

    def __truediv__(self, other: Any) -> Variable:
        return arithmetic.divide(self, other)

    def __rtruediv__(self, other: Any) -> Variable:
        return arithmetic.divide(other, self)

    def __pow__(self, other: Any) -> Variable:
        return arithmetic.power(self, other)

    def __rpow__(self, other: Any) -> Variable:
        return arithmetic.power(other, self)

    def __matmul__(self, other: Any) -> Variable:
        return product.matmul(self, other)

    def __rmatmul__(self, other: Any) -> Variable:
        return product.matmul(other, self)

    def __neg__(self) -> Variable:
        return arithmetic.negative(self)

    def __pos__(self) -> Self:
        return self

    def __abs__(self) -> Variable:
        return arithmetic.absolute(self)

    def __getitem__(self, slices: Any) -> Variable:
        return shape.get_item(self, slices)

    def reshape(self, *shape_: Any) -> Variable:
        """The same elements in another shape, given as a tuple or as separate numbers."""
        sizes = shape_[0] if len(shape_) == 1 and not isinstance(shape_[0], int) else shape_
        return shape.reshape(self, sizes)

    def transpose(self, *axes: Any) -> Variable:
        """The axes in another order, given as a tuple or as separate numbers; by default reversed."""
        if not axes or axes[0] is None:
            return shape.transpose(self)
        return shape.transpose(self, axes[0] if len(axes) == 1 and not isinstance(axes[0], int) else axes)

    @property
    def T(self) -> Variable:
        """All axes reversed."""
        return shape.transpose(self)

    def squeeze(self, axis: int | tuple[int, ...] | None = None) -> Variable:
        """Without the axes of size 1."""
        return shape.squeeze(self, axis)

    def sum(self, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> Variable:
        """Sum over some axes (default: all)."""
        return reduction.sum(self, axis, keepdims)

    def mean(self, axis: int | tuple[int, ...] | None = None, *, keepdims: bool = False) -> Variable:
        """Mean over some axes (default: all)."""
        return reduction.mean(self, axis, keepdims)

    def astype(self, dtype: Any) -> Variable:
        """The elements converted to another dtype."""
        return shape.cast(self, dtype)

    def dot(self, other: Any) -> Variable:
        """Matrix product with `other`."""
        return product.matmul(self, other)
