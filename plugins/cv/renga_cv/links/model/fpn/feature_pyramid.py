"""Features of images at several scales."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from renga_core.graph import Variable
from renga_core.graph.parameter import Parameter
from renga_core.link import Chain, ChainList
from renga_nn.functions.pooling import unpooling_2d
from renga_nn.initializers import GlorotUniform
from renga_nn.links.batch_normalization import BatchNormalization
from renga_nn.links.convolution_2d import Convolution2D

__all__ = ["FPN", "is_kept", "keep_trained"]


class FPN(Chain):
    """A feature pyramid network (Lin et al. 2017, 3): coarse features are enlarged and added to finer ones.

    Args:
        base: Link from images to a tuple of features, each of half the size of the one before.
        n_base_output: Number of outputs of `base`.
        scales: Ratio of the size of each output to the size of the image. Further outputs take every second pixel of
            the output before.

    Attributes:
        base, scales: As given.
        inner, outer: 1 × 1 convolutions of the features of `base`, and 3 × 3 convolutions of the sums, finest first.
    """

    def __init__(self, base: Any, n_base_output: int, scales: Sequence[float]) -> None:
        super().__init__()
        initial = GlorotUniform()
        with self.init_scope():
            self.base = base
            self.inner = ChainList(*[Convolution2D(None, 256, 1, initialW=initial) for _ in range(n_base_output)])
            self.outer = ChainList(*[Convolution2D(256, 256, 3, pad=1, initialW=initial) for _ in range(n_base_output)])
        self.scales = scales

    @property
    def mean(self) -> Any:
        """The mean that `base` expects to be subtracted from images."""
        return self.base.mean

    def forward(self, x: Any) -> list[Variable]:
        """Features at each of `scales`, finest first.

        Args:
            x: Images ``(N, 3, H, W)``; H and W must be divisible by the stride of `base`.

        Returns:
            Variables ``(N, 256, H * scale, W * scale)``.
        """
        merged: list[Variable] = []
        for features, inner in zip(reversed(self.base(x)), reversed(list(self.inner)), strict=True):
            h = inner(features)
            merged.append(h + unpooling_2d(merged[-1], 2, cover_all=False) if merged else h)
        hs = [outer(h) for h, outer in zip(reversed(merged), self.outer, strict=True)]
        while len(hs) < len(self.scales):
            hs.append(hs[-1][:, :, ::2, ::2])
        return hs


def keep_trained(pyramid: FPN) -> None:
    """Freeze parts of a ResNet trained on ImageNet: its first two stages, and all scales, biases and averages of batch
    normalization. Batches of large images are too small to train these (He et al. 2017, 3.1).
    """
    pyramid.base.conv1.disable_update()
    pyramid.base.res2.disable_update()
    for param in _normalization(pyramid):
        param.frozen = True


def is_kept(pyramid: FPN) -> bool:
    """Whether batch normalization is frozen, and uses its averages in training too."""
    return all(param.frozen for param in _normalization(pyramid))


def _normalization(pyramid: FPN) -> list[Parameter]:
    links = [link for link in pyramid.links() if isinstance(link, BatchNormalization)]
    return [param for link in links for param in link.params()]
