"""The normal distribution of vectors."""

from __future__ import annotations

import math
from typing import Any

from renga_core.graph import InvalidType, Variable
from renga_core.graph.errors import describe_array
from renga_nn.distributions import sampling
from renga_nn.distributions.arguments import Shape, parameters, points
from renga_nn.distributions.distribution import Distribution
from renga_nn.distributions.kl import register_kl
from renga_nn.functions import absolute, batch_inv, diagonal, expand_dims, log, matmul, squeeze, swapaxes, where

__all__ = ["MultivariateNormal"]


class MultivariateNormal(Distribution):
    """The normal distribution of vectors with covariance ``L Lᵀ``, where L is `scale_tril`.

    Samples can be differentiated with respect to the parameters.

    Args:
        loc: Means ``(..., d)``: Variable or array.
        scale_tril: Lower triangular matrices ``(..., d, d)`` with a nonzero diagonal. Elements above it are ignored.

    Raises:
        ValueError: `scale_tril` is missing.
        InvalidType: The parameters are not floating, or their shapes do not fit.

    >>> import numpy as np
    >>> d = MultivariateNormal(np.zeros(2), scale_tril=np.array([[1.0, 0.0], [2.0, 1.0]]))
    >>> d.covariance.array.tolist()
    [[1.0, 2.0], [2.0, 5.0]]
    """

    def __init__(self, loc: Any, *, scale_tril: Any = None) -> None:
        if scale_tril is None:
            raise ValueError("MultivariateNormal: give scale_tril, the Cholesky factor of the covariance")
        given = {"loc": (loc, 1), "scale_tril": (scale_tril, 2)}
        (self.loc, matrix), self._batch_shape = parameters("MultivariateNormal", given)
        size = self.loc.shape[-1]
        if tuple(matrix.shape[-2:]) != (size, size):
            expected = f"matrices ({size}, {size}) to fit loc: {describe_array(loc)}"
            raise InvalidType("MultivariateNormal", "scale_tril", expected, describe_array(scale_tril))
        number = matrix.xp.arange(size)
        self.scale_tril = where(number[:, None] >= number, matrix, 0)

    @property
    def params(self) -> dict[str, Variable]:
        """`loc` and `scale_tril`."""
        return {"loc": self.loc, "scale_tril": self.scale_tril}

    @property
    def batch_shape(self) -> Shape:
        """The shape of `loc` without the last axis."""
        return self._batch_shape

    @property
    def event_shape(self) -> Shape:
        """``(d,)``."""
        return (self.loc.shape[-1],)

    @property
    def support(self) -> str:
        """All vectors."""
        return "real"

    def sample_n(self, n: int) -> Variable:
        """``loc + L z``."""
        z = sampling.normal(self.loc, (n, *self.loc.shape, 1))
        return squeeze(matmul(self.scale_tril, z), -1) + self.loc

    def log_prob(self, x: Any) -> Variable:
        """The logarithm of the density at vectors `x`."""
        at = points("MultivariateNormal.log_prob", x, self.loc, self.batch_shape, self.event_shape)
        z = matmul(self._inverse, expand_dims(at - self.loc, -1))
        return (z * z).sum((-2, -1)) * -0.5 - self._log_det - 0.5 * math.log(2 * math.pi) * self.loc.shape[-1]

    @property
    def mean(self) -> Variable:
        """`loc`."""
        return self.loc

    @property
    def mode(self) -> Variable:
        """`loc`."""
        return self.loc

    @property
    def variance(self) -> Variable:
        """The diagonal of `covariance`."""
        return (self.scale_tril * self.scale_tril).sum(-1)

    @property
    def covariance(self) -> Variable:
        """``L Lᵀ``."""
        return matmul(self.scale_tril, swapaxes(self.scale_tril, -1, -2))

    @property
    def entropy(self) -> Variable:
        """``log |det L| + d/2 log(2πe)``."""
        return self._log_det + 0.5 * math.log(2 * math.pi * math.e) * self.loc.shape[-1]

    @property
    def _log_det(self) -> Variable:
        return log(absolute(diagonal(self.scale_tril, axis1=-2, axis2=-1))).sum(-1)

    @property
    def _inverse(self) -> Variable:
        size = self.loc.shape[-1]
        return batch_inv(self.scale_tril.reshape(-1, size, size)).reshape(self.scale_tril.shape)


@register_kl(MultivariateNormal, MultivariateNormal)
def _multivariate_normal(dist1: MultivariateNormal, dist2: MultivariateNormal) -> Variable:
    inverse = dist2._inverse
    ratio = matmul(inverse, dist1.scale_tril)
    away = matmul(inverse, expand_dims(dist1.loc - dist2.loc, -1))
    squares = (ratio * ratio).sum((-2, -1)) + (away * away).sum((-2, -1))
    return dist2._log_det - dist1._log_det + (squares - dist1.loc.shape[-1]) / 2
