"""Data sets."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

NAMESPACES = [
    Namespace(
        "renga.cv.chainer_experimental.datasets.sliceable",
        names={
            "renga_cv.sliceable.concatenated_dataset": "ConcatenatedDataset",
            "renga_cv.sliceable.getter_dataset": "GetterDataset",
            "renga_cv.sliceable.sliceable_dataset": "SliceableDataset",
            "renga_cv.sliceable.transform_dataset": "TransformDataset",
            "renga_cv.sliceable.tuple_dataset": "TupleDataset",
        },
    ),
]
