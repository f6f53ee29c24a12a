"""Adds a loss for the classes of pixels to a network."""

from __future__ import annotations

from typing import Any, Self

from renga_core.backend import Device
from renga_core.graph import Variable
from renga_core.link import Chain, Link
from renga_core.reporter import report
from renga_nn.functions.loss import softmax_cross_entropy

__all__ = ["PixelwiseSoftmaxClassifier"]


class PixelwiseSoftmaxClassifier(Chain):
    """The softmax cross entropy of the classes of pixels; reported as ``loss``.

    Args:
        predictor: The network: class scores ``(N, n_class, H, W)`` for images.
        ignore_label: Pixels with this label are ignored.
        class_weight: Array ``(n_class,)`` of factors on the losses of classes; None for 1.

    Attributes: see the arguments.
    """

    def __init__(self, predictor: Link, ignore_label: int = -1, class_weight: Any = None) -> None:
        super().__init__()
        with self.init_scope():
            self.predictor = predictor
        self.ignore_label = ignore_label
        self.class_weight = class_weight

    def to_device(self, device: str | Device) -> Self:
        """Move the network and the weights of classes."""
        super().to_device(device)
        if self.class_weight is not None:
            self.class_weight = self.device.send(self.class_weight)
        return self

    def forward(self, x: Any, t: Any) -> Variable:
        """The loss, of shape ``()``.

        Args:
            x: Images.
            t: Labels int32 ``(N, H, W)``.
        """
        y = self.predictor(x)
        loss = softmax_cross_entropy(y, t, class_weight=self.class_weight, ignore_label=self.ignore_label)
        report({"loss": loss}, self)
        return loss
