"""Spectral normalization."""

from __future__ import annotations

import math

import numpy as np

from renga_core.backend import Array, get_backend, to_host
from renga_core.configuration import config
from renga_core.graph import Parameter, Variable
from renga_core.graph.operators import matmul, reshape, transpose
from renga_core.graph.operators import sum as sum_of
from renga_core.link import Link
from renga_nn.functions.math import sqrt, square
from renga_nn.initializers import generate_array
from renga_nn.initializers.constant import Constant
from renga_nn.initializers.normal import Normal
from renga_nn.link_hooks.weight import WeightHook, output_axis

__all__ = ["SpectralNormalization"]


class SpectralNormalization(WeightHook):
    """Divides the weight, as a matrix with one row per output, by its largest singular value.

    After Miyato et al. (2018). The singular value is computed by power iteration, from a vector that is kept between
    calls in training. Gradients flow through the division. The vector does not change in test mode, nor when a part of
    the graph is recomputed (`forget`).

    The link gets a persistent array ``W_u``, the vector, which is saved with it. With `use_gamma` it also gets a
    parameter ``W_gamma``. With another `weight_name`, this name replaces ``W``.

    Args:
        n_power_iteration: Number of iterations for each call in training, at least 1.
        eps: Added to norms to avoid division by zero.
        use_gamma: Multiply by a trained number, initially the largest singular value.
        factor: Divide the singular value by this number; None: 1.
        weight_name: Name of the weight.
        name: Name of the hook.

    Raises:
        ValueError: `n_power_iteration` is less than 1.

    >>> from renga_nn.links import Convolution2D
    >>> link = Convolution2D(3, 5, 3).add_hook(SpectralNormalization())
    >>> link.W_u.shape
    (1, 5)
    """

    name = "SpectralNormalization"

    def __init__(
        self,
        n_power_iteration: int = 1,
        eps: float = 1e-6,
        use_gamma: bool = False,
        factor: float | None = None,
        weight_name: str = "W",
        name: str | None = None,
    ) -> None:
        if n_power_iteration < 1:
            raise ValueError(f"SpectralNormalization: n_power_iteration is {n_power_iteration}; it must be at least 1")
        super().__init__(weight_name, name)
        self.n_power_iteration = n_power_iteration
        self.eps = eps
        self.use_gamma = use_gamma
        self.factor = factor
        self.vector_name = f"{weight_name}_u"
        self.gamma_name = f"{weight_name}_gamma"

    def added(self, link: Link | None) -> None:
        """Register the vector and gamma, so that a file can be loaded before the first call.

        Raises:
            TypeError, ValueError: See `WeightHook`.
        """
        self.weight_of(link)
        if link is not None:
            link.add_persistent(self.vector_name, None)
            if self.use_gamma:
                with link.init_scope():
                    setattr(link, self.gamma_name, Parameter())
        super().added(link)

    def prepare(self, link: Link, W: Variable) -> None:
        """Draw the vector, and initialize gamma with the largest singular value."""
        if getattr(link, self.vector_name) is None:
            shape = (1, W.shape[output_axis(link)])
            setattr(link, self.vector_name, generate_array(Normal(1.0), shape, dtype=W.dtype, device=W.device))
        gamma = getattr(link, self.gamma_name, None)
        if gamma is not None and gamma.array is None:
            matrix = to_host(_rows(W, output_axis(link))).astype(np.float64)
            largest = float(np.linalg.svd(matrix, compute_uv=False)[0])
            gamma.initializer = Constant(largest, dtype=W.dtype)
            gamma.initialize(())

    def deleted(self, link: Link | None) -> None:
        """Remove the vector and gamma."""
        for name in (self.vector_name, self.gamma_name):
            if link is not None and hasattr(link, name):
                delattr(link, name)

    def computed(self, link: Link, W: Variable) -> Variable:
        """The weight divided by the current estimate of the largest singular value."""
        matrix = _rows(W, output_axis(link))
        u = getattr(link, self.vector_name)
        if config.train and not config.in_recomputing:
            for _ in range(self.n_power_iteration):
                v = self._normalized(u @ matrix.array)
                u = self._normalized(v @ matrix.array.T)
            setattr(link, self.vector_name, u)
        # u W v for v = u W / |u W| is the singular value if u is its vector. That u depends on W is neglected (ibid.).
        sigma = sqrt(sum_of(square(matmul(u, matrix))))
        if self.factor is not None:
            sigma = sigma / self.factor
        weight = W / sigma
        return weight * getattr(link, self.gamma_name) if self.use_gamma else weight

    def _normalized(self, x: Array) -> Array:
        return x / (get_backend(x).xp.sqrt((x * x).sum()) + self.eps)


def _rows(W: Variable, axis: int) -> Variable:
    """The weight as a matrix with one row per output."""
    if axis:
        W = transpose(W, (axis, *[a for a in range(W.ndim) if a != axis]))
    return reshape(W, (W.shape[0], math.prod(W.shape[1:])))
