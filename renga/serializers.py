"""Saving and loading: `renga_core.serializers`, and the formats of `renga_serializers`.

`save` and `load` choose the format by the file's suffix, including formats of plugins. Other functions use one format
each.
"""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.serializers": ("FileDamaged FileMismatched FileRefused load save"),
    },
)
