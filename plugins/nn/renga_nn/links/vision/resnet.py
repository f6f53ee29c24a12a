"""Residual networks for photographs (He et al. 2016)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, ClassVar

from renga_core.graph import Variable
from renga_core.link import Chain
from renga_nn.functions.activation import softmax
from renga_nn.functions.array import reshape
from renga_nn.functions.pooling import average_pooling_2d, max_pooling_2d
from renga_nn.initializers import HeNormal, Zero
from renga_nn.links.batch_normalization import BatchNormalization, normalize_and_activate
from renga_nn.links.caffe import CaffeFunction
from renga_nn.links.convolution_2d import Convolution2D
from renga_nn.links.linear import Linear
from renga_nn.links.vision.images import Host, as_network_input
from renga_nn.links.vision.pretrained import PretrainedClassifier

__all__ = ["Bottleneck", "ResNet50Layers", "ResNet101Layers", "ResNet152Layers", "ResNetLayers", "Stage", "prepare"]

MEAN = (103.063, 115.903, 123.152)


def prepare(image: Any, size: tuple[int, int] | None = (224, 224)) -> Host:
    """Prepare an image for ResNet; see `PretrainedClassifier.prepare`."""
    return as_network_input(image, size, MEAN)


class Bottleneck(Chain):
    """Three convolutions, the first and last 1 × 1, with a shortcut around them (He et al. 2016, fig. 5).

    Args:
        in_channels, mid_channels, out_channels: Channels of the input, between the convolutions, and of the output.
        stride: Stride of the convolution that reduces the resolution.
        project: Whether the shortcut has its own convolution, `conv4`, because the shape changes.
        downsample_fb: Whether the 3 × 3 convolution reduces the resolution instead of the first one.
        initialW: Initializer of filters.
    """

    def __init__(
        self,
        in_channels: int,
        mid_channels: int,
        out_channels: int,
        stride: int,
        project: bool,
        downsample_fb: bool,
        initialW: Any,
    ) -> None:
        super().__init__()
        stride1, stride2 = (1, stride) if downsample_fb else (stride, 1)
        rest: dict[str, Any] = {"nobias": True, "initialW": initialW}
        with self.init_scope():
            self.conv1 = Convolution2D(in_channels, mid_channels, 1, stride1, **rest)
            self.bn1 = BatchNormalization(mid_channels)
            self.conv2 = Convolution2D(mid_channels, mid_channels, 3, stride2, 1, **rest)
            self.bn2 = BatchNormalization(mid_channels)
            self.conv3 = Convolution2D(mid_channels, out_channels, 1, **rest)
            self.bn3 = BatchNormalization(out_channels)
            if project:
                self.conv4 = Convolution2D(in_channels, out_channels, 1, stride, **rest)
                self.bn4 = BatchNormalization(out_channels)

    def forward(self, x: Any) -> Variable:
        """Maps ``(N, out_channels, H', W')`` for maps ``(N, in_channels, H, W)``."""
        h = normalize_and_activate(self.bn1, self.conv1(x))
        h = normalize_and_activate(self.bn2, self.conv2(h))
        h = self.conv3(h)
        return normalize_and_activate(self.bn3, h, residual=self.bn4(self.conv4(x)) if hasattr(self, "conv4") else x)


class Stage(Chain):
    """A sequence of bottlenecks: `a`, which projects, then `b1`, `b2` ...

    Args:
        n_layers: Number of bottlenecks.
        in_channels, mid_channels, out_channels, stride, downsample_fb, initialW: See `Bottleneck`; for the first one.
    """

    def __init__(
        self,
        n_layers: int,
        in_channels: int,
        mid_channels: int,
        out_channels: int,
        stride: int,
        downsample_fb: bool,
        initialW: Any,
    ) -> None:
        super().__init__()
        self.n_layers = n_layers
        with self.init_scope():
            self.a = Bottleneck(in_channels, mid_channels, out_channels, stride, True, downsample_fb, initialW)
            for number in range(1, n_layers):
                block = Bottleneck(out_channels, mid_channels, out_channels, 1, False, downsample_fb, initialW)
                setattr(self, f"b{number}", block)

    def bottlenecks(self) -> Iterator[Bottleneck]:
        """The bottlenecks in order."""
        yield self.a
        for number in range(1, self.n_layers):
            yield getattr(self, f"b{number}")

    def forward(self, x: Any) -> Any:
        """All bottlenecks."""
        for bottleneck in self.bottlenecks():
            x = bottleneck(x)
        return x


class ResNetLayers(PretrainedClassifier):
    """A residual network with bottlenecks; `ResNet50Layers` and others fix its depth.

    Args:
        pretrained_model: A file with weights; ``"auto"`` for ``ResNet-<layers>-model.npz`` in the folder ``models`` of
            ``dataset.root``; None for random weights. See `PretrainedClassifier.load`.
        n_layers: 50, 101 or 152.
        downsample_fb: Whether 3 × 3 convolutions reduce the resolution, as in most newer programs. The original
            network, and so its weights, use the 1 × 1 convolutions before them.

    Raises:
        ValueError: `n_layers` is invalid.
    """

    mean = MEAN
    feature = "pool5"
    _stages: ClassVar[dict[int, tuple[int, int, int, int]]] = {50: (3, 4, 6, 3), 101: (3, 4, 23, 3), 152: (3, 8, 36, 3)}

    def __init__(
        self, pretrained_model: str | os.PathLike[str] | None, n_layers: int, downsample_fb: bool = False
    ) -> None:
        if n_layers not in self._stages:
            raise ValueError(f"ResNetLayers: n_layers must be 50, 101 or 152, not {n_layers}")
        super().__init__()
        self.n_layers = n_layers
        self.file_name = f"ResNet-{n_layers}-model.npz"  # type: ignore[misc]  # here it depends on the object
        # Weights that a file will replace need no random numbers.
        W = HeNormal(scale=1.0) if pretrained_model is None else Zero()
        n2, n3, n4, n5 = self._stages[n_layers]
        with self.init_scope():
            self.conv1 = Convolution2D(3, 64, 7, 2, 3, initialW=W)
            self.bn1 = BatchNormalization(64)
            self.res2 = Stage(n2, 64, 64, 256, 1, downsample_fb, W)
            self.res3 = Stage(n3, 256, 128, 512, 2, downsample_fb, W)
            self.res4 = Stage(n4, 512, 256, 1024, 2, downsample_fb, W)
            self.res5 = Stage(n5, 1024, 512, 2048, 2, downsample_fb, W)
            self.fc6 = Linear(2048, 1000, initialW=None if pretrained_model is None else W)
        self.load(pretrained_model)

    @property
    def functions(self) -> dict[str, list[Callable[[Any], Any]]]:
        """As of `PretrainedClassifier`."""
        return {
            "conv1": [self.conv1, partial(normalize_and_activate, self.bn1)],
            "pool1": [_pool],
            "res2": [self.res2],
            "res3": [self.res3],
            "res4": [self.res4],
            "res5": [self.res5],
            "pool5": [_average_of_maps],
            "fc6": [self.fc6],
            "prob": [softmax],
        }

    def copy_from_caffe(self, source: CaffeFunction) -> None:
        """Convert the original names: ``res3b2_branch2a``, ``bn3b2_branch2a``, ``scale3b2_branch2a`` ..."""
        _copy_convolution(self.conv1, self.bn1, source, "conv1", "bn_conv1", "scale_conv1")
        for number, stage in enumerate((self.res2, self.res3, self.res4, self.res5), 2):
            for name, bottleneck in zip(self._caffe_names(stage), stage.bottlenecks(), strict=True):
                branches = ["2a", "2b", "2c", "1"] if hasattr(bottleneck, "conv4") else ["2a", "2b", "2c"]
                for i, branch in enumerate(branches, 1):
                    end = f"{number}{name}_branch{branch}"
                    convolution, norm = bottleneck[f"conv{i}"], bottleneck[f"bn{i}"]
                    _copy_convolution(convolution, norm, source, f"res{end}", f"bn{end}", f"scale{end}")
        self.fc6.copyparams(source["fc1000"])

    def _caffe_names(self, stage: Stage) -> list[str]:
        """a, b, c ...; in the middle stages of the deeper networks a, b1, b2 ..."""
        if self.n_layers > 50 and stage in (self.res3, self.res4):
            return ["a", *[f"b{number}" for number in range(1, stage.n_layers)]]
        return list("abcdef"[: stage.n_layers])


class ResNet50Layers(ResNetLayers):
    """A residual network with 50 layers; 25,557,096 parameters. Arguments as for `ResNetLayers`.

    >>> model = ResNet50Layers(pretrained_model=None)
    >>> model.available_layers
    ['conv1', 'pool1', 'res2', 'res3', 'res4', 'res5', 'pool5', 'fc6', 'prob']
    """

    def __init__(self, pretrained_model: str | os.PathLike[str] | None = "auto", downsample_fb: bool = False) -> None:
        super().__init__(pretrained_model, 50, downsample_fb)


class ResNet101Layers(ResNetLayers):
    """A residual network with 101 layers; 44,549,224 parameters. Arguments as for `ResNetLayers`."""

    def __init__(self, pretrained_model: str | os.PathLike[str] | None = "auto", downsample_fb: bool = False) -> None:
        super().__init__(pretrained_model, 101, downsample_fb)


class ResNet152Layers(ResNetLayers):
    """A residual network with 152 layers; 60,192,872 parameters. Arguments as for `ResNetLayers`."""

    def __init__(self, pretrained_model: str | os.PathLike[str] | None = "auto", downsample_fb: bool = False) -> None:
        super().__init__(pretrained_model, 152, downsample_fb)


def _pool(x: Any) -> Any:
    return max_pooling_2d(x, 3, 2)


def _average_of_maps(x: Any) -> Any:
    """Global average pooling, in a form that exporters support."""
    return reshape(average_pooling_2d(x, x.shape[2:], 1), x.shape[:2])


def _copy_convolution(convolution: Any, norm: Any, source: Any, name: str, norm_name: str, scale_name: str) -> None:
    """A convolution with its batch normalization, which are two layers in Caffe."""
    convolution.W.copydata(source[name].W)
    if convolution.b is not None and source[name].b is not None:
        convolution.b.copydata(source[name].b)
    norm.avg_mean[...] = source[norm_name].avg_mean
    norm.avg_var[...] = source[norm_name].avg_var
    norm.gamma.copydata(source[scale_name].W)
    norm.beta.copydata(source[scale_name].bias.b)
