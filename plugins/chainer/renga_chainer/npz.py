"""Reads npz files of Chainer.

Chainer pickles None and other values without a NumPy dtype. Unpickling runs code; this module reads the pickle as data
and never calls its functions. `read_pickle` records the calls. If they are the calls by which NumPy creates an array or
a number, this module creates it itself, from values that it has checked.
"""

from __future__ import annotations

import math
import os
import re
from collections.abc import Iterable
from functools import partial
from typing import IO, Any

import numpy as np

from renga_core.serializers.errors import FileRefused
from renga_core.serializers.formats import Names
from renga_core.serializers.protocol import Serializable
from renga_serializers.archive import Archive, open_archive
from renga_serializers.limits import excess
from renga_serializers.npz import load_arrays, save_npz
from renga_serializers.paths import find_file
from renga_serializers.pickles import Called, Forbidden, Function, read_pickle
from renga_serializers.values import encode

__all__ = ["ChainerArchive", "ChainerNpzFormat", "FileForbidden", "load_chainer_npz"]

# Allowed functions, by all their names over time, and their names in this module.
_NAMES = {
    "numpy.core.multiarray._reconstruct": "array",
    "numpy._core.multiarray._reconstruct": "array",
    "numpy.core.multiarray.scalar": "scalar",
    "numpy._core.multiarray.scalar": "scalar",
    "numpy.ndarray": "ndarray",
    "numpy.dtype": "dtype",
    "_codecs.encode": "encode",
    "builtins.complex": "complex",
    "__builtin__.complex": "complex",
}
_KNOWN = {full: partial(Function, name) for full, name in _NAMES.items()}
_DTYPE = re.compile(r"[biufcSU]\d+|O\d*")


class FileForbidden(FileRefused):
    """The file contains a pickle that would run code.

    Attributes:
        key: Name of the value in the file.
        asked: Full name of the class or function that the pickle uses.
    """

    def __init__(self, file: str, key: str, asked: str) -> None:
        super().__init__(
            file,
            f"{key!r} is a pickle that uses {asked}. Only pickles of None, numbers, texts and arrays of them are "
            "read; no code is run. To skip this value, use ignore_names.",
        )
        self.key = key
        self.asked = asked


def load_chainer_npz(
    file: str | os.PathLike[str] | IO[bytes],
    obj: Serializable,
    path: str = "",
    strict: bool = True,
    ignore_names: Names | Iterable[Names] | None = None,
) -> None:
    """Load an npz file of Chainer into an object: all of it or, after an error, nothing.

    As `load_npz`, but also reads pickled None, numbers, texts and arrays, without running code. Chainer's models and
    Renga's have the same names: ``path="updater/model:main"`` loads the model from a trainer's snapshot.

    Args:
        file: Path, or an open binary file. If the path does not exist, ``.npz`` is appended.
        obj: Object with a ``serialize`` method.
        path, strict, ignore_names: See `load_npz`.

    Raises:
        FileForbidden: A value of `obj` is a pickle of something else; the message names key and class.
        FileDamaged, FileMismatched, OSError: As `load_npz`.
    """
    with open_archive(
        find_file(file, ".npz") if isinstance(file, (str, os.PathLike)) else file, ChainerArchive
    ) as archive:
        load_arrays(archive, archive.name, obj, path, strict, ignore_names)


class ChainerNpzFormat:
    """The file format ``chainer_npz``. It saves in the format of Renga's own npz files."""

    save = staticmethod(save_npz)
    load = staticmethod(load_chainer_npz)


class ChainerArchive(Archive):
    """An npz file with object arrays in it."""

    def read(self, key: str, stream: IO[bytes]) -> np.ndarray[Any, Any]:
        """Read one array, pickled or not."""
        if np.lib.format.read_magic(stream) == (1, 0):
            _, _, dtype = np.lib.format.read_array_header_1_0(stream)
            if dtype.hasobject:
                return self._read_pickle(key, stream.read())
        stream.seek(0)
        return super().read(key, stream)

    def _read_pickle(self, key: str, content: bytes) -> np.ndarray[Any, Any]:
        try:
            return _value_in_array(read_pickle(content, _KNOWN), len(content))
        except Forbidden as forbidden:
            raise FileForbidden(self.name, key, str(forbidden)) from None


def _value_in_array(tree: Any, size: int) -> np.ndarray[Any, Any]:
    """Return the value that NumPy stored as an object array, in a pickle of this size."""
    shape, dtype, elements = _parts_of_array(tree)
    if not dtype.hasobject:
        raise ValueError(f"a pickled array of {dtype} instead of objects")
    if not isinstance(elements, list) or len(elements) != math.prod(shape):
        raise ValueError("the number of objects does not match the shape of their array")
    values = [_scalar(element) for element in elements]
    if shape != () and (None in values or len({isinstance(value, str) for value in values}) > 1):
        raise Forbidden("an array of objects of different types")
    # Each text takes as much memory as the longest, and a pickle can repeat an object many times.
    longest = max((len(value) for value in values if isinstance(value, str)), default=1)
    if too_much := excess(4 * len(values) * longest, size):
        raise ValueError(f"it {too_much}")
    try:
        # Elements are stored in C order, whatever the order of the array.
        return encode(values).reshape(shape) if shape else encode(values[0])
    except TypeError:
        raise Forbidden("an integer of more than 64 bits") from None


def _parts_of_array(tree: Any) -> tuple[tuple[int, ...], np.dtype[Any], Any]:
    if not (isinstance(tree, Called) and tree.name == "array"):
        raise Forbidden(_name_of(tree))
    _, shape, dtype, _, elements = tree.state
    if not (isinstance(shape, tuple) and all(isinstance(n, int) and n >= 0 for n in shape)):
        raise ValueError(f"an array of shape {shape!r}")
    return shape, _dtype(dtype), elements


def _scalar(tree: Any) -> Any:
    """Return None, a number or a text."""
    if tree is None or isinstance(tree, (bool, int, float, str)):
        return tree
    if isinstance(tree, Called) and tree.name == "complex":
        real, imaginary = tree.arguments
        return complex(float(real), float(imaginary))
    if isinstance(tree, Called) and tree.name == "scalar":
        dtype, data = tree.arguments
        wanted = _dtype(dtype)
        if wanted.hasobject:
            raise Forbidden("an object in a NumPy scalar")
        (value,) = np.frombuffer(_bytes(data), wanted)
        return value
    raise Forbidden(_name_of(tree))


def _dtype(tree: Any) -> np.dtype[Any]:
    if not (isinstance(tree, Called) and tree.name == "dtype"):
        raise Forbidden(_name_of(tree))
    code, order = tree.arguments[0], "="
    if tree.state is not None:
        order = tree.state[1]
    if not (isinstance(code, str) and _DTYPE.fullmatch(code) and order in ("<", ">", "=", "|")):
        raise Forbidden(f"the dtype {code!r}")
    return np.dtype(order + code)


def _bytes(tree: Any) -> bytes:
    if isinstance(tree, bytes):
        return tree
    # Protocols before 3 spell bytes this way; Python 2 had only text.
    text = tree.arguments[0] if isinstance(tree, Called) and tree.name == "encode" else tree
    if not isinstance(text, str):
        raise Forbidden(_name_of(tree))
    return text.encode("latin1")


def _name_of(tree: Any) -> str:
    """Return the name of a class for messages."""
    if isinstance(tree, Called) and tree.name == "encode":
        return "a bytes"
    return f"{tree.name} of NumPy" if isinstance(tree, (Called, Function)) else f"a {type(tree).__name__}"
