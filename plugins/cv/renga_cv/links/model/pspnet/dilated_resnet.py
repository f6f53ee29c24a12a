"""The residual network that PSPNet takes features from."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, ClassVar

from renga_cv.links.connection.conv_2d_bn_activ import Conv2DBNActiv
from renga_cv.links.model.pickable_sequential_chain import PickableSequentialChain
from renga_cv.links.model.resnet.res_block import ResBlock
from renga_cv.utils.pretrained import (
    PublishedModel,
    load_pretrained_model,
    prepare_pretrained_model,
    published,
)
from renga_nn.functions.pooling import max_pooling_2d

__all__ = ["DilatedResNet"]


class DilatedResNet(PickableSequentialChain):
    """A residual network with output at 1/8 of the resolution: the last two stages use dilated filters.

    Layers: ``conv1_1``, ``conv1_2``, ``conv1_3``, ``pool1``, ``res2`` … ``res5``.

    Args:
        n_layer: 50 or 101.
        pretrained_model: The file of trained weights, or ``"imagenet"`` for those that ChainerCV's authors have
            published; None for none.
        initialW: Initializer of filters.

    Raises:
        ValueError, FileNotFoundError, DownloadError: As from `prepare_pretrained_model`.
        FileDamaged, FileMismatched: As from `load_pretrained_model`.
    """

    _blocks: ClassVar[Mapping[int, tuple[int, int, int, int]]] = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3)}
    _models: ClassVar[Mapping[int, Mapping[str, PublishedModel]]] = {
        n: {"imagenet": published(f"pspnet_resnet{n}_imagenet_trained_2018_11_26.npz", cv2=True)} for n in (50, 101)
    }

    def __init__(
        self, n_layer: int, pretrained_model: str | os.PathLike[str] | None = None, initialW: Any = None
    ) -> None:
        _, path = prepare_pretrained_model({}, pretrained_model, self._models[n_layer])
        super().__init__()
        n_block = self._blocks[n_layer]
        with self.init_scope():
            self.conv1_1 = Conv2DBNActiv(3, 64, 3, 2, 1, initialW=initialW)
            self.conv1_2 = Conv2DBNActiv(64, 64, 3, 1, 1, initialW=initialW)
            self.conv1_3 = Conv2DBNActiv(64, 128, 3, 1, 1, initialW=initialW)
            self.pool1 = _max_pooling
            self.res2 = ResBlock(n_block[0], 128, 64, 256, 1, 1, initialW=initialW)
            self.res3 = ResBlock(n_block[1], 256, 128, 512, 2, 1, initialW=initialW)
            self.res4 = ResBlock(n_block[2], 512, 256, 1024, 1, 2, initialW=initialW)
            self.res5 = ResBlock(n_block[3], 1024, 512, 2048, 1, 4, initialW=initialW)
        load_pretrained_model(self, path)


def _max_pooling(x: Any) -> Any:
    return max_pooling_2d(x, 3, 2, 1)
