"""Divergences between two distributions, from an extensible table of formulas."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from renga_nn.distributions.distribution import Distribution

if TYPE_CHECKING:
    from renga_core.graph import Variable

__all__ = ["cross_entropy", "kl_divergence", "register_kl"]

Formula = TypeVar("Formula", bound=Callable[..., "Variable"])

_FORMULAS: dict[tuple[type, type], Callable[..., Variable]] = {}


def register_kl(Dist1: type[Distribution], Dist2: type[Distribution]) -> Callable[[Formula], Formula]:
    """Return a decorator that registers a function for `kl_divergence` of these classes and their subclasses.

    The function takes two distributions, and returns a Variable of their broadcast `batch_shape`. It replaces an
    earlier registration.

    >>> from renga_nn.distributions import Distribution
    >>> class Nothing(Distribution):
    ...     pass
    >>> @register_kl(Nothing, Nothing)
    ... def between(dist1, dist2):
    ...     return 0.0
    >>> kl_divergence(Nothing(), Nothing())
    0.0
    """

    def register(formula: Formula) -> Formula:
        _FORMULAS[Dist1, Dist2] = formula
        return formula

    return register


def kl_divergence(dist1: Distribution, dist2: Distribution) -> Variable:
    """The mean of ``dist1.log_prob(x) - dist2.log_prob(x)`` over samples x of `dist1` (Kullback & Leibler 1951).

    Infinite if `dist1` has possible values that `dist2` does not have.

    Args:
        dist1, dist2: Distributions whose batch shapes broadcast.

    Returns:
        Variable of their batch shape.

    Raises:
        NotImplementedError: There is no formula for the two classes or their base classes.

    >>> import numpy as np
    >>> from renga_nn.distributions import Normal
    >>> kl_divergence(Normal(np.zeros(1), 1), Normal(np.ones(1), 1)).array.tolist()
    [0.5]
    """
    for first in type(dist1).__mro__:
        for second in type(dist2).__mro__:
            formula = _FORMULAS.get((first, second))
            if formula is not None:
                return formula(dist1, dist2)
    names = f"{type(dist1).__name__} and {type(dist2).__name__}"
    raise NotImplementedError(f"kl_divergence: there is no formula for {names}. Next: add one with register_kl")


def cross_entropy(dist1: Distribution, dist2: Distribution) -> Variable:
    """The mean of ``-dist2.log_prob(x)`` over samples x of `dist1`. Arguments and errors as for `kl_divergence`.

    >>> import numpy as np
    >>> from renga_nn.distributions import Bernoulli
    >>> cross_entropy(Bernoulli(np.array([0.5])), Bernoulli(np.array([0.25]))).array.round(4).tolist()
    [0.837]
    """
    return dist1.entropy + kl_divergence(dist1, dist2)
