"""Reading state dicts written by ``torch.save``. It needs no PyTorch and runs no code.

Since PyTorch 1.6 the file is a zip file. ``data.pkl`` is a pickle that lists the tensors, and ``data/<key>`` is the
memory of each. Older files consist of several pickles followed by the memory (``torch/serialization.py``, ``_save`` and
``_legacy_save``).
"""

from __future__ import annotations

import math
import mmap
import os
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, partial
from typing import IO, Any

import numpy as np

from renga_core.serializers.errors import FileDamaged, FileRefused
from renga_serializers.pickles import Called, Forbidden, Function, read_pickle, take_pickle

__all__ = ["load_state_dict"]

_KIND = "a file of PyTorch's"
_MAGIC = 0x1950A86A20F9469CFC6C
_STORAGES = {
    "Double": "f8",
    "Float": "f4",
    "Half": "f2",
    "BFloat16": "bfloat16",
    "Long": "i8",
    "Int": "i4",
    "Short": "i2",
    "Char": "i1",
    "Byte": "u1",
    "Bool": "?",
}
_WIDTH = {code: 2 if code == "bfloat16" else np.dtype(code).itemsize for code in _STORAGES.values()}
# Keys under which programs store a state dict beside other values.
_INNER = ("state_dict", "model_state_dict", "model")

Host = np.ndarray[Any, Any]


class _Items(dict[Any, Any]):
    """An OrderedDict, without its attributes, such as versions of modules."""

    def __setstate__(self, state: Any) -> None:
        pass


class _OrderedDict:
    """Stands for the class."""

    def __call__(self, *arguments: Any) -> _Items:
        return _Items(*arguments)


_KNOWN: dict[str, Callable[[], Any]] = {
    "collections.OrderedDict": _OrderedDict,
    "torch._utils._rebuild_tensor_v2": partial(Function, "tensor"),
    "torch._utils._rebuild_parameter": partial(Function, "parameter"),
    **{f"torch.{name}Storage": partial(Function, code) for name, code in _STORAGES.items()},
}


@dataclass(frozen=True)
class _Storage:
    """Memory of tensors: the dtype of its numbers, and its key."""

    code: str
    key: str

    @classmethod
    def of(cls, pid: Any) -> _Storage:
        """Make it from the persistent id: ``("storage", type, key, device, number of elements[, view])``."""
        kind, function, key, _, _, *view = pid
        if kind != "storage" or not isinstance(function, Function) or function.name not in _WIDTH or any(view):
            raise ValueError(f"it refers to {pid!r}")
        return cls(function.name, str(key))


def load_state_dict(file: str | os.PathLike[str]) -> dict[str, Host]:
    """Read the tensors of a file written by ``torch.save``, by name. bfloat16 becomes float32.

    Args:
        file: Path. The file contains a dictionary of tensors, possibly under ``state_dict``, ``model_state_dict`` or
            ``model`` among other plain values.

    Returns:
        Read-only arrays, which share the memory of the file.

    Raises:
        FileDamaged: The file has another format, is truncated or altered.
        FileRefused: The file contains something else, which would need running code.
        OSError: The file cannot be opened.
    """
    name = os.fspath(file)
    with open(file, "rb") as opened:
        try:
            tensors = (_read_zip if zipfile.is_zipfile(opened) else _read_legacy)(opened)
        except Forbidden as forbidden:
            raise FileRefused(
                name,
                f"it refers to {forbidden}. Only tensors and plain values are read from PyTorch's files, and no code "
                "is run. Save the tensors alone: torch.save(model.state_dict(), file)",
            ) from None
        except Exception as error:  # zipfile, pickle and NumPy raise many types for damaged files
            raise FileDamaged(name, f"{type(error).__name__}: {error}", _KIND) from error
    if not tensors:
        raise FileRefused(name, "it contains no dictionary of tensors")
    return tensors


def _read_zip(file: IO[bytes]) -> dict[str, Host]:
    archive = zipfile.ZipFile(file)
    (pickled,) = (member for member in archive.namelist() if member.endswith("/data.pkl") and member.count("/") == 1)
    folder = pickled.partition("/")[0]
    packed = [member.filename for member in archive.infolist() if member.compress_type != zipfile.ZIP_STORED]
    if packed:
        raise ValueError(f"{packed[0]} is compressed, but PyTorch does not compress")
    order = f"{folder}/byteorder"
    if order in archive.namelist() and archive.read(order) != b"little":
        raise ValueError("its numbers are big-endian")
    tree = read_pickle(archive.read(pickled), _KNOWN, _Storage.of)
    return _tensors(tree, cache(lambda key: archive.read(f"{folder}/data/{key}")))


def _read_legacy(file: IO[bytes]) -> dict[str, Host]:
    """Read a file from before PyTorch 1.6."""
    if not os.fstat(file.fileno()).st_size:
        raise ValueError("it is empty")
    content: Any = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    if read_pickle(take_pickle(content), {}) != _MAGIC:
        raise ValueError("it begins otherwise")
    read_pickle(take_pickle(content), {})  # the version of the format
    if not read_pickle(take_pickle(content), {})["little_endian"]:
        raise ValueError("its numbers are big-endian")
    widths: dict[str, int] = {}

    def storage(pid: Any) -> _Storage:
        found = _Storage.of(pid)
        widths[found.key] = _WIDTH[found.code]
        return found

    tree = read_pickle(take_pickle(content), _KNOWN, storage)
    places: dict[str, memoryview] = {}
    for key in read_pickle(take_pickle(content), {}):
        size = int.from_bytes(content.read(8), "little") * widths[key]
        start = content.tell()
        places[key] = memoryview(content)[start : start + size]
        content.seek(start + size)
    return _tensors(tree, places.__getitem__)


def _tensors(tree: Any, memory: Callable[[str], bytes | memoryview]) -> dict[str, Host]:
    """The tensors of a dictionary, or of a dictionary inside it."""
    found = {key: _tensor(value, memory) for key, value in tree.items() if isinstance(value, Called)}
    inner = next((tree[key] for key in _INNER if isinstance(tree.get(key), dict)), None)
    return found if found or inner is None else _tensors(inner, memory)


def _tensor(called: Called, memory: Callable[[str], bytes | memoryview]) -> Host:
    if called.name == "parameter":
        called = called.arguments[0]
    if called.name != "tensor":
        raise ValueError(f"a {called.name} instead of a tensor")
    storage, offset, shape, strides, *_ = called.arguments
    width = _WIDTH[storage.code]
    content = memory(storage.key)
    if min((offset, *shape, *strides), default=0) < 0 or math.prod(shape) * width > len(content):
        raise ValueError(f"a tensor of shape {shape} in {len(content)} bytes")
    code = "u2" if storage.code == "bfloat16" else storage.code
    # NumPy checks that the tensor is inside the memory.
    array: Host = np.ndarray(shape, f"<{code}", content, offset * width, [step * width for step in strides])
    return (array.astype("<u4") << 16).view("<f4") if storage.code == "bfloat16" else array
