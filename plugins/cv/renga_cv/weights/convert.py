"""Converts files of weights from other programs to Renga's."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

import numpy as np

from renga_core.errors import RengaError, did_you_mean
from renga_core.link import Link
from renga_core.serializers import AbstractSerializer, FileDamaged, FileMismatched, save
from renga_cv.weights.darknet import DETECTORS, read_darknet
from renga_cv.weights.deeplab import SEGMENTERS
from renga_cv.weights.face_api import FACES, is_face_api, read_face_api
from renga_cv.weights.keras import KERAS
from renga_cv.weights.recipe import Host, Recipe
from renga_cv.weights.tensorflow_js import read_tensorflow_js
from renga_cv.weights.tflite import read_tflite
from renga_cv.weights.torchvision import CLASSIFIERS
from renga_serializers.npz import load_arrays, save_npz
from renga_serializers.optional import require
from renga_serializers.torch_files import load_state_dict

__all__ = ["RECIPES", "convert_weights"]

RECIPES: dict[str, Recipe] = {**CLASSIFIERS, **KERAS, **DETECTORS, **FACES, **SEGMENTERS}
"""The networks that can be converted, by their names in the other program."""

# PyTorch counts all batches; Renga's batch normalization counts batches of finetuning, and starts at 0.
_UNUSED = ".num_batches_tracked"


def convert_weights(
    source: str | os.PathLike[str], target: str | os.PathLike[str], model: str | None = None
) -> tuple[str, Link]:
    """Convert weights that another program has trained to a file that `pretrained_model` accepts.

    Args:
        source: Their file: ``.safetensors``; ``.pth`` as ``torch.save`` writes it; ``.json``, with the files beside it,
            of TensorFlow.js; ``.weights``, with the ``.cfg`` beside it, of Darknet, or without one of face-api.js;
            ``.tflite``. No code in it is run.
        target: The file to write; its suffix selects the format.
        model: The network, a name in `RECIPES`; by default, it is recognized by the names in the file.

    Returns:
        The name, and the network.

    Raises:
        RengaError: There is no such `model`.
        FileDamaged, FileRefused: The file cannot be read.
        FileMismatched: The file belongs to another network; all differences are listed.
        OSError: A file cannot be read or written.
    """
    if model is not None and model not in RECIPES:
        raise RengaError(f"no network {model!r} can be converted.{did_you_mean(model, RECIPES)} There are: {_known()}")
    file = os.fspath(source)
    arrays = _read(file)
    name = model or _recognized(arrays)
    recipe = RECIPES[name]
    differences = _differences(arrays, recipe)
    if differences:
        raise FileMismatched(file, [f"as {name} (there are recipes for {_known()}):", *differences])
    own = recipe.read(arrays)
    network = recipe.network(arrays[recipe.classes].shape[0], **own)
    taken = {path: np.asarray(found.taken(arrays), np.float32) for path, found in recipe.sources.items()}
    load_arrays(taken, file, network, ignore_names=lambda path: path.endswith("/N"))
    whole = _WithArguments(network, {**recipe.arguments, **own})
    if PurePath(target).suffix.lower() in ("", ".npz"):
        save_npz(target, whole, compression=False)  # compression would take a minute and save little
    else:
        save(target, whole)
    return name, network


class _WithArguments:
    """A network, and the arguments that its weights need."""

    def __init__(self, network: Link, arguments: Mapping[str, Any]) -> None:
        self.network = network
        self.arguments = arguments

    def serialize(self, serializer: AbstractSerializer) -> None:
        self.network.serialize(serializer)
        for name, value in self.arguments.items():
            serializer["arguments"](name, value)


def _known() -> str:
    return ", ".join(RECIPES)


def _read(file: str) -> dict[str, Host]:
    suffix = PurePath(file).suffix.lower()
    if suffix == ".json":
        return read_tensorflow_js(file)
    if suffix == ".tflite":
        return read_tflite(file)
    if suffix == ".weights":
        return read_face_api(file) if is_face_api(file) else read_darknet(file)
    if suffix != ".safetensors":
        return load_state_dict(file)
    require("safetensors", "renga weights convert", "safetensors")
    from safetensors import SafetensorError
    from safetensors.numpy import load_file

    try:
        return load_file(file)
    except (SafetensorError, KeyError, ValueError) as error:
        raise FileDamaged(file, str(error), "a safetensors file") from error


def _recognized(arrays: Mapping[str, Host]) -> str:
    """The network that has most names in common with a file."""
    return min(RECIPES, key=lambda name: len(_differences(arrays, RECIPES[name])))


def _differences(arrays: Mapping[str, Host], recipe: Recipe) -> list[str]:
    """The arrays that are missing in a file, and the arrays that the network does not have."""
    wanted = recipe.names
    there = {name for name in arrays if not name.endswith(_UNUSED)}
    missing = [f"{name} is missing" for name in sorted(wanted - there)]
    return missing + [f"the network does not have {name}" for name in sorted(there - wanted)]
