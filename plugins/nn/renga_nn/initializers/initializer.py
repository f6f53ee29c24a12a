"""The base classes of initializers, and functions that use them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, Device, get_backend, get_device
from renga_core.configuration import config
from renga_core.random import generator

__all__ = ["Initializer", "fans", "generate_array"]


class Initializer:
    """Fills arrays: subclass it and define ``__call__(array)``, which fills `array` in place.

    Args:
        dtype: Dtype of the parameters to fill; ``config.dtype`` if None.

    >>> class Ramp(Initializer):
    ...     def __call__(self, array):
    ...         array[...] = array.size
    >>> from renga.links import Linear
    >>> Linear(3, 2, initialW=Ramp()).W.array.max().item()
    6.0
    """

    def __init__(self, dtype: Any = None) -> None:
        self.dtype = None if dtype is None else np.dtype(dtype)

    def __call__(self, array: Array) -> None:
        """Fill `array` in place."""
        raise NotImplementedError(f"{type(self).__name__} does not define __call__(array)")

    def __repr__(self) -> str:
        shown = ", ".join(f"{name}={value!r}" for name, value in vars(self).items() if value is not None)
        return f"{type(self).__name__}({shown})"


class RandomInitializer(Initializer):
    """The base class of random initializers.

    Args:
        dtype: See `Initializer`.
        rng: A generator with NumPy's methods; default: the generator of the array's backend, seeded by
            `renga.random.seed`.
    """

    def __init__(self, dtype: Any = None, rng: Any = None) -> None:
        super().__init__(dtype)
        self.rng = rng

    def generator_for(self, array: Array) -> Any:
        """The generator for an array."""
        return generator(get_backend(array)) if self.rng is None else self.rng


def fans(shape: Sequence[int]) -> tuple[int, int]:
    """Return the number of inputs per output (fan-in), and of outputs per input (fan-out).

    Args:
        shape: Shape of weights ``(outputs, inputs, *window)``.

    Raises:
        ValueError: There are fewer than two axes, or no inputs.
    """
    if len(shape) < 2:
        raise ValueError(
            f"fan-in and fan-out are defined for weights of two axes and more, not for the shape {tuple(shape)}"
        )
    if 0 in shape[1:]:
        raise ValueError(f"fan-in is defined for weights with at least one input, not for the shape {tuple(shape)}")
    window = math.prod(shape[2:])
    return shape[1] * window, shape[0] * window


def generate_array(
    initializer: Any, shape: int | Sequence[int], xp: Any = None, dtype: Any = None, device: str | Device | None = None
) -> Array:
    """A new array, filled by an initializer.

    Args:
        initializer: A callable that fills an array, with an optional attribute `dtype`.
        shape: Shape of the array.
        xp: Namespace of the array; used only if `device` is None. Default: NumPy.
        dtype: Dtype; default: the initializer's, or ``config.dtype``. It must not contradict the initializer's.
        device: Device of the array.

    Raises:
        ValueError: `dtype` differs from the initializer's.

    >>> from renga_nn.initializers import Constant
    >>> generate_array(Constant(0.5), (2, 2)).tolist()
    [[0.5, 0.5], [0.5, 0.5]]
    """
    own = getattr(initializer, "dtype", None)
    if dtype is not None and own is not None and np.dtype(own) != np.dtype(dtype):
        raise ValueError(f"generate_array: dtype is {np.dtype(dtype)}, but {initializer!r} makes {np.dtype(own)}")
    chosen = own if dtype is None else dtype
    chosen = config.dtype if chosen is None else chosen
    if device is not None:
        target = get_device(device)
        with target.use():
            array = target.xp.empty(shape, dtype=chosen)
            initializer(array)
    else:
        array = (np if xp is None else xp).empty(shape, dtype=chosen)
        initializer(array)
    return array
