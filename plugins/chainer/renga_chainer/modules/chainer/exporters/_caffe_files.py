"""Writes layers in Caffe's formats: ``.prototxt`` (text) and ``.caffemodel`` (bytes)."""

from __future__ import annotations

import struct
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from renga_nn.links.caffe.schema import LAYER, NET
from renga_nn.links.caffe.wire import Field, Schema

__all__ = ["Layer", "caffemodel", "prototxt"]


@dataclass
class Layer:
    """A layer of a network.

    Attributes:
        type: Caffe's name for the kind of layer.
        name: Name of the layer and of its output.
        bottom: Names of its inputs.
        options: Message of the layer's options, by name: ``{"pooling_param": {"pool": 0}}``. A list is a repeated
            field.
        weights: Arrays on the host.
    """

    type: str
    name: str
    bottom: list[str]
    options: dict[str, dict[str, Any]] = field(default_factory=dict)
    weights: list[np.ndarray[Any, Any]] = field(default_factory=list)


def prototxt(name: str, shape: Sequence[int], layers: Iterable[Layer]) -> str:
    """Return the text of a network: an input of `shape`, and the layers."""
    sizes = "".join([f" dim: {size}" for size in shape])
    head = f'name: "{name}"\nlayer {{\n  name: "data"\n  type: "Input"\n  top: "data"\n'
    head += f"  input_param {{ shape: {{{sizes} }} }}\n}}\n"
    return head + "".join([_text("layer", _described(layer)) for layer in layers])


def _described(layer: Layer) -> dict[str, Any]:
    names = {"type": layer.type, "name": layer.name, "bottom": layer.bottom, "top": [layer.name]}
    return {**names, **layer.options}


def _text(name: str, value: Any, indent: str = "") -> str:
    """Return the lines of a field; messages are in braces."""
    if isinstance(value, list):
        return "".join([_text(name, element, indent) for element in value])
    if isinstance(value, dict):
        fields = "".join([_text(key, element, indent + "  ") for key, element in value.items()])
        return f"{indent}{name} {{\n{fields}{indent}}}\n"
    if isinstance(value, bool):
        return f"{indent}{name}: {str(value).lower()}\n"
    return f'{indent}{name}: "{value}"\n' if isinstance(value, str) else f"{indent}{name}: {value}\n"


_TEST = 1
_LAYER: Schema = {**LAYER, 10: Field("phase", "int")}
_PACKED = ("dim",)
"""Integer fields that caffe.proto packs. All floating-point fields are packed."""


def caffemodel(layers: Iterable[Layer]) -> bytes:
    """Return the bytes of a network with these layers, in version 2 of the format."""
    schema = {number: Field("layer", _LAYER, repeated=True) for number, one in NET.items() if one.name == "layer"}
    return _message({"layer": [_with_weights(layer) for layer in layers]}, schema)


def _with_weights(layer: Layer) -> dict[str, Any]:
    blobs = [{"shape": {"dim": list(array.shape)}, "data": array} for array in layer.weights]
    return {**_described(layer), "phase": _TEST, "blobs": blobs}


def _message(values: dict[str, Any], schema: Schema) -> bytes:
    """Encode a message, with fields in the order of their numbers. Fields missing in `values` are left out."""
    parts = []
    for number, one in sorted(schema.items()):
        if one.name in values:
            parts += _field(number, one, values[one.name])
    return b"".join(parts)


def _field(number: int, one: Field, value: Any) -> list[bytes]:
    """Encode a field as key and content; a repeated field becomes several."""
    if isinstance(one.kind, str) and one.kind == "string":
        return [_sized(number, text.encode()) for text in (value if one.repeated else [value])]
    if not isinstance(one.kind, str):
        return [_sized(number, _message(each, one.kind)) for each in (value if one.repeated else [value])]
    if one.fixed is not None and one.repeated:
        return [_sized(number, np.ascontiguousarray(value, one.fixed[0]).tobytes())]
    if one.fixed is not None:
        return [_key(number, 5), struct.pack("<f", value)]
    if one.repeated and one.name in _PACKED:
        return [_sized(number, b"".join([_varint(n) for n in value]))]
    return [part for n in (value if one.repeated else [value]) for part in (_key(number, 0), _varint(int(n)))]


def _key(number: int, wire_type: int) -> bytes:
    return _varint(number << 3 | wire_type)


def _sized(number: int, content: bytes) -> bytes:
    return _key(number, 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    """Encode an integer: seven bits per byte, lowest first; negative numbers as 64-bit two's complement."""
    rest = value % (1 << 64)
    parts = []
    while rest > 127:
        parts.append(rest & 127 | 128)
        rest >>= 7
    return bytes([*parts, rest])
