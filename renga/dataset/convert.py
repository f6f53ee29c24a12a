"""From mini-batches to arrays on devices: `renga_data.convert`, `renga_data.conveyor`."""

from renga_core.dataset import Converter, converter
from renga_data.convert import concat_examples, to_device
from renga_data.convert import concat_examples as concat_examples_func
from renga_data.conveyor import ConcatWithAsyncTransfer, Conveyor

__all__ = [
    "ConcatWithAsyncTransfer",
    "Converter",
    "Conveyor",
    "concat_examples",
    "concat_examples_func",
    "converter",
    "to_device",
]
