"""Links: layers with parameters, written with the functions of `renga_nn.functions`.

Reading guide
-------------
- `linear`: `Linear`, the simplest; start there to write a link.
- `bilinear`, `maxout`, `highway`, `simplified_dropconnect`: other fully connected layers. `activation`: `PReLU`,
  `Swish`.
- `convolution_2d`: `Convolution2D`, `Deconvolution2D`. `convolution_nd`: the same over any number of axes. `filters`:
  their base. `depthwise_convolution_2d`, `dilated_convolution_2d`, `deformable_convolution_2d`, `local_convolution_2d`.
  `embed_id`: `EmbedID`.
- `batch_normalization`, `batch_renormalization`, `decorrelated_batch_normalization`, `group_normalization`,
  `layer_normalization`.
- `lstm`: `LSTM`, which keeps its state, and `StatelessLSTM`; likewise `gru`, `mgu`, `peephole_lstm`, `zoneout_lstm`.
  `state`: the base of links with a state. `n_step_rnn`: `NStepLSTM` and others, over whole sequences. `tree_lstm`.
- `crf1d`, `hierarchical_softmax`, `sampled` (`NegativeSampling`, `BlackOut`): losses with parameters.
- `inception`, `mlp_convolution_2d`: small networks as layers. `vision`: large networks, `VGG16Layers`,
  `ResNet50Layers`, `GoogLeNet` and others. `caffe`: `CaffeFunction`, for networks trained with Caffe.
- `parameter`: `Parameter`, `Bias`, `Scale`: single arrays as links. `bias`: biases of layers.
- `classifier`: `Classifier`, a model with its loss.

A link's module is imported at the link's first use.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from renga_nn.providers.links import CLASSES

if TYPE_CHECKING:
    from renga_nn.links.activation import PReLU, Swish
    from renga_nn.links.batch_normalization import BatchNormalization
    from renga_nn.links.batch_renormalization import BatchRenormalization
    from renga_nn.links.bilinear import Bilinear
    from renga_nn.links.caffe import CaffeFunction
    from renga_nn.links.classifier import Classifier
    from renga_nn.links.convolution_2d import Convolution2D, Deconvolution2D
    from renga_nn.links.convolution_nd import (
        Convolution1D,
        Convolution3D,
        ConvolutionND,
        Deconvolution1D,
        Deconvolution3D,
        DeconvolutionND,
    )
    from renga_nn.links.crf1d import CRF1d
    from renga_nn.links.decorrelated_batch_normalization import DecorrelatedBatchNormalization
    from renga_nn.links.deformable_convolution_2d import DeformableConvolution2D
    from renga_nn.links.depthwise_convolution_2d import DepthwiseConvolution2D
    from renga_nn.links.dilated_convolution_2d import DilatedConvolution2D
    from renga_nn.links.embed_id import EmbedID
    from renga_nn.links.group_normalization import GroupNormalization
    from renga_nn.links.gru import GRU, StatefulGRU, StatelessGRU
    from renga_nn.links.hierarchical_softmax import BinaryHierarchicalSoftmax
    from renga_nn.links.highway import Highway
    from renga_nn.links.inception import Inception, InceptionBN
    from renga_nn.links.layer_normalization import LayerNormalization
    from renga_nn.links.linear import Linear
    from renga_nn.links.local_convolution_2d import LocalConvolution2D
    from renga_nn.links.lstm import LSTM, StatelessLSTM
    from renga_nn.links.maxout import Maxout
    from renga_nn.links.mgu import StatefulMGU, StatelessMGU
    from renga_nn.links.mlp_convolution_2d import MLPConvolution2D
    from renga_nn.links.n_step_rnn import (
        NStepBiGRU,
        NStepBiLSTM,
        NStepBiRNNReLU,
        NStepBiRNNTanh,
        NStepGRU,
        NStepLSTM,
        NStepRNNReLU,
        NStepRNNTanh,
    )
    from renga_nn.links.parameter import Bias, Parameter, Scale
    from renga_nn.links.peephole_lstm import StatefulPeepholeLSTM
    from renga_nn.links.sampled import BlackOut, NegativeSampling
    from renga_nn.links.simplified_dropconnect import SimplifiedDropconnect
    from renga_nn.links.tree_lstm import ChildSumTreeLSTM, NaryTreeLSTM
    from renga_nn.links.vision import (
        GoogLeNet,
        ResNet50Layers,
        ResNet101Layers,
        ResNet152Layers,
        VGG16Layers,
        VGG19Layers,
    )
    from renga_nn.links.zoneout_lstm import StatefulZoneoutLSTM

__all__ = [
    "GRU",
    "LSTM",
    "BatchNormalization",
    "BatchRenormalization",
    "Bias",
    "Bilinear",
    "BinaryHierarchicalSoftmax",
    "BlackOut",
    "CRF1d",
    "CaffeFunction",
    "ChildSumTreeLSTM",
    "Classifier",
    "Convolution1D",
    "Convolution2D",
    "Convolution3D",
    "ConvolutionND",
    "Deconvolution1D",
    "Deconvolution2D",
    "Deconvolution3D",
    "DeconvolutionND",
    "DecorrelatedBatchNormalization",
    "DeformableConvolution2D",
    "DepthwiseConvolution2D",
    "DilatedConvolution2D",
    "EmbedID",
    "GoogLeNet",
    "GroupNormalization",
    "Highway",
    "Inception",
    "InceptionBN",
    "LayerNormalization",
    "Linear",
    "LocalConvolution2D",
    "MLPConvolution2D",
    "Maxout",
    "NStepBiGRU",
    "NStepBiLSTM",
    "NStepBiRNNReLU",
    "NStepBiRNNTanh",
    "NStepGRU",
    "NStepLSTM",
    "NStepRNNReLU",
    "NStepRNNTanh",
    "NaryTreeLSTM",
    "NegativeSampling",
    "PReLU",
    "Parameter",
    "ResNet50Layers",
    "ResNet101Layers",
    "ResNet152Layers",
    "Scale",
    "SimplifiedDropconnect",
    "StatefulGRU",
    "StatefulMGU",
    "StatefulPeepholeLSTM",
    "StatefulZoneoutLSTM",
    "StatelessGRU",
    "StatelessLSTM",
    "StatelessMGU",
    "Swish",
    "VGG16Layers",
    "VGG19Layers",
]

_MODULES = {name: module for module, _, name in (place.partition(":") for place in CLASSES.values())}


def __getattr__(name: str) -> Any:
    """Import the module of a link at the link's first use, and keep the link here."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)
    return value
