# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_cv.datasets.digit_scenes.digit_scenes import get_digit_scenes as get_digit_scenes
from renga_cv.datasets.own_pictures.boxes_csv import get_boxes_csv as get_boxes_csv
from renga_cv.datasets.own_pictures.coco_json import get_coco_json as get_coco_json
from renga_data.datasets.cifar import get_cifar10 as get_cifar10
from renga_data.datasets.cifar import get_cifar100 as get_cifar100
from renga_data.datasets.concatenated_dataset import ConcatenatedDataset as ConcatenatedDataset
from renga_data.datasets.csv_table import get_csv as get_csv
from renga_data.datasets.dict_dataset import DictDataset as DictDataset
from renga_data.datasets.digits import get_digits as get_digits
from renga_data.datasets.download import DownloadError as DownloadError
from renga_data.datasets.download import get_dataset_root as get_dataset_root
from renga_data.datasets.image_dataset import ImageDataset as ImageDataset
from renga_data.datasets.image_dataset import LabeledImageDataset as LabeledImageDataset
from renga_data.datasets.image_files import ImageFiles as ImageFiles
from renga_data.datasets.image_files import get_image_files as get_image_files
from renga_data.datasets.image_folder import ImageFolder as ImageFolder
from renga_data.datasets.image_folder import get_image_folder as get_image_folder
from renga_data.datasets.mnist import get_fashion_mnist as get_fashion_mnist
from renga_data.datasets.mnist import get_fashion_mnist_labels as get_fashion_mnist_labels
from renga_data.datasets.mnist import get_kuzushiji_mnist as get_kuzushiji_mnist
from renga_data.datasets.mnist import get_kuzushiji_mnist_labels as get_kuzushiji_mnist_labels
from renga_data.datasets.mnist import get_mnist as get_mnist
from renga_data.datasets.pickle_dataset import PickleDataset as PickleDataset
from renga_data.datasets.pickle_dataset import PickleDatasetWriter as PickleDatasetWriter
from renga_data.datasets.pickle_dataset import open_pickle_dataset as open_pickle_dataset
from renga_data.datasets.pickle_dataset import open_pickle_dataset_writer as open_pickle_dataset_writer
from renga_data.datasets.ptb import get_ptb_words as get_ptb_words
from renga_data.datasets.ptb import get_ptb_words_vocabulary as get_ptb_words_vocabulary
from renga_data.datasets.sub_dataset import SubDataset as SubDataset
from renga_data.datasets.sub_dataset import get_cross_validation_datasets as get_cross_validation_datasets
from renga_data.datasets.sub_dataset import get_cross_validation_datasets_random as get_cross_validation_datasets_random
from renga_data.datasets.sub_dataset import split_dataset as split_dataset
from renga_data.datasets.sub_dataset import split_dataset_n as split_dataset_n
from renga_data.datasets.sub_dataset import split_dataset_n_random as split_dataset_n_random
from renga_data.datasets.sub_dataset import split_dataset_random as split_dataset_random
from renga_data.datasets.svhn import get_svhn as get_svhn
from renga_data.datasets.text_dataset import TextDataset as TextDataset
from renga_data.datasets.text_streams import TextStreams as TextStreams
from renga_data.datasets.text_streams import get_text as get_text
from renga_data.datasets.text_streams import split_text as split_text
from renga_data.datasets.transform_dataset import TransformDataset as TransformDataset
from renga_data.datasets.tuple_dataset import TupleDataset as TupleDataset
from renga_data.datasets.two_stage_dataset import TwoStageDataset as TwoStageDataset
from renga_data.datasets.zipped_image_dataset import LabeledZippedImageDataset as LabeledZippedImageDataset
from renga_data.datasets.zipped_image_dataset import MultiZippedImageDataset as MultiZippedImageDataset
from renga_data.datasets.zipped_image_dataset import ZippedImageDataset as ZippedImageDataset

__all__ = [
    "ConcatenatedDataset",
    "DictDataset",
    "DownloadError",
    "ImageDataset",
    "ImageFiles",
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
    "TwoStageDataset",
    "ZippedImageDataset",
    "get_boxes_csv",
    "get_cifar10",
    "get_cifar100",
    "get_coco_json",
    "get_cross_validation_datasets",
    "get_cross_validation_datasets_random",
    "get_csv",
    "get_dataset_root",
    "get_digit_scenes",
    "get_digits",
    "get_fashion_mnist",
    "get_fashion_mnist_labels",
    "get_image_files",
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
