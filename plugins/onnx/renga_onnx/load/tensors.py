"""Reads arrays from the file and from files beside it, with checks before memory is allocated."""

from __future__ import annotations

import math
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from renga_onnx.load.graph import Host
from renga_onnx.load.operators.values import dtype_of

__all__ = ["FilesBeside", "Unsound", "tensor_array"]


class Unsound(ValueError):
    """The content of the file is invalid; the message says where and why."""


_MOST_CLAIMS = 4


class FilesBeside:
    """The files in the folder of a model, or below it.

    Args:
        folder: The folder.

    Attributes:
        claimed: For each file, the number of bytes that tensors have read.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.claimed: Counter[Path] = Counter()

    def read(self, location: str, offset: int, length: int) -> bytes:
        """Read a part of a file. Tensors may share bytes, within a limit, so that a small file cannot fill the memory.

        Raises:
            Unsound: The file does not exist or is too short. The message continues a sentence about the tensor.
        """
        parts = Path(location).parts
        if not location or Path(location).is_absolute() or ".." in parts or "\\" in location or "\0" in location:
            raise Unsound(f"refers to {location!r}, which is not a file below the folder of the model")
        path = self.folder.joinpath(*parts)
        if any(self.folder.joinpath(*parts[: i + 1]).is_symlink() for i in range(len(parts))):
            raise Unsound(f"refers to {location!r}, which is a link: it could lead anywhere")
        if not path.is_file():
            raise Unsound(f"refers to {location!r}, which does not exist")
        there = path.stat().st_size
        if offset < 0 or offset + length > there:
            raise Unsound(f"takes {length:,} bytes from {offset:,} of {location!r}, which has {there:,} bytes")
        self.claimed[path] += length
        if self.claimed[path] > _MOST_CLAIMS * there:
            raise Unsound(f"and others take more than {_MOST_CLAIMS} times the size of {location!r}")
        with open(os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0)), "rb") as file:
            file.seek(offset)
            return file.read(length)


_FIELDS = {1: "float_data", 11: "double_data", 7: "int64_data", 12: "uint64_data", 13: "uint64_data"}
"""Fields with the numbers of each type, if they are not raw; all others use ``int32_data``."""


def tensor_array(tensor: Any, files: FilesBeside) -> Host:
    """Read an array, from the file itself or from one in its folder.

    Args:
        tensor: An `onnx.TensorProto`.
        files: Files beside the model.

    Raises:
        Unsound: Its size does not match its shape, or its file is outside of the folder.
        NotImplementedError: Its type is not supported.
    """
    shape = tuple(tensor.dims)
    where = f"tensor {tensor.name!r} of shape {shape}"
    if any(n < 0 for n in shape):
        raise Unsound(f"{where} has a negative size")
    try:
        dtype = dtype_of(tensor.data_type)
    except ValueError:
        raise Unsound(f"{where} has an unknown type, number {tensor.data_type}") from None
    except NotImplementedError as error:
        raise NotImplementedError(f"{where}: {error}") from None
    count = math.prod(shape)
    if tensor.data_location == 1:
        content = _external(tensor, files, count * dtype.itemsize, where)
    elif tensor.HasField("raw_data"):
        content = tensor.raw_data
    else:
        return _typed(tensor, shape, dtype, count, where)
    if len(content) != count * dtype.itemsize:
        raise Unsound(f"{where} needs {count * dtype.itemsize:,} bytes, but has {len(content):,}")
    return np.frombuffer(content, dtype.newbyteorder("<")).astype(dtype).reshape(shape)


def _typed(tensor: Any, shape: tuple[int, ...], dtype: Any, count: int, where: str) -> Host:
    """Read from the fields that hold one number per element."""
    numbers = getattr(tensor, _FIELDS.get(tensor.data_type, "int32_data"))
    if len(numbers) != count:
        raise Unsound(f"{where} needs {count:,} numbers, but has {len(numbers):,}")
    if tensor.data_type in (10, 16):  # for half precision, the bits
        made: Host = np.array(numbers, np.uint16).view(dtype)
    else:
        made = np.array(numbers).astype(dtype)
    return made.reshape(shape)


def _external(tensor: Any, files: FilesBeside, size: int, where: str) -> bytes:
    """Read a tensor from another file."""
    entries = {entry.key: entry.value for entry in tensor.external_data}
    try:
        offset, length = int(entries.get("offset", 0)), int(entries.get("length", size))
    except ValueError:
        raise Unsound(f"{where} has an offset or a length that is not a number") from None
    if length != size:
        raise Unsound(f"{where} needs {size:,} bytes, but its length is given as {length:,}")
    try:
        return files.read(entries.get("location", ""), offset, length)
    except Unsound as error:
        raise Unsound(f"{where} {error}") from None
