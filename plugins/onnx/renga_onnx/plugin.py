"""What this plugin offers: the kind of converters to ONNX, and those of Renga's own functions."""

from typing import Any

from renga_core.plugin import Kind, Provider, hookimpl
from renga_onnx.kind import ONNX_CONVERTER

_FAMILIES = {
    "activation": "activation functions",
    "array": "shapes, axes, joining, cutting, indexing",
    "connection": "linear layers, convolutions, embeddings, attention",
    "loss": "losses",
    "math": "arithmetic, powers, elementary functions, extremes, reductions",
    "noise": "dropout",
    "normalization": "batch, layer and local response normalization",
    "pooling": "pooling, and what undoes it",
    "rnn": "recurrent layers",
}


@hookimpl
def renga_kinds() -> list[Kind[Any]]:
    """Converter to ONNX."""
    return [ONNX_CONVERTER]


@hookimpl
def renga_onnx_converters() -> list[Provider]:
    """Renga's own functions, a table for each family."""
    return [
        Provider(
            family,
            f"renga_onnx.converters.{family}:CONVERTERS",
            1,
            summary,
            needs=("onnx",),
            install_hint="pip install 'renga[onnx]'",
        )
        for family, summary in _FAMILIES.items()
    ]
