"""The links, by the module they are in."""

from renga_core.plugin import Provider

__all__ = ["LINKS"]

CLASSES = {
    "batch_normalization": "batch_normalization:BatchNormalization",
    "bias": "parameter:Bias",
    "classifier": "classifier:Classifier",
    "convolution_2d": "convolution_2d:Convolution2D",
    "deconvolution_2d": "convolution_2d:Deconvolution2D",
    "embed_id": "embed_id:EmbedID",
    "layer_normalization": "layer_normalization:LayerNormalization",
    "linear": "linear:Linear",
    "lstm": "lstm:LSTM",
    "parameter": "parameter:Parameter",
    "scale": "parameter:Scale",
    "stateless_lstm": "lstm:StatelessLSTM",
}
"""The registered name of each link, and where in `renga_nn.links` it is."""

LINKS = [
    Provider(name=name, target=f"renga_nn.links.{place}", revision=1, summary=f"Link {place.partition(':')[2]}")
    for name, place in CLASSES.items()
]
