"""Layers with parameters: `renga_nn.links`, and by registered name those of other plugins."""

from renga.third_party import registered
from renga_core.plugin import LINK
from renga_nn.links import (
    LSTM,
    BatchNormalization,
    Bias,
    Classifier,
    Convolution2D,
    Deconvolution2D,
    EmbedID,
    LayerNormalization,
    Linear,
    Parameter,
    Scale,
    StatelessLSTM,
)

__all__ = [
    "LSTM",
    "BatchNormalization",
    "Bias",
    "Classifier",
    "Convolution2D",
    "Deconvolution2D",
    "EmbedID",
    "LayerNormalization",
    "Linear",
    "Parameter",
    "Scale",
    "StatelessLSTM",
]

__getattr__ = registered(LINK, "renga.links", __all__)
