"""Data sets: `renga_data.datasets`, and by registered name those of other plugins."""

from renga.third_party import registered
from renga_core.plugin import DATASET
from renga_data.datasets import (
    ConcatenatedDataset,
    DictDataset,
    DownloadError,
    SubDataset,
    TransformDataset,
    TupleDataset,
    get_cifar10,
    get_cifar100,
    get_cross_validation_datasets,
    get_cross_validation_datasets_random,
    get_dataset_root,
    get_digits,
    get_fashion_mnist,
    get_fashion_mnist_labels,
    get_kuzushiji_mnist,
    get_kuzushiji_mnist_labels,
    get_mnist,
    split_dataset,
    split_dataset_n,
    split_dataset_n_random,
    split_dataset_random,
)

__all__ = [
    "ConcatenatedDataset",
    "DictDataset",
    "DownloadError",
    "SubDataset",
    "TransformDataset",
    "TupleDataset",
    "get_cifar10",
    "get_cifar100",
    "get_cross_validation_datasets",
    "get_cross_validation_datasets_random",
    "get_dataset_root",
    "get_digits",
    "get_fashion_mnist",
    "get_fashion_mnist_labels",
    "get_kuzushiji_mnist",
    "get_kuzushiji_mnist_labels",
    "get_mnist",
    "split_dataset",
    "split_dataset_n",
    "split_dataset_n_random",
    "split_dataset_random",
]

__getattr__ = registered(DATASET, "renga.datasets", __all__)
