"""Reading Protocol Buffers messages with a table of known fields.

The `protobuf` library is not used: it also needs such a table (as a compiled module), and makes a Python object of each
of the hundred million weights of a large network. Here weights are views of the file. The format:
https://protobuf.dev/programming-guides/encoding/.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import numpy as np

__all__ = ["Field", "Malformed", "Schema", "read_message"]

_VARINT, _FIXED64, _BYTES, _FIXED32 = 0, 1, 2, 5
_FIXED = {"float": ("<f4", _FIXED32), "double": ("<f8", _FIXED64)}


class Malformed(ValueError):
    """The bytes are not a valid message."""


@dataclass(frozen=True)
class Field:
    """A field of a message.

    Attributes:
        name: Name of the field.
        kind: ``int`` (also for enumerations), ``bool``, ``float``, ``double``, ``string``, the fields of a nested
            message, or ``bytes`` for a message to be read later.
        repeated: Whether there may be several values: a list, or an array of floating numbers.
        default: The value if the field is missing.
        most: The largest number of values. An empty message takes two bytes in a file, but hundreds in memory.
    """

    name: str
    kind: str | Schema
    repeated: bool = False
    default: Any = None
    most: int | None = None

    @property
    def fixed(self) -> tuple[str, int] | None:
        """Dtype and wire type of floating kinds."""
        return _FIXED.get(self.kind) if isinstance(self.kind, str) else None


Schema = Mapping[int, Field]
"""The fields of a message by number. Other fields are skipped."""


def read_message(data: memoryview, schema: Schema) -> SimpleNamespace:
    """A message, with an attribute for each field of `schema`; missing fields have their defaults.

    Raises:
        Malformed: `data` ends too early, or a field's kind differs from the schema.
    """
    found: dict[str, list[Any]] = {field.name: [] for field in schema.values()}
    for number, wire_type, value in _parts(data):
        field = schema.get(number)
        if field is not None:
            found[field.name].extend(_values(field, wire_type, value))
            if field.most is not None and len(found[field.name]) > field.most:
                raise Malformed(f"there are more than {field.most} fields {field.name!r}")
    made = SimpleNamespace()
    for field in schema.values():
        values: Any = found[field.name]
        if field.repeated and field.fixed is not None:
            values = np.concatenate(values) if values else np.zeros(0, field.fixed[0])
        elif not field.repeated:
            values = values[-1] if values else _default(field)
        setattr(made, field.name, values)
    return made


_empty: dict[int, tuple[Field, SimpleNamespace]] = {}


def _default(field: Field) -> Any:
    """A missing message is one without fields, the same object for all."""
    if isinstance(field.kind, str):
        return field.default
    if id(field) not in _empty:
        _empty[id(field)] = field, read_message(memoryview(b""), field.kind)
    return _empty[id(field)][1]


def _parts(data: memoryview) -> Iterator[tuple[int, int, Any]]:
    """Yield number, wire type and content of each field: an integer, or bytes."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        number, wire_type = key >> 3, key & 7
        if wire_type == _VARINT:
            value, at = _varint(data, at)
            yield number, wire_type, value
            continue
        if wire_type == _BYTES:
            size, at = _varint(data, at)
        elif wire_type in (_FIXED32, _FIXED64):
            size = 4 if wire_type == _FIXED32 else 8
        else:
            raise Malformed(f"field {number} has the unknown wire type {wire_type}")
        if at + size > len(data):
            raise Malformed(f"field {number} has {size} bytes, but only {len(data) - at} are left")
        yield number, wire_type, data[at : at + size]
        at += size


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """Read an integer, seven bits per byte, lowest first; return it and the end position."""
    value = shift = 0
    while at < len(data) and shift < 70:
        byte = data[at]
        value |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return value, at
    raise Malformed("an integer does not end")


def _values(field: Field, wire_type: int, value: Any) -> list[Any]:
    """The value of a field in the file; several values if they are packed."""
    if not isinstance(field.kind, str) and wire_type == _BYTES:
        return [read_message(value, field.kind)]
    if field.kind == "bytes" and wire_type == _BYTES:
        return [value]
    if field.kind == "string" and wire_type == _BYTES:
        return [bytes(value).decode("utf-8", errors="replace")]
    if field.kind in ("int", "bool") and wire_type in (_VARINT, _BYTES):
        numbers = [value] if wire_type == _VARINT else list(_packed(value))
        return [bool(n) if field.kind == "bool" else n - (1 << 64) if n >> 63 else n for n in numbers]
    if field.fixed is not None:
        dtype, fixed = field.fixed
        if field.repeated and wire_type in (_BYTES, fixed) and len(value) % np.dtype(dtype).itemsize == 0:
            return [np.frombuffer(value, dtype)]
        if wire_type == fixed:
            return [np.frombuffer(value, dtype)[0].item()]
    kind = field.kind if isinstance(field.kind, str) else "message"
    raise Malformed(f"field {field.name!r} should be a {kind}, but has wire type {wire_type}")


def _packed(data: memoryview) -> Iterator[int]:
    at = 0
    while at < len(data):
        value, at = _varint(data, at)
        yield value
