"""SegNet-Basic (Badrinarayanan et al. 2015)."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_cv.links.model.inference import inference
from renga_cv.links.model.segmentation import Host, labels_of, predict_by_shape
from renga_cv.utils.pretrained import (
    PublishedModel,
    load_pretrained_model,
    prepare_pretrained_model,
    published,
)
from renga_nn.functions.normalization import local_response_normalization
from renga_nn.functions.pooling import max_pooling_2d, upsampling_2d
from renga_nn.initializers import HeNormal
from renga_nn.links.batch_normalization import BatchNormalization, normalize_and_activate
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["SegNetBasic"]

N_STEPS = 4
CHANNELS = 64


class SegNetBasic(Chain):
    """A network for semantic segmentation: four poolings and, in reverse order, their inverses.

    The encoder keeps which element of each window was the largest; the decoder puts its elements back there
    (Badrinarayanan et al. 2015, section 3, "SegNet-Basic").

    Args:
        n_class: Number of classes.
        pretrained_model: The file of trained weights, or ``"camvid"`` for those that ChainerCV's authors have
            published (see `renga_cv.utils.pretrained`); None for none.
        initialW: Initializer of filters. Default: HeNormal.

    Raises:
        ValueError, FileNotFoundError, DownloadError: As from `prepare_pretrained_model`.
        FileDamaged, FileMismatched: As from `load_pretrained_model`.

    Attributes:
        n_class: As given.
        conv1, conv1_bn, ...: The encoder.
        conv_decode4, conv_decode4_bn, ...: The decoder, in reverse order.
        conv_classifier: The scores of the classes.
    """

    _models: ClassVar[Mapping[str, PublishedModel]] = {
        "camvid": published("segnet_camvid_trained_2018_12_05.npz", n_class=11),
    }

    def __init__(
        self,
        n_class: int | None = None,
        pretrained_model: str | os.PathLike[str] | None = None,
        initialW: Any = None,
    ) -> None:
        param, path = prepare_pretrained_model({"n_class": n_class}, pretrained_model, self._models)
        super().__init__()
        self.n_class: int = param["n_class"]
        initialW = HeNormal() if initialW is None else initialW
        with self.init_scope():
            for prefix in ("conv", "conv_decode"):
                for step in range(1, N_STEPS + 1):
                    channels = 3 if prefix == "conv" and step == 1 else CHANNELS
                    name = f"{prefix}{step}"
                    setattr(self, name, Convolution2D(channels, CHANNELS, 7, 1, 3, nobias=True, initialW=initialW))
                    setattr(self, f"{name}_bn", BatchNormalization(CHANNELS, initial_beta=0.001))
            self.conv_classifier = Convolution2D(CHANNELS, self.n_class, 1, initialW=initialW)
        load_pretrained_model(self, path, heads=() if n_class is None else ("conv_classifier",))

    def forward(self, x: Any) -> Variable:
        """Compute class scores, ``(N, n_class, H, W)``.

        Args:
            x: Images ``(N, 3, H, W)``, RGB, from 0 to 255.
        """
        h: Any = local_response_normalization(x, 5, 1, 1e-4 / 5, 0.75)
        poolings = []
        for step in range(1, N_STEPS + 1):
            h = normalize_and_activate(self[f"conv{step}_bn"], self[f"conv{step}"](h))
            pooled: Any = max_pooling_2d(h, 2, return_indices=True)
            poolings.append((pooled[1], h.shape[2:]))
            h = pooled[0]
        for step in range(N_STEPS, 0, -1):
            indexes, size = poolings.pop()
            h = upsampling_2d(h, indexes, 2, outsize=size)
            h = self[f"conv_decode{step}_bn"](self[f"conv_decode{step}"](h))
        scores: Variable = self.conv_classifier(h)
        return scores

    def predict(self, imgs: Sequence[Host]) -> list[Host]:
        """Predict the class of each pixel.

        Args:
            imgs: Images ``(3, H, W)``, RGB, float32 from 0 to 255, of any sizes. Those of one size are predicted
                together.

        Returns:
            For each image its labels, int32 ``(H, W)``.
        """
        with inference():
            return predict_by_shape(imgs, lambda x: labels_of(self.forward(self.device.send(x)).array))
