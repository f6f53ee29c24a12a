"""npz files that Chainer has written.

Chainer stores None, and what else NumPy has no dtype for, pickled. A pickle is a program; here it is read as data. The
functions it asks for are never called: `read_pickle` notes what would be called with what, and only where that is how
NumPy makes an array or a number does this module make it itself, from values it has checked.
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

# What may be asked for, by the names it has had, and what it is called here.
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
    """The file asks for more than values: it holds a pickle that would run code.

    Attributes:
        key: Where it is.
        asked: What it asks for: a class or a function, by its full name.
    """

    def __init__(self, file: str, key: str, asked: str) -> None:
        super().__init__(
            file,
            f"{key!r} is a pickle that asks for {asked}. Of pickles only None, numbers, texts and arrays of them are "
            "read, and no code is run. Its value can be left as it is: ignore_names.",
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
    """Load an npz file that Chainer has saved into an object: all of it, or, if anything is wrong, nothing.

    As `load_npz`, but None, numbers, texts and arrays that are pickled in the file are read, without running any code.
    Chainer's models and Renga's have the same names: ``path="updater/model:main"`` takes the model out of a trainer's
    snapshot.

    Args:
        file: Path, or an open binary file. Where there is no such file, ``.npz`` is put behind the name.
        obj: Object with a ``serialize`` method.
        path, strict, ignore_names: See `load_npz`.

    Raises:
        FileForbidden: A value that `obj` asks for is a pickle of something else; key and class are named.
        FileDamaged, FileMismatched, OSError: As `load_npz`.
    """
    with open_archive(
        find_file(file, ".npz") if isinstance(file, (str, os.PathLike)) else file, ChainerArchive
    ) as archive:
        load_arrays(archive, archive.name, obj, path, strict, ignore_names)


class ChainerNpzFormat:
    """The file format ``chainer_npz``. It saves as Renga's own npz, since that is what Renga's users load."""

    save = staticmethod(save_npz)
    load = staticmethod(load_chainer_npz)


class ChainerArchive(Archive):
    """An npz file with arrays of objects in it."""

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
    """The value for which NumPy has made an array of objects, in a pickle of this size, as it is stored here."""
    shape, dtype, elements = _parts_of_array(tree)
    if not dtype.hasobject:
        raise ValueError(f"a pickled array of {dtype} where one of objects is announced")
    if not isinstance(elements, list) or len(elements) != math.prod(shape):
        raise ValueError("an array of objects has not as many as its shape says")
    values = [_scalar(element) for element in elements]
    if shape != () and (None in values or len({isinstance(value, str) for value in values}) > 1):
        raise Forbidden("an array of unlike objects")
    # Each text gets as much room as the longest; and a pickle can say one thing many times.
    longest = max((len(value) for value in values if isinstance(value, str)), default=1)
    if too_much := excess(4 * len(values) * longest, size):
        raise ValueError(f"it {too_much}")
    try:
        # Elements come in C order, whichever the array has.
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
    """None, a number or a text."""
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
    # As protocols before 3 spell bytes; Python 2 knew only texts.
    text = tree.arguments[0] if isinstance(tree, Called) and tree.name == "encode" else tree
    if not isinstance(text, str):
        raise Forbidden(_name_of(tree))
    return text.encode("latin1")


def _name_of(tree: Any) -> str:
    """What somebody who reads a message calls it."""
    if isinstance(tree, Called) and tree.name == "encode":
        return "a bytes"
    return f"{tree.name} of NumPy" if isinstance(tree, (Called, Function)) else f"a {type(tree).__name__}"
