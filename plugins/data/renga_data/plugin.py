"""What this package offers: data sets and iterators."""

from renga_core.plugin import Namespace, Provider, hookimpl

_DATASETS = {
    "csv": ("csv_table", "Rows of a CSV file: predict one column from the others"),
    "text": ("text_streams", "Consecutive pieces of a text file"),
    "image_folder": ("image_folder", "Image files, a folder for each class"),
    "image_files": ("image_files", "Image files, a folder for each class; read when needed, with random crops"),
    "digits": ("digits", "1797 handwritten digits, 8 × 8; comes with Renga"),
    "mnist": ("mnist", "MNIST: 70000 handwritten digits, 28 × 28; downloaded"),
    "fashion_mnist": ("mnist", "Fashion-MNIST: 70000 articles of clothing, 28 × 28; downloaded"),
    "kuzushiji_mnist": ("mnist", "Kuzushiji-MNIST: 70000 cursive Japanese characters, 28 × 28; downloaded"),
    "cifar10": ("cifar", "CIFAR-10: 60000 colour photographs, 32 × 32, 10 classes; downloaded"),
    "cifar100": ("cifar", "CIFAR-100: 60000 colour photographs, 32 × 32, 100 classes; downloaded"),
    "svhn": ("svhn", "SVHN: 99289 digits of house numbers in colour, 32 × 32; downloaded"),
}

_NEEDS = {"svhn": ("scipy",), "image_folder": ("PIL",), "image_files": ("PIL",)}
_CAPABILITIES = {name: frozenset({"unshared"}) for name in ("image_folder", "image_files")}
_HINTS = {
    "svhn": "pip install 'renga[scipy]'",
    "image_folder": "pip install 'renga[cv]'",
    "image_files": "pip install 'renga[cv]'",
}

_ITERATORS = {
    "serial": ("SerialIterator", "Reads examples one by one"),
    "multithread": ("MultithreadIterator", "Reads examples ahead, with threads"),
    "multiprocess": ("MultiprocessIterator", "Reads examples ahead, with processes"),
}


@hookimpl
def renga_datasets() -> list[Provider]:
    """Data sets: functions that return (train, test)."""
    return [
        Provider(
            name=name,
            target=f"renga_data.datasets.{module}:get_{name}",
            revision=1,
            summary=summary,
            needs=_NEEDS.get(name, ()),
            install_hint=_HINTS.get(name, ""),
            capabilities=_CAPABILITIES.get(name, frozenset()),
        )
        for name, (module, summary) in _DATASETS.items()
    ]


@hookimpl
def renga_iterators() -> list[Provider]:
    """Iterators over data sets."""
    return [
        Provider(name=name, target=f"renga_data.iterators.{name}:{cls}", revision=1, summary=summary)
        for name, (cls, summary) in _ITERATORS.items()
    ]


@hookimpl
def renga_namespaces() -> list[Namespace]:
    """Combined data sets, converters, tables, and other public names."""
    datasets = "renga_data.datasets"
    return [
        Namespace(
            "renga.datasets",
            names={
                f"{datasets}.concatenated_dataset": "ConcatenatedDataset",
                f"{datasets}.dict_dataset": "DictDataset",
                f"{datasets}.download": "DownloadError get_dataset_root",
                f"{datasets}.image_dataset": "ImageDataset LabeledImageDataset",
                f"{datasets}.mnist": "get_fashion_mnist_labels get_kuzushiji_mnist_labels",
                f"{datasets}.pickle_dataset": (
                    "PickleDataset PickleDatasetWriter open_pickle_dataset open_pickle_dataset_writer"
                ),
                f"{datasets}.ptb": "get_ptb_words get_ptb_words_vocabulary",
                f"{datasets}.sub_dataset": (
                    "SubDataset get_cross_validation_datasets get_cross_validation_datasets_random split_dataset "
                    "split_dataset_n split_dataset_n_random split_dataset_random"
                ),
                f"{datasets}.image_files": "ImageFiles",
                f"{datasets}.image_folder": "ImageFolder",
                f"{datasets}.text_dataset": "TextDataset",
                f"{datasets}.text_streams": "TextStreams split_text",
                f"{datasets}.transform_dataset": "TransformDataset",
                f"{datasets}.tuple_dataset": "TupleDataset",
                f"{datasets}.two_stage_dataset": "TwoStageDataset",
                f"{datasets}.zipped_image_dataset": (
                    "LabeledZippedImageDataset MultiZippedImageDataset ZippedImageDataset"
                ),
            },
        ),
        Namespace(
            "renga.iterators",
            names={
                "renga_data.iterators.dali": "DaliIterator",
                "renga_data.iterators.errors": "StalledDatasetWarning WorkerDied",
                "renga_data.iterators.order_samplers": "OrderSampler ShuffleOrderSampler",
            },
        ),
        Namespace(
            "renga.dataset",
            names={
                "renga_data.converter": "converter",
                "renga_data.convert": "concat_examples to_device",
                "renga_data.async_transfer": "ConcatWithAsyncTransfer",
                f"{datasets}.cached": "cache_or_load_file cached_download",
                f"{datasets}.download": "get_dataset_directory get_dataset_root set_dataset_root",
                "renga_data.preprocessing": (
                    "Column ImagePreprocessing PicturePreprocessing Split TablePreprocessing TextPreprocessing "
                    "preprocessing_document read_preprocessing write_preprocessing"
                ),
                "renga_data.tabular.table": "TabularDataset",
            },
        ),
        Namespace(
            "renga.dataset.convert",
            names={
                "renga_data.converter": "converter",
                "renga_data.convert": "concat_examples concat_examples_func to_device",
                "renga_data.async_transfer": "ConcatWithAsyncTransfer Conveyor",
            },
        ),
        Namespace(
            "renga.dataset.tabular",
            names={
                "renga_data.tabular.construction": "from_data",
                "renga_data.tabular.delegate": "DelegateDataset",
                "renga_data.tabular.table": "TabularDataset",
            },
        ),
    ]
