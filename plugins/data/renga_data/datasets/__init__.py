"""Data sets: made of others, and real ones.

Made of others:

- `tuple_dataset`, `dict_dataset`: side by side, as tuples or dictionaries.
- `concatenated_dataset`: one after another.
- `sub_dataset`: parts: splits, cross validation.
- `transform_dataset`: seen through a function.

Real ones, each a function that returns (train, test):

- `digits`: handwritten digits that come with Renga.
- `mnist`: MNIST, Fashion-MNIST, Kuzushiji-MNIST.
- `cifar`: CIFAR-10, CIFAR-100.

Under these: `remote`, the table of files with their addresses and digests; `download`, the cache; `images`, what
loaders share.
"""

from renga_data.datasets.cifar import get_cifar10, get_cifar100
from renga_data.datasets.concatenated_dataset import ConcatenatedDataset
from renga_data.datasets.dict_dataset import DictDataset
from renga_data.datasets.digits import get_digits
from renga_data.datasets.download import DownloadError, get_dataset_root
from renga_data.datasets.mnist import (
    get_fashion_mnist,
    get_fashion_mnist_labels,
    get_kuzushiji_mnist,
    get_kuzushiji_mnist_labels,
    get_mnist,
)
from renga_data.datasets.sub_dataset import (
    SubDataset,
    get_cross_validation_datasets,
    get_cross_validation_datasets_random,
    split_dataset,
    split_dataset_n,
    split_dataset_n_random,
    split_dataset_random,
)
from renga_data.datasets.transform_dataset import TransformDataset
from renga_data.datasets.tuple_dataset import TupleDataset

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
