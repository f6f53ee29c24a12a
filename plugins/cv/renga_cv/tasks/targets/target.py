"""What the losses of networks that find objects have in common."""

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
    """The loss of a network that finds objects: the sum of `losses`, which it reports, each by its name.

    Args:
        predictor: The network.
    """

    predictor: Any

    def __init__(self, predictor: Link) -> None:
        super().__init__()
        with self.init_scope():
            self.predictor = predictor

    def forward(self, images: Sequence[Array], truth: Sequence[Array], labels: Sequence[Array]) -> Variable:
        """The loss of pictures. All arguments are lists of host arrays, an entry for each picture.

        Args:
            images: float32 ``(3, H, W)``, RGB from 0 to 255.
            truth: Boxes float32 ``(R, 4)`` or masks bool ``(R, H, W)``.
            labels: Their classes, int32 ``(R,)``.
        """
        losses = self.losses(images, truth, labels)
        first, *others = losses.values()
        loss: Variable = sum(others, first)
        report({"loss": loss, **losses}, self)
        return loss

    @abstractmethod
    def losses(self, images: Sequence[Array], truth: Sequence[Array], labels: Sequence[Array]) -> dict[str, Variable]:
        """The parts of the loss, by name; arguments as of `forward`."""


def mean_of_pictures(losses: Sequence[dict[str, Variable]]) -> dict[str, Variable]:
    """The means over pictures of losses that each picture has."""
    return {name: sum((each[name] for each in losses[1:]), losses[0][name]) / len(losses) for name in losses[0]}
