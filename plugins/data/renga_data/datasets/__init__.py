"""Data sets: combinations of others, files of your own, and real data sets.

Combinations of data sets:

- `tuple_dataset`, `dict_dataset`: combine data sets to tuples or dictionaries.
- `concatenated_dataset`: concatenates data sets.
- `sub_dataset`: parts: splits, cross validation.
- `transform_dataset`: applies a function to examples.
- `take`: selects some examples, to send or save them without the others.

Your own files:

- `image_dataset`, `zipped_image_dataset`: images, with labels or without, in files or in zip archives.
- `csv_table`: `get_csv`, a table, as (train, test). `image_folder`: a folder for each class, as (train, test).
- `image_files`: the same, read when needed. `two_stage_dataset`: read per example, finished per batch. `adjacent`:
  batches whose examples are contiguous in memory.
- `text_dataset`: lines of text. `text_streams`: `get_text`, pieces of a text, as (train, test).
- `pickle_dataset`: objects of any kind. Such files can run code: open only files that you trust.

Real data sets, each a function that returns (train, test):

- `digits`: handwritten digits that come with Renga.
- `mnist`: MNIST, Fashion-MNIST, Kuzushiji-MNIST.
- `cifar`: CIFAR-10, CIFAR-100.
- `svhn`: SVHN, digits of house numbers.
- `ptb`: the text of the Penn Treebank, in three parts.

Used by these: `remote`, the table of files with addresses and digests; `download`, the cache; `cached`, other files in
it; `images`, shared by loaders; `file_errors`, errors of damaged files.
"""

from renga_data.datasets.cifar import get_cifar10, get_cifar100
from renga_data.datasets.concatenated_dataset import ConcatenatedDataset
from renga_data.datasets.csv_table import get_csv
from renga_data.datasets.dict_dataset import DictDataset
from renga_data.datasets.digits import get_digits
from renga_data.datasets.download import DownloadError, get_dataset_root
from renga_data.datasets.image_dataset import ImageDataset, LabeledImageDataset
from renga_data.datasets.image_folder import ImageFolder, get_image_folder
from renga_data.datasets.mnist import (
    get_fashion_mnist,
    get_fashion_mnist_labels,
    get_kuzushiji_mnist,
    get_kuzushiji_mnist_labels,
    get_mnist,
)
from renga_data.datasets.pickle_dataset import (
    PickleDataset,
    PickleDatasetWriter,
    open_pickle_dataset,
    open_pickle_dataset_writer,
)
from renga_data.datasets.ptb import get_ptb_words, get_ptb_words_vocabulary
from renga_data.datasets.sub_dataset import (
    SubDataset,
    get_cross_validation_datasets,
    get_cross_validation_datasets_random,
    split_dataset,
    split_dataset_n,
    split_dataset_n_random,
    split_dataset_random,
)
from renga_data.datasets.svhn import get_svhn
from renga_data.datasets.text_dataset import TextDataset
from renga_data.datasets.text_streams import TextStreams, get_text, split_text
from renga_data.datasets.transform_dataset import TransformDataset
from renga_data.datasets.tuple_dataset import TupleDataset
from renga_data.datasets.zipped_image_dataset import (
    LabeledZippedImageDataset,
    MultiZippedImageDataset,
    ZippedImageDataset,
)

__all__ = [
    "ConcatenatedDataset",
    "DictDataset",
    "DownloadError",
    "ImageDataset",
    "ImageFolder",
    "LabeledImageDataset",
    "LabeledZippedImageDataset",
    "MultiZippedImageDataset",
    "PickleDataset",
    "PickleDatasetWriter",
    "SubDataset",
    "TextDataset",
    "TextStreams",
    "TransformDataset",
    "TupleDataset",
    "ZippedImageDataset",
    "get_cifar10",
    "get_cifar100",
    "get_cross_validation_datasets",
    "get_cross_validation_datasets_random",
    "get_csv",
    "get_dataset_root",
    "get_digits",
    "get_fashion_mnist",
    "get_fashion_mnist_labels",
    "get_image_folder",
    "get_kuzushiji_mnist",
    "get_kuzushiji_mnist_labels",
    "get_mnist",
    "get_ptb_words",
    "get_ptb_words_vocabulary",
    "get_svhn",
    "get_text",
    "open_pickle_dataset",
    "open_pickle_dataset_writer",
    "split_dataset",
    "split_dataset_n",
    "split_dataset_n_random",
    "split_dataset_random",
    "split_text",
]
