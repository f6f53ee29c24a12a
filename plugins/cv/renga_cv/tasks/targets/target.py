"""The base class of losses of networks that find objects."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from renga_core.graph import Variable
from renga_core.link import Chain, Link
from renga_core.reporter import report

__all__ = ["Array", "DetectionTarget", "mean_of_pictures"]

Array = np.ndarray[Any, Any]


class DetectionTarget(Chain):
    """The loss of a network that finds objects: the sum of `losses`; each is reported by name.

    Args:
        predictor: The network.
    """

    predictor: Any

    def __init__(self, predictor: Link) -> None:
        super().__init__()
        with self.init_scope():
            self.predictor = predictor

    def forward(self, images: Sequence[Array], truth: Sequence[Array], labels: Sequence[Array]) -> Variable:
        """Return the loss. All arguments are lists of host arrays, one entry per picture.

        Args:
            images: float32 ``(3, H, W)``, RGB from 0 to 255.
            truth: Boxes float32 ``(R, 4)`` or masks bool ``(R, H, W)``.
            labels: The classes, int32 ``(R,)``.
        """
        losses = self.losses(images, truth, labels)
        first, *others = losses.values()
        loss: Variable = sum(others, first)
        report({"loss": loss, **losses}, self)
        return loss

    @abstractmethod
    def losses(self, images: Sequence[Array], truth: Sequence[Array], labels: Sequence[Array]) -> dict[str, Variable]:
        """Return the parts of the loss, by name. For the arguments, see `forward`."""


def mean_of_pictures(losses: Sequence[dict[str, Variable]]) -> dict[str, Variable]:
    """Return the means of losses over pictures."""
    return {name: sum((each[name] for each in losses[1:]), losses[0][name]) / len(losses) for name in losses[0]}
