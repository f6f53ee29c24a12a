"""PyTorch's names and their equivalents in Renga, for the error about an unknown name."""

__all__ = ["PYTORCH_NAMES"]

_FUNCTIONS = {
    "adaptive_avg_pool2d": "mean",
    "avg_pool2d": "average_pooling_2d",
    "batch_norm": "batch_normalization",
    "binary_cross_entropy_with_logits": "sigmoid_cross_entropy",
    "cat": "concat",
    "clamp": "clip",
    "conv2d": "convolution_2d",
    "conv_transpose2d": "deconvolution_2d",
    "cross_entropy": "softmax_cross_entropy",
    "embedding": "embed_id",
    "group_norm": "group_normalization",
    "interpolate": "resize_images",
    "l1_loss": "mean_absolute_error",
    "layer_norm": "layer_normalization",
    "max_pool2d": "max_pooling_2d",
    "mse_loss": "mean_squared_error",
    "permute": "transpose",
    "smooth_l1_loss": "huber_loss",
    "unsqueeze": "expand_dims",
}
_LINKS = {
    "BatchNorm1d": "links.BatchNormalization",
    "BatchNorm2d": "links.BatchNormalization",
    "Conv1d": "links.Convolution1D",
    "Conv2d": "links.Convolution2D",
    "Conv3d": "links.Convolution3D",
    "ConvTranspose2d": "links.Deconvolution2D",
    "Embedding": "links.EmbedID",
    "GroupNorm": "links.GroupNormalization",
    "LayerNorm": "links.LayerNormalization",
    "AvgPool2d": "functions.average_pooling_2d",
    "CrossEntropyLoss": "functions.softmax_cross_entropy",
    "Dropout": "functions.dropout",
    "GELU": "functions.gelu",
    "MaxPool2d": "functions.max_pooling_2d",
    "MSELoss": "functions.mean_squared_error",
    "ReLU": "functions.relu",
    "Sigmoid": "functions.sigmoid",
    "Softmax": "functions.softmax",
    "Tanh": "functions.tanh",
}

PYTORCH_NAMES = {
    "renga.functions": {name: f"renga.functions.{ours}" for name, ours in _FUNCTIONS.items()},
    "renga.links": {name: f"renga.{ours}" for name, ours in _LINKS.items()},
}
"""By public module, and by the name in ``torch.nn.functional`` or ``torch.nn``: the full name in Renga."""
