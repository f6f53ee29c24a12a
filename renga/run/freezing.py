"""A trained network that becomes a frozen model while it predicts."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np

from renga_core.errors import RengaError
from renga_core.graph import Variable
from renga_core.link import Link

__all__ = ["AFTER", "freezing"]

AFTER = 3
"""Calls before the network is frozen: freezing takes the time of about five."""

_LOG = logging.getLogger("renga.run")


def freezing(target: Link) -> Link:
    """Copy a trained link, with the same weights, so that its network is frozen after some calls of the same shapes.

    The network is `target.predictor`. It is called as it is if there is no plugin that freezes, if it cannot be frozen,
    or if it is given arrays of other shapes or on another device; the log tells the first two, at level DEBUG.

    Args:
        target: In test mode. Its weights must not change afterwards.
    """
    made = target.copy()
    network = getattr(made, "predictor", None)
    if isinstance(network, Link):
        vars(network)["forward"] = _Freezing(network.copy())
    return made


class _Freezing:
    """The forward computation of a network."""

    def __init__(self, network: Link) -> None:
        self._network = network
        self._looks: list[Any] | None = None
        self._calls = 0
        self._frozen: Any = None

    def __call__(self, *arguments: Any, **options: Any) -> Any:
        """Compute."""
        if options or not all(type(x) is np.ndarray and x.ndim for x in arguments):
            return self._network(*arguments, **options)
        looks = [(x.shape[1:], x.dtype) for x in arguments]
        if looks != self._looks:
            self._looks, self._calls, self._frozen = looks, 0, None
        self._calls += 1
        if self._calls == AFTER + 1:
            self._freeze(arguments)
        if self._frozen is None:
            return self._network(*arguments)
        return Variable(self._frozen(*arguments), requires_grad=False)

    def _freeze(self, arguments: Any) -> None:
        import renga

        try:
            frozen = renga.inference(self._network, *arguments)
            if frozen.program.fixed:
                raise RengaError(f"only for a batch of {frozen.program.batch}: {frozen.program.fixed}")
            if type(frozen(*arguments)) is not np.ndarray:
                raise RengaError("it returns several arrays")
        except RengaError as error:  # plugin errors included
            _LOG.debug("the network is computed as it is, not frozen: %s", error)
        else:
            self._frozen = frozen
