"""Loss scaling, which keeps small gradients from underflowing in half precision."""

from __future__ import annotations

__all__ = ["DynamicLossScale"]

HIGHEST = 65504.0
"""The largest finite float16: the gradient of the scaled loss with respect to itself must be representable."""


class DynamicLossScale:
    """A factor on the loss that grows while gradients are finite, and is halved when they are not.

    Micikevicius et al., Mixed Precision Training (arXiv:1710.03740), section 3.2.

    Args:
        interval: Number of updates in which the factor doubles.
        initial: The initial factor.

    Raises:
        ValueError: `interval` is less than 1, or `initial` is not in the range 1 to 65504.

    Attributes:
        value: The factor, from 1 to 65504.
    """

    def __init__(self, interval: int, initial: float = 1.0) -> None:
        if interval < 1:
            raise ValueError(f"the interval for doubling the loss scale must be at least 1 update, not {interval}")
        if not 1 <= initial <= HIGHEST:
            raise ValueError(f"a loss scale must be from 1 to {HIGHEST:g}, not {initial}")
        self.value = float(initial)
        self._growth = 2.0 ** (1.0 / interval)

    def adjust(self, finite: bool) -> None:
        """Adapt the factor: `finite` says whether the gradients of an update were finite."""
        self.value = min(HIGHEST, max(1.0, self.value * (self._growth if finite else 0.5)))
