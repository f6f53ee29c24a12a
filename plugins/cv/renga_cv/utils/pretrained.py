"""Find and load the trained weights that `pretrained_model` names.

Each class has a table of the weights that ChainerCV's authors published for it; see `published`. Their files are kept
in the folder ``pfnet/chainercv/models`` of ``dataset.root``, and downloaded if missing. The authors published no
digests: files are checked for their structure and their own checksums, like all files.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import warnings
from collections.abc import Iterable, Mapping, Sequence, Set
from types import MappingProxyType
from typing import Any, TypedDict

import numpy as np

from renga_core.errors import did_you_mean
from renga_core.link import Link
from renga_core.serializers import AbstractSerializer, PartlyLoaded, load
from renga_core.settings import lookup
from renga_data.datasets.cached import cache_or_load_file, cached_download
from renga_data.datasets.download import DownloadError, get_dataset_root
from renga_serializers.paths import find_file

__all__ = [
    "PublishedModel",
    "download_model",
    "load_pretrained_model",
    "prepare_pretrained_model",
    "published",
    "stored_arguments",
]

FOLDER = "pfnet/chainercv/models"
"""The folder of weight files, under ``dataset.root`` and on a mirror."""

_URL = "https://chainercv-models.preferred.jp"


class PublishedModel(TypedDict, total=False):
    """A row of a class's table of weights.

    Attributes:
        url: The address of the file.
        param: The arguments of the training.
        overwritable: Names of arguments that may have other values.
        cv2: Whether its published results used images resized by OpenCV.
    """

    url: str
    param: Mapping[str, Any]
    overwritable: Iterable[str]
    cv2: bool


def published(file: str, *, overwritable: Sequence[str] = (), cv2: bool = False, **param: Any) -> PublishedModel:
    """Return a table row for a file published by ChainerCV's authors.

    Args:
        file: The name of the file.
        overwritable: Names of arguments that may have other values.
        cv2: Whether its published results used images resized by OpenCV.
        param: The arguments of the training.
    """
    return {"url": f"{_URL}/{file}", "param": param, "overwritable": overwritable, "cv2": cv2}


def prepare_pretrained_model(
    param: Mapping[str, Any],
    pretrained_model: str | os.PathLike[str] | None,
    models: Mapping[str, PublishedModel],
    default: Mapping[str, Any] = MappingProxyType({}),
) -> tuple[dict[str, Any], str | None]:
    """Find the weight file and the arguments of a class.

    Args:
        param: Arguments of the class, by name; None if not given.
        pretrained_model: A name in `models`, or the path of a file, or None for random weights.
        models: The table of the class. Files of these names are downloaded if missing.
        default: Values of arguments that neither the caller nor the weights set.

    Returns:
        The arguments, and the path of the file, or None.

    Raises:
        ValueError: An argument is missing, or differs from the value in training. Files written by ``renga weights
            convert`` record these values.
        FileNotFoundError: `pretrained_model` is neither a name nor a file.
        FileDamaged: The file does not contain weights.
        DownloadError: The file is missing, and the download failed.
    """
    known: Mapping[str, Any] = {}
    path = None
    if pretrained_model is not None:
        weights = os.fspath(pretrained_model)
        if weights in models:
            known = models[weights].get("param", {})
            _check(
                param,
                known,
                known.keys() - set(models[weights].get("overwritable", ())),
                weights,
                "Leave it out; or, to train other outputs on these weights, pass the path of their file in place of "
                "their name.",
            )
            path = _named_file(weights, models[weights])
        else:
            path = _given_file(weights, models)
            known = stored_arguments(path, param)
            _check(param, known, known.keys() - {"mean"}, weights, "Pass that.")
    filled = {}
    for name, given in param.items():
        value = known.get(name, default.get(name)) if given is None else given
        if value is None:
            reason = (
                f"the weights {pretrained_model!r} do not contain it" if pretrained_model else "nothing else sets it"
            )
            raise ValueError(f"{name} must be given: {reason}")
        filled[name] = value
    return filled, path


def _check(param: Mapping[str, Any], known: Mapping[str, Any], names: Set[str], weights: str, advice: str) -> None:
    """Raise ValueError if given arguments differ from those of the training."""
    for name in names & param.keys():
        if param[name] is not None and not np.array_equal(param[name], known[name]):
            raise ValueError(f"{name} is {known[name]!r} in the weights {weights!r}, not {param[name]!r}. {advice}")


class _Arguments:
    """Return the arguments that a weight file records, by name; see `renga_cv.weights`."""

    def __init__(self, names: Iterable[str]) -> None:
        self.found: dict[str, Any] = dict.fromkeys(names)

    def serialize(self, serializer: AbstractSerializer) -> None:
        for name in self.found:
            self.found[name] = serializer["arguments"](name, None)


def stored_arguments(path: str, names: Iterable[str]) -> Mapping[str, Any]:
    """Return the arguments in `names` that a weight file records. Raises FileDamaged."""
    arguments = _Arguments(names)
    load(path, arguments, strict=False)
    return {name: value for name, value in arguments.found.items() if value is not None}


def _named_file(name: str, model: PublishedModel) -> str:
    if model.get("cv2", False) and importlib.util.find_spec("cv2") is None:
        warnings.warn(
            f"the published figures of the weights {name!r} were measured on images resized by OpenCV. OpenCV is not "
            f"installed; Pillow is used instead, and results differ slightly.\nNext: pip install "
            "opencv-python-headless",
            stacklevel=4,
        )
    return download_model(model["url"])


def _given_file(weights: str, models: Mapping[str, PublishedModel]) -> str:
    path = find_file(weights, ".npz")
    if not os.path.exists(path):
        names = ", ".join(repr(name) for name in models) or "none"
        raise FileNotFoundError(
            f"pretrained_model={weights!r} is neither a file nor one of the names that this class has weights for: "
            f"{names}.{did_you_mean(weights, models)} None starts with random weights."
        )
    return path


def download_model(url: str) -> str:
    """Return the path of a weight file; the first call downloads it.

    The folder is ``pfnet/chainercv/models`` in ``dataset.root``; an existing file there is used unchanged. If setting
    ``dataset.mirror`` names a folder, ``pfnet/chainercv/models/<file>`` is copied from there instead.

    Args:
        url: The address of the file.

    Raises:
        DownloadError: The download failed. The message tells where to put the file by hand.
    """
    path = get_dataset_root() / FOLDER / url.rpartition("/")[2]
    mirror = lookup("dataset.mirror").value
    source = f"{mirror.rstrip('/')}/{FOLDER}/{path.name}" if mirror else url

    def download(target: str) -> str:
        try:
            shutil.move(cached_download(source), target)
        except DownloadError as error:
            raise DownloadError(
                f"{error}. Get {path.name} another way and put it at {path}, or pass its path as pretrained_model; "
                "pretrained_model=None starts with random weights."
            ) from error
        return target

    cache_or_load_file(path, download, str)
    return str(path)


def load_pretrained_model(
    link: Link, path: str | os.PathLike[str] | None, heads: Sequence[str] = (), strict: bool = True
) -> None:
    """Load a weight file into a network. If the file does not fit, the network stays unchanged.

    Args:
        link: The network.
        path: The file, in any format with a known suffix; None does nothing.
        heads: Paths of links whose size is the number of classes (``fc8``), if a number was given. If the file has
            other shapes for them, they keep their initial values, and a warning names them.
        strict: Whether the file must contain all values of the network.

    Raises:
        FileDamaged, FileMismatched, OSError: See `renga.serializers.load`; the error lists all differences.
    """
    if path is None:
        return
    initial = {
        name: (param, param.array)
        for name, param in link.namedparams()
        if param.is_initialized and any(name.startswith(f"/{head}/") for head in heads)
    }
    # An uninitialized parameter accepts any shape.
    for param, _ in initial.values():
        param.array = None
    stay = []
    try:
        load(path, link, strict=strict)
    finally:
        for name, (param, array) in initial.items():
            if param.array is None or param.shape != array.shape:
                stay.append(
                    f"{name[1:]} {array.shape}, {param.shape if param.is_initialized else 'nothing'} in the file"
                )
                param.array = array
    if stay:
        warnings.warn(
            f"{os.fspath(path)} is of another number of classes. These keep their initial values and must be trained: "
            + "; ".join(stay),
            PartlyLoaded,
            stacklevel=4,
        )
