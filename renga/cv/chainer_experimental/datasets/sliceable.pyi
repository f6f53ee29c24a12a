# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.sliceable.concatenated_dataset import ConcatenatedDataset as ConcatenatedDataset
from renga_cv.sliceable.getter_dataset import GetterDataset as GetterDataset
from renga_cv.sliceable.sliceable_dataset import SliceableDataset as SliceableDataset
from renga_cv.sliceable.transform_dataset import TransformDataset as TransformDataset
from renga_cv.sliceable.tuple_dataset import TupleDataset as TupleDataset

__all__ = [
    "ConcatenatedDataset",
    "GetterDataset",
    "SliceableDataset",
    "TransformDataset",
    "TupleDataset",
]
