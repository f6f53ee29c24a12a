"""Links: layers with parameters, written with the functions of `renga_nn.functions`.

Reading guide
-------------
- `linear`: `Linear`, the simplest; start there to write one.
- `convolution_2d`: `Convolution2D`, `Deconvolution2D`. `embed_id`: `EmbedID`.
- `batch_normalization`, `layer_normalization`.
- `lstm`: `LSTM`, which keeps its state, and `StatelessLSTM`.
- `parameter`: `Parameter`, `Bias`, `Scale`: single arrays as links.
- `classifier`: `Classifier`, a loss around a model.
"""

from renga_nn.links.batch_normalization import BatchNormalization
from renga_nn.links.classifier import Classifier
from renga_nn.links.convolution_2d import Convolution2D, Deconvolution2D
from renga_nn.links.embed_id import EmbedID
from renga_nn.links.layer_normalization import LayerNormalization
from renga_nn.links.linear import Linear
from renga_nn.links.lstm import LSTM, StatelessLSTM
from renga_nn.links.parameter import Bias, Parameter, Scale

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
