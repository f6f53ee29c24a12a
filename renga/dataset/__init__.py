"""Protocols of data sets, iterators and converters, and the common implementations.

- `convert`: converters, which turn a mini-batch into arrays on a device.
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
