"""Steps and their arguments as JSON. Reading executes nothing in the file.

Numbers, strings, booleans and None are written unchanged. Everything else is an object with one key, the kind of
value: ``{"tuple": […]}``. A class is given by module and name. The class is accepted only if an installed plugin has
it, and only if it is a function node or a frozen dataclass; no initializer is called.
"""

from __future__ import annotations

import dataclasses
import importlib
import math
import re
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from renga_core.errors import RengaError
from renga_core.graph import FunctionNode
from renga_core.plugin import get_manager
from renga_inference.program import Host, Place
from renga_inference.sizes import Size

__all__ = ["Decoder", "Encoder"]

_MODULE = re.compile(r"[A-Za-z]\w*(\.[A-Za-z]\w*|\._[A-Za-z]\w*)*")
_PLAIN = (type(None), bool, int, str)


class Encoder:
    """Converts values to JSON.

    Attributes:
        arrays: Arrays in these values, by name.
    """

    def __init__(self) -> None:
        self.arrays: dict[str, Host] = {}

    def __call__(self, value: Any) -> Any:
        """Encode a value.

        Raises:
            RengaError: The class of the value is in no plugin, or cannot be written.
        """
        if type(value) in _PLAIN:
            return value
        if type(value) is float:
            return value if math.isfinite(value) else {"float": repr(value)}
        for kind, name, encode in _ENCODED:
            if isinstance(value, kind):
                return {name: encode(self, value)}
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            name = f"held.{len(self.arrays)}"
            self.arrays[name] = in_file(value)
            return {"held": name} if value.dtype.name != _BFLOAT16 else {_BFLOAT16: name}
        if isinstance(value, FunctionNode):
            return {"function": _named(type(value)), "attributes": self(vars(value))}
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {field.name: self(getattr(value, field.name)) for field in dataclasses.fields(value)}
            return {"object": _named(type(value)), "fields": {"dict": fields}}
        raise RengaError(f"a {type(value).__name__} ({value!r:.60}) cannot be written to a file.")


class Decoder:
    """Converts values from JSON.

    Args:
        arrays: The arrays of the file.
    """

    def __init__(self, arrays: Mapping[str, Host]) -> None:
        self._arrays = arrays

    def __call__(self, value: Any) -> Any:
        """Decode a value.

        Raises:
            ValueError, KeyError, TypeError, …: The document was not written by `Encoder`.
        """
        if type(value) in (*_PLAIN, float):
            return value
        if set(value) == {"function", "attributes"}:
            made = _class(value["function"], lambda found: issubclass(found, FunctionNode))
            function = made.__new__(made)
            vars(function).update(self(value["attributes"]))
            return function
        if set(value) == {"object", "fields"}:
            made = _class(value["object"], _is_frozen)
            fields = self(value["fields"])
            if set(fields) != {field.name for field in dataclasses.fields(made)}:
                raise ValueError(f"{value['object']} has other fields")
            found = object.__new__(made)
            for name, each in fields.items():
                object.__setattr__(found, name, each)
            return found
        ((name, content),) = value.items()
        if name in ("held", _BFLOAT16):
            return from_file(self._arrays[content], None if name == "held" else _dtype(name))
        return _DECODERS[name](self, content)


_BFLOAT16 = "bfloat16"

_ENCODED: list[tuple[Any, str, Callable[[Encoder, Any], Any]]] = [
    (tuple, "tuple", lambda encode, value: [encode(each) for each in value]),
    (list, "list", lambda encode, value: [encode(each) for each in value]),
    (dict, "dict", lambda encode, value: {_text(key): encode(each) for key, each in value.items()}),
    (slice, "slice", lambda encode, value: [encode(each) for each in (value.start, value.stop, value.step)]),
    (type(...), "ellipsis", lambda encode, value: True),
    (np.dtype, "dtype", lambda encode, value: value.str if value.kind != "V" else value.name),
    (np.generic, "scalar", lambda encode, value: [value.dtype.str, encode(value.item())]),
    (Size, "size", lambda encode, value: [value.slope, value.offset]),
    (Place, "place", lambda encode, value: value.value),
]

_DECODERS: dict[str, Callable[[Decoder, Any], Any]] = {
    "tuple": lambda decode, content: tuple([decode(each) for each in content]),
    "list": lambda decode, content: [decode(each) for each in content],
    "dict": lambda decode, content: {_text(key): decode(each) for key, each in content.items()},
    "slice": lambda decode, content: slice(*[decode(each) for each in content]),
    "ellipsis": lambda decode, content: ...,
    "dtype": lambda decode, content: _dtype(content),
    "float": lambda decode, content: float(content),
    "scalar": lambda decode, content: _dtype(content[0]).type(decode(content[1])),
    "size": lambda decode, content: Size(*[_whole(each) for each in content]),
    "place": lambda decode, content: Place(_whole(content)),
}


def _text(key: Any) -> str:
    if type(key) is not str:
        raise RengaError(f"a dictionary with the key {key!r} cannot be written to a file; keys must be strings.")
    return key


def _whole(number: Any) -> int:
    if type(number) is not int:
        raise ValueError(f"{number!r} is not an integer")
    return number


def in_file(array: Host) -> Host:
    """Return the array to write: for bfloat16, which NumPy's files cannot contain, its bits."""
    return array.view(np.uint16) if array.dtype.name == _BFLOAT16 else array


def from_file(array: Host, dtype: np.dtype[Any] | None) -> Host:
    """Return the array of a file that `in_file` made from one of this dtype."""
    if dtype is not None and dtype.name == _BFLOAT16 and array.dtype == np.uint16:
        return array.view(dtype)
    return array


def _dtype(name: Any) -> np.dtype[Any]:
    if name == _BFLOAT16:
        import ml_dtypes  # makes the name known to NumPy

        made: np.dtype[Any] = np.dtype(ml_dtypes.bfloat16)
        return made
    dtype = np.dtype(str(name))
    if dtype.hasobject:
        raise ValueError("a dtype of objects")
    return dtype


def _is_frozen(found: type) -> bool:
    return dataclasses.is_dataclass(found) and bool(getattr(found, "__dataclass_params__").frozen)  # noqa: B009


def _named(kind: type) -> str:
    name = f"{kind.__module__}:{kind.__qualname__}"
    if not _is_known(kind.__module__):
        raise RengaError(
            f"{name} is in no installed plugin, so a file cannot refer to it.\n"
            "Next: put the class into a plugin (renga new function NAME)."
        )
    return name


def _class(name: Any, fits: Callable[[type], bool]) -> Any:
    module, _, attribute = str(name).partition(":")
    if not _MODULE.fullmatch(module) or not _is_known(module):
        raise ValueError(f"it needs {name!r}, which is in no installed plugin")
    found = getattr(importlib.import_module(module), attribute, None)
    if not isinstance(found, type) or found.__module__ != module or not fits(found):
        raise ValueError(f"it needs {name!r}, which cannot be part of a frozen model")
    return found


def _is_known(module: str) -> bool:
    """Whether a module belongs to core or to a plugin that is ready."""
    packages = {plugin.target.partition(".")[0] for plugin in get_manager().plugins() if not plugin.status.reason}
    return module.partition(".")[0] in (packages | {"renga_core"}) - {"renga"}
