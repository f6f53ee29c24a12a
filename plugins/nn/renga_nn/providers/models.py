"""The models: networks that `renga train` can train by name."""

from renga_core.plugin import Provider

__all__ = ["MODELS"]

MODELS: list[Provider] = [
    Provider(
        name="lenet",
        target="renga_nn.models.lenet:LeNet",
        revision=1,
        summary="Two convolutions and two fully connected layers, for small images",
    ),
    Provider(name="mlp", target="renga_nn.models.mlp:MLP", revision=1, summary="Fully connected layers with ReLU"),
    Provider(
        name="row_lstm",
        target="renga_nn.models.row_lstm:RowLSTM",
        revision=1,
        summary="A recurrent network that reads an image row by row",
    ),
    Provider(
        name="vgg_small",
        target="renga_nn.models.vgg_small:VGGSmall",
        revision=1,
        summary="A deep convolutional network for images up to 32 × 32",
    ),
]
