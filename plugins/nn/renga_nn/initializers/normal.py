"""Initializers with normally distributed numbers."""

from __future__ import annotations

import math
from typing import Any, Literal

from renga_core.backend import Array
from renga_nn.initializers.initializer import RandomInitializer, fans

__all__ = ["GlorotNormal", "HeNormal", "LeCunNormal", "Normal"]


class _NormalBase(RandomInitializer):
    """Fill with normal numbers of mean 0, with a standard deviation that depends on the shape of the weights."""

    def __init__(self, scale: float = 1.0, dtype: Any = None, *, rng: Any = None) -> None:
        super().__init__(dtype, rng)
        self.scale = scale

    def __call__(self, array: Array) -> None:
        """Fill `array` in place."""
        array[...] = self.generator_for(array).normal(0.0, self.deviation(array.shape), array.shape)

    def deviation(self, shape: tuple[int, ...]) -> float:
        """The standard deviation for weights of this shape."""
        return self.scale


class Normal(_NormalBase):
    """Fill with normally distributed numbers of mean 0.

    Args:
        scale: Standard deviation.
        dtype, rng: See `RandomInitializer`.

    >>> from renga.links import Linear
    >>> Linear(3, 2, initialW=Normal(0.02)).W.shape
    (2, 3)
    """

    def __init__(self, scale: float = 0.05, dtype: Any = None, *, rng: Any = None) -> None:
        super().__init__(scale, dtype, rng=rng)


class LeCunNormal(_NormalBase):
    """Normal with standard deviation ``scale * sqrt(1 / fan_in)`` (LeCun et al. 1998, eq. 16). The default of most
    links.

    Args:
        scale: Factor on the standard deviation.
        dtype, rng: See `RandomInitializer`.

    >>> from renga.links import Linear
    >>> Linear(3, 2, initialW=LeCunNormal()).W.shape
    (2, 3)
    """

    def deviation(self, shape: tuple[int, ...]) -> float:
        """From fan-in."""
        return self.scale * math.sqrt(1 / fans(shape)[0])


class GlorotNormal(_NormalBase):
    """Normal with standard deviation ``scale * sqrt(2 / (fan_in + fan_out))`` (Glorot & Bengio 2010, eq. 12).

    Args:
        scale: Factor on the standard deviation.
        dtype, rng: See `RandomInitializer`.

    >>> from renga.links import Linear
    >>> Linear(3, 2, initialW=GlorotNormal()).W.shape
    (2, 3)
    """

    def deviation(self, shape: tuple[int, ...]) -> float:
        """From fan-in and fan-out."""
        return self.scale * math.sqrt(2 / sum(fans(shape)))


class HeNormal(_NormalBase):
    """Normal with standard deviation ``scale * sqrt(2 / fan)`` (He et al. 2015, eq. 10 and 14): for layers before ReLU.

    Args:
        scale: Factor on the standard deviation.
        dtype: See `RandomInitializer`.
        fan_option: ``"fan_in"`` preserves the variance of outputs, ``"fan_out"`` the variance of gradients.
        rng: See `RandomInitializer`.

    Raises:
        ValueError: `fan_option` is neither.

    >>> from renga.links import Linear
    >>> Linear(3, 2, initialW=HeNormal()).W.shape
    (2, 3)
    """

    def __init__(
        self,
        scale: float = 1.0,
        dtype: Any = None,
        fan_option: Literal["fan_in", "fan_out"] = "fan_in",
        *,
        rng: Any = None,
    ) -> None:
        super().__init__(scale, dtype, rng=rng)
        if fan_option not in ("fan_in", "fan_out"):
            raise ValueError(f"HeNormal: fan_option must be 'fan_in' or 'fan_out', not {fan_option!r}")
        self.fan_option = fan_option

    def deviation(self, shape: tuple[int, ...]) -> float:
        """From the selected fan."""
        return self.scale * math.sqrt(2 / fans(shape)[self.fan_option == "fan_out"])
