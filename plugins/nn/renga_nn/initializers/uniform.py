"""Initializers with uniformly distributed numbers."""

from __future__ import annotations

import math
from typing import Any

from renga_core.backend import Array
from renga_nn.initializers.initializer import RandomInitializer, fans

__all__ = ["GlorotUniform", "HeUniform", "LeCunUniform", "Uniform"]


class _UniformBase(RandomInitializer):
    """Fill with uniform numbers of mean 0, with a range that depends on the shape of the weights."""

    def __init__(self, scale: float = 1.0, dtype: Any = None, *, rng: Any = None) -> None:
        super().__init__(dtype, rng)
        self.scale = scale

    def __call__(self, array: Array) -> None:
        """Fill `array` in place."""
        limit = self.limit(array.shape)
        array[...] = self.generator_for(array).uniform(-limit, limit, array.shape)

    def limit(self, shape: tuple[int, ...]) -> float:
        """Half the range for weights of this shape."""
        return self.scale


class Uniform(_UniformBase):
    """Fill with uniform numbers in ``[-scale, scale]``.

    Args:
        scale: Half the range.
        dtype, rng: See `RandomInitializer`.

    >>> from renga.links import Linear
    >>> Linear(3, 2, initialW=Uniform(0.1)).W.shape
    (2, 3)
    """

    def __init__(self, scale: float = 0.05, dtype: Any = None, *, rng: Any = None) -> None:
        super().__init__(scale, dtype, rng=rng)


class LeCunUniform(_UniformBase):
    """Uniform with limit ``scale * sqrt(3 / fan_in)``: the same variance as `LeCunNormal`.

    Args:
        scale: Factor on the limit.
        dtype, rng: See `RandomInitializer`.

    >>> from renga.links import Linear
    >>> Linear(3, 2, initialW=LeCunUniform()).W.shape
    (2, 3)
    """

    def limit(self, shape: tuple[int, ...]) -> float:
        """From fan-in."""
        return self.scale * math.sqrt(3 / fans(shape)[0])


class GlorotUniform(_UniformBase):
    """Uniform with limit ``scale * sqrt(6 / (fan_in + fan_out))`` (Glorot & Bengio 2010, eq. 16).

    Args:
        scale: Factor on the limit.
        dtype, rng: See `RandomInitializer`.

    >>> from renga.links import Linear
    >>> Linear(3, 2, initialW=GlorotUniform()).W.shape
    (2, 3)
    """

    def limit(self, shape: tuple[int, ...]) -> float:
        """From fan-in and fan-out."""
        return self.scale * math.sqrt(6 / sum(fans(shape)))


class HeUniform(_UniformBase):
    """Uniform with limit ``scale * sqrt(6 / fan_in)``: the same variance as `HeNormal`.

    Args:
        scale: Factor on the limit.
        dtype, rng: See `RandomInitializer`.

    >>> from renga.links import Linear
    >>> Linear(3, 2, initialW=HeUniform()).W.shape
    (2, 3)
    """

    def limit(self, shape: tuple[int, ...]) -> float:
        """From fan-in."""
        return self.scale * math.sqrt(6 / fans(shape)[0])
