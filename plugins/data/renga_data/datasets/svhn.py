"""SVHN: house numbers from photographs of streets, 32 × 32 colour images of ten digits.

The files have MATLAB's format; reading them needs SciPy: ``pip install 'renga[scipy]'``.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from renga_data.datasets import remote
from renga_data.datasets.download import fetch
from renga_data.datasets.file_errors import reading
from renga_data.datasets.images import as_dataset, as_floats
from renga_data.datasets.tuple_dataset import TupleDataset
from renga_serializers.optional import require

__all__ = ["get_svhn"]

_WHITE = 255

Part = TupleDataset | np.ndarray[Any, Any]


def get_svhn(
    withlabel: bool = True, scale: float = 1.0, dtype: Any = None, label_dtype: Any = np.int32, add_extra: bool = False
) -> tuple[Part, ...]:
    """Return (train, test) sets of SVHN: 73257 and 26032 digits of house numbers. Needs SciPy.

    Args:
        withlabel: Examples are pairs (image, label); otherwise the sets are arrays of images. An image has the shape
            (3, 32, 32); the label is the digit.
        scale: Value of the brightest pixel; black is 0.
        dtype: Dtype of the images, floating. Default: ``config.dtype``.
        label_dtype: Dtype of the labels.
        add_extra: Return (train, test, extra), with 531131 more, easier images.

    Raises:
        RengaError: SciPy is not installed (``pip install 'renga[scipy]'``).
        DownloadError: The files are not in the cache and cannot be downloaded.
        ValueError: `dtype` is not floating.

    Source: Y. Netzer et al., *Reading Digits in Natural Images with Unsupervised Feature Learning*, 2011.
    """
    require("scipy", "get_svhn", "scipy")
    files = (remote.SVHN_TRAIN, remote.SVHN_TEST, remote.SVHN_EXTRA)[: 3 if add_extra else 2]
    return tuple(_load(file, withlabel, scale, dtype, label_dtype) for file in files)


def _load(file: remote.RemoteFile, withlabel: bool, scale: float, dtype: Any, label_dtype: Any) -> Part:
    from scipy.io import loadmat

    path = fetch(file)
    with reading(str(path), "a file of SVHN"):
        content = loadmat(path, variable_names=["X", "y"])
        # Height, width, channel, image.
        images, labels = content["X"].transpose(3, 2, 0, 1), content["y"].reshape(-1)
    # The digit 0 has label 10.
    return as_dataset(as_floats(images, _WHITE, scale, dtype), labels % 10, withlabel, label_dtype)
