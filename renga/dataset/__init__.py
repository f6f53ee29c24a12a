"""What data sets, iterators and converters are, and the usual ones.

- `convert`: converters, which make arrays on a device of a mini-batch.
- `tabular`: data sets with columns.
"""

from renga.view import view

__getattr__, __dir__ = view(
    __name__,
    {
        "renga_core.dataset": "Converter Dataset DatasetMixin Iterator",
    },
    modules="convert tabular",
)
