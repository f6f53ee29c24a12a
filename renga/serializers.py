"""Saving and loading: `renga_core.serializers`, and the formats of `renga_serializers`.

`save` and `load` take the format that the file's suffix stands for, a plugin's too; the others one format each.
"""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.serializers": ("FileDamaged FileMismatched FileRefused load save"),
    },
)
