"""Distributions of single numbers."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array
from renga_core.graph import Variable
from renga_nn.distributions.arguments import Shape, parameters, points
from renga_nn.distributions.distribution import Distribution
from renga_nn.functions import floor, where

__all__ = ["Univariate", "no_integer"]


class Univariate(Distribution):
    """A distribution of numbers. All its parameters have the shape `batch_shape`.

    A subclass defines `_log_prob`, which gets points of the support only. If the support is not all real numbers, it
    also defines `_outside` and `_inside_point`.
    """

    _params: dict[str, Variable]
    _batch_shape: Shape

    def _accept(self, **given: Any) -> list[Variable]:
        """Check and store the parameters as Variables of the batch shape."""
        full, self._batch_shape = parameters(type(self).__name__, {name: (x, 0) for name, x in given.items()})
        self._params = dict(zip(given, full, strict=True))
        return full

    @property
    def params(self) -> dict[str, Variable]:
        """Like `Distribution.params`."""
        return dict(self._params)

    @property
    def batch_shape(self) -> Shape:
        """The shape of the parameters."""
        return self._batch_shape

    @property
    def event_shape(self) -> Shape:
        """``()``: a sample is a number."""
        return ()

    def log_prob(self, x: Any) -> Variable:
        """The logarithm of the density, or of the probability of a discrete value, at `x`; -inf outside the support.

        Raises:
            InvalidType: `x` does not broadcast with the parameters.
        """
        at = self._points("log_prob", x)
        outside = self._outside(at.array)
        if outside is None:
            return self._log_prob(at)
        return where(outside, float("-inf"), self._log_prob(where(outside, self._inside_point(), at)))

    def _log_prob(self, x: Variable) -> Variable:
        """`log_prob` at points of the support."""
        raise self._missing("log_prob")

    def _outside(self, x: Array) -> Array | None:
        """A mask of points outside the support; None if there are none. NaN counts as inside, so that it stays NaN."""
        return None

    def _inside_point(self) -> Any:
        """A point of the support that replaces points outside during the computation."""
        raise NotImplementedError

    def _points(self, member: str, x: Any) -> Variable:
        """Check the points given to a member."""
        return points(f"{type(self).__name__}.{member}", x, self._like, self._batch_shape)

    def _levels(self, x: Any) -> Variable:
        """Check the probabilities given to `icdf`; invalid ones become NaN."""
        at = self._points("icdf", x)
        return where((at.array < 0) | (at.array > 1), float("nan"), at)

    @property
    def _like(self) -> Variable:
        """One of the parameters."""
        return next(iter(self._params.values()))

    def _constant(self, value: float) -> Variable:
        """The same number for each distribution of the batch."""
        like = self._like
        return Variable(like.xp.full(self._batch_shape, value, dtype=like.dtype), requires_grad=False)


def no_integer(x: Array) -> Array:
    """A mask of numbers that are not integers."""
    return (x - floor(x).array) > 0
