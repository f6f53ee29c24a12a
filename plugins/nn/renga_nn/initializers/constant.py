"""Initializers without random numbers."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array, get_backend, get_device
from renga_core.graph.errors import describe_array
from renga_nn.initializers.initializer import Initializer

__all__ = ["Constant", "Identity", "NaN", "One", "Zero"]


class _Constant(Initializer):
    """Fill with a value."""

    def __init__(self, fill_value: Any, dtype: Any = None) -> None:
        super().__init__(dtype)
        self.fill_value = fill_value

    def __call__(self, array: Array) -> None:
        """Fill `array` in place.

        Raises:
            ValueError: The value is an array that does not fit.
        """
        value = self.fill_value
        if hasattr(value, "shape") and get_backend(value) is not get_backend(array):
            value = get_device(array).send(value)
        try:
            array[...] = value
        except ValueError as error:
            raise ValueError(
                f"a constant of {describe_array(value)} does not fit a parameter of {describe_array(array)}"
            ) from error


class Constant(_Constant):
    """Fill with a value.

    Args:
        fill_value: A number, or an array of the parameter's shape (or one that broadcasts to it), on any device.
        dtype: See `Initializer`.

    >>> from renga.links import Linear
    >>> Linear(3, 2, initialW=Constant(0.5)).W.shape
    (2, 3)
    """


class Zero(_Constant):
    """Fill with 0.

    >>> from renga.links import Linear
    >>> Linear(3, 2, initialW=Zero()).W.shape
    (2, 3)
    """

    def __init__(self, dtype: Any = None) -> None:
        super().__init__(0.0, dtype)


class One(_Constant):
    """Fill with 1.

    >>> from renga.links import Linear
    >>> Linear(3, 2, initialW=One()).W.shape
    (2, 3)
    """

    def __init__(self, dtype: Any = None) -> None:
        super().__init__(1.0, dtype)


class NaN(_Constant):
    """Fill with NaN, so that a missing assignment is noticed.

    >>> from renga.links import Linear
    >>> Linear(3, 2, initialW=NaN()).W.shape
    (2, 3)
    """

    def __init__(self, dtype: Any = None) -> None:
        super().__init__(float("nan"), dtype)


class Identity(Initializer):
    """Fill a square matrix with a multiple of the identity.

    Args:
        scale: The value on the diagonal.
        dtype: See `Initializer`.

    >>> from renga.links import Linear
    >>> Linear(2, 2, initialW=Identity()).W.array.tolist()
    [[1.0, 0.0], [0.0, 1.0]]
    """

    def __init__(self, scale: float = 1.0, dtype: Any = None) -> None:
        super().__init__(dtype)
        self.scale = scale

    def __call__(self, array: Array) -> None:
        """Fill `array` in place.

        Raises:
            ValueError: `array` is not a square matrix.
        """
        if array.ndim != 2 or array.shape[0] != array.shape[1]:
            raise ValueError(f"Identity can fill only square matrices, not {describe_array(array)}")
        array[...] = get_backend(array).xp.eye(array.shape[0], dtype=array.dtype) * self.scale
