"""Converting mini-batches to arrays on devices: `renga_data.convert`, `renga_data.async_transfer`."""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.dataset": "Converter",
    },
)
