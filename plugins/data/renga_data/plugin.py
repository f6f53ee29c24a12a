"""What the package offers: data sets and iterators."""

from renga_core.plugin import Provider, hookimpl

_DATASETS = {
    "csv": ("csv_table", "Rows of a CSV file: a column to predict, the others to predict it from"),
    "image_folder": ("image_folder", "Image files, a folder for each class"),
    "digits": ("digits", "1797 handwritten digits, 8 × 8; comes with Renga"),
    "mnist": ("mnist", "MNIST: 70000 handwritten digits, 28 × 28; downloaded"),
    "fashion_mnist": ("mnist", "Fashion-MNIST: 70000 articles of clothing, 28 × 28; downloaded"),
    "kuzushiji_mnist": ("mnist", "Kuzushiji-MNIST: 70000 cursive Japanese characters, 28 × 28; downloaded"),
    "cifar10": ("cifar", "CIFAR-10: 60000 colour photographs, 32 × 32, 10 classes; downloaded"),
    "cifar100": ("cifar", "CIFAR-100: 60000 colour photographs, 32 × 32, 100 classes; downloaded"),
    "svhn": ("svhn", "SVHN: 99289 digits of house numbers in colour, 32 × 32; downloaded"),
}

_NEEDS = {"svhn": ("scipy",), "image_folder": ("PIL",)}
_HINTS = {"svhn": "pip install 'renga[scipy]'", "image_folder": "pip install 'renga[cv]'"}

_ITERATORS = {
    "serial": ("SerialIterator", "Gets examples one by one"),
    "multithread": ("MultithreadIterator", "Gets examples ahead of time, by threads"),
    "multiprocess": ("MultiprocessIterator", "Gets examples ahead of time, by processes"),
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
