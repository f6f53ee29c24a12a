"""The arrays of a network of TensorFlow Lite, by name. The graph is ignored.

The file is a FlatBuffer: tables whose fields are found by offsets (https://flatbuffers.dev/internals/); the fields of a
table are listed in ``tensorflow/lite/schema/schema.fbs``. Each offset is checked, and arrays are views of the file.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

from renga_core.serializers import FileDamaged, FileRefused
from renga_cv.weights.recipe import Host

__all__ = ["read_tflite"]

_LONGEST = 1000  # bytes of a name
_FIELDS = 8  # more than needed: a damaged file may claim a million tables with thousands of fields
_FLOAT32 = 0
_INTEGERS = {2, 4}  # int32 and int64: sizes and axes, no weights


class _Table:
    """A table of a FlatBuffer: its fields by number."""

    def __init__(self, data: bytes, at: int) -> None:
        self._data = data
        self._at = at
        start = at - self._read("<i", at)
        count = min((self._read("<H", start) - 4) // 2, _FIELDS)
        self._fields = [self._read("<H", start + 4 + 2 * number) for number in range(count)]

    def _read(self, form: str, at: int) -> int:
        if at < 0:
            raise ValueError(f"an offset leads to {at}")
        value: int = struct.unpack_from(form, self._data, at)[0]
        return value

    def _place(self, number: int) -> int | None:
        offset = self._fields[number] if number < len(self._fields) else 0
        return self._at + offset if offset else None

    def number(self, number: int, form: str) -> int:
        """A field that is a number; 0 if it is missing."""
        place = self._place(number)
        return 0 if place is None else self._read(form, place)

    def vector(self, number: int, dtype: str) -> Any:
        """A field that is a list of numbers, as an array."""
        place = self._place(number)
        if place is None:
            return np.zeros(0, dtype)
        place += self._read("<I", place)
        return np.frombuffer(self._data, dtype, self._read("<I", place), place + 4)

    def tables(self, number: int) -> Iterator[_Table]:
        """A field that is a list of tables."""
        place = self._place(number)
        if place is not None:
            start = place + self._read("<I", place) + 4
            for i, offset in enumerate(self.vector(number, "<u4")):
                yield _Table(self._data, start + 4 * i + int(offset))


def read_tflite(file: str) -> dict[str, Host]:
    """The arrays of float32, by name.

    Args:
        file: The ``.tflite`` file.

    Raises:
        FileDamaged: It has another format, is truncated or altered.
        FileRefused: An array is quantized.
        OSError: It cannot be read.
    """
    with open(file, "rb") as opened:
        data = opened.read()
    try:
        if data[4:8] != b"TFL3":
            raise ValueError("its identifier is not TFL3")
        model = _Table(data, struct.unpack_from("<I", data)[0])
        (graph,) = model.tables(2)
        buffers = [table.vector(0, "u1") for table in model.tables(4)]
        return dict(_arrays(file, graph, buffers))
    except FileRefused:
        raise
    except (ValueError, IndexError, struct.error) as error:
        raise FileDamaged(file, f"{type(error).__name__}: {error}", "a file of TensorFlow Lite") from error


def _arrays(file: str, graph: _Table, buffers: list[Any]) -> Iterator[tuple[str, Host]]:
    names = set()
    for tensor in graph.tables(0):
        content = buffers[tensor.number(2, "<I")]
        kind = tensor.number(1, "<b")
        if not len(content) or kind in _INTEGERS:  # without content it is the result of an operation
            continue
        letters = tensor.vector(3, "u1")
        if len(letters) > _LONGEST:
            raise ValueError(f"a name has {len(letters)} bytes")
        name = letters.tobytes().decode("utf-8")
        if name in names:
            raise ValueError(f"two tensors are called {name}")
        names.add(name)
        if kind != _FLOAT32:
            raise FileRefused(file, f"{name} is quantized; only float32 can be converted")
        shape = tuple(int(size) for size in tensor.vector(0, "<i4"))
        if min(shape, default=0) < 0 or 4 * math.prod(shape) != len(content):
            raise ValueError(f"{name} has shape {shape} and {len(content)} bytes")
        yield name, content.view("<f4").reshape(shape)
