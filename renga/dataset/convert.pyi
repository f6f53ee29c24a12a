# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_core.dataset import Converter as Converter
from renga_data.async_transfer import ConcatWithAsyncTransfer as ConcatWithAsyncTransfer
from renga_data.async_transfer import Conveyor as Conveyor
from renga_data.convert import concat_examples as concat_examples
from renga_data.convert import concat_examples_func as concat_examples_func
from renga_data.convert import to_device as to_device
from renga_data.converter import converter as converter

__all__ = [
    "ConcatWithAsyncTransfer",
    "Converter",
    "Conveyor",
    "concat_examples",
    "concat_examples_func",
    "converter",
    "to_device",
]
