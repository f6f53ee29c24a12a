"""Writes a model to a file; large weights go to a second file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

import onnx
from onnx import TensorProto

from renga_serializers.atomic import atomic_write

__all__ = ["LARGEST", "store", "weights_size"]

LARGEST = 2**31 - 2**20
"""Bytes of weights above which they go to a second file: a protocol buffer must be below 2 GiB."""

_SMALL = 1024
"""Bytes up to which an initializer stays in the model, for example shapes, which programs read first."""


def weights_size(model: onnx.ModelProto) -> int:
    """Total size of the initializers in bytes."""
    return sum(len(each.raw_data) for each in model.graph.initializer)


def store(model: onnx.ModelProto, path: str | os.PathLike[str], text: bool = False) -> None:
    """Write a model atomically; more than `LARGEST` bytes of weights go to ``<path>.data``.

    Args:
        model: Not changed.
        path: Path of the file. Its folder is created if it is missing.
        text: Also write the model as text, with the suffix ``.txt``.

    Raises:
        OSError: The folder is full or not writable; the files are unchanged.
    """
    path = Path(path)
    with _told(path):
        if path.is_dir():
            raise IsADirectoryError("it is a folder")
        path.parent.mkdir(parents=True, exist_ok=True)
        # The model is renamed last, when the weights are complete.
        with atomic_write(path) as file:
            if text:
                with atomic_write(path.with_suffix(".txt"), "w") as lines:
                    lines.write(str(model))
            if weights_size(model) <= LARGEST:
                file.write(model.SerializeToString())
                return
            data = path.with_name(path.name + ".data")
            with atomic_write(data) as weights:
                file.write(_apart(model, weights, data.name).SerializeToString())


def _apart(model: onnx.ModelProto, weights: IO[bytes], location: str) -> onnx.ModelProto:
    """Write the large initializers to a file; return a model that refers to them."""
    made = onnx.ModelProto()
    for field, value in model.ListFields():
        if field.name != "graph":
            _copy(made, field.name, value)
    for field, value in model.graph.ListFields():
        if field.name != "initializer":
            _copy(made.graph, field.name, value)
    for each in model.graph.initializer:
        if len(each.raw_data) <= _SMALL:
            made.graph.initializer.append(each)
            continue
        # Not copied first, because it may have gigabytes.
        tensor = made.graph.initializer.add(
            name=each.name, dims=each.dims, data_type=each.data_type, data_location=TensorProto.EXTERNAL
        )
        place = {"location": location, "offset": weights.tell(), "length": len(each.raw_data)}
        for key, number in place.items():
            tensor.external_data.add(key=key, value=str(number))
        weights.write(each.raw_data)
    return made


def _copy(made: onnx.ModelProto | onnx.GraphProto, name: str, value: object) -> None:
    if isinstance(value, (str, int)):
        setattr(made, name, value)
    else:
        getattr(made, name).MergeFrom(value)


@contextmanager
def _told(path: Path) -> Iterator[None]:
    """Make a file system error name the requested file instead of the temporary one."""
    try:
        yield
    except OSError as error:
        said = error.strerror or str(error)
        raise OSError(error.errno, f"the model cannot be written: {said}", str(path)) from error
