"""`CaffeFunction`: a network trained with Caffe, as a link."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from renga_core.graph import Variable, as_variable
from renga_core.link import Chain, Link
from renga_core.serializers import FileDamaged, FileRefused
from renga_nn.links.caffe.layers import BUILDERS
from renga_nn.links.caffe.schema import LAYER, NET, V1_LAYER, V1_TYPES
from renga_nn.links.caffe.wire import Malformed, read_message

__all__ = ["CaffeFunction"]


class LayerNotSupported(FileRefused, NotImplementedError):
    """A layer has an unsupported option. Also a RuntimeError, as in Chainer."""


class CaffeFunction(Chain):
    """Reads a ``.caffemodel`` and computes its network.

    Layers with weights become child links with the layers' names. The supported kinds are in
    `renga_nn.links.caffe.layers`. Data layers are skipped; other kinds are skipped with a warning.

    Args:
        model_path: The file, of either version of the format (``layers`` or ``layer``).

    Raises:
        FileRefused: The file is of another format, or damaged.
        LayerNotSupported: A layer has an unsupported option. It is a FileRefused and a RuntimeError.

    Attributes:
        forwards: The callable of each layer, by name.
        layers: The name, inputs and outputs of each layer, in order.
        split_map: For each output of a ``Split`` layer, its input.
        variables: Results of the last call, by the names of blobs.
    """

    def __init__(self, model_path: str | os.PathLike[str]) -> None:
        super().__init__()
        self.forwards: dict[str, Callable[..., Any]] = {}
        self.layers: list[tuple[str, list[str], list[str]]] = []
        self.split_map: dict[str, str] = {}
        self.variables: dict[str, Any] = {}
        content = memoryview(Path(model_path).read_bytes())
        try:
            net = read_message(content, NET)
            if not (net.layer or net.layers):
                raise Malformed("it holds no layers")
            for message in net.layer or net.layers:
                layer = read_message(message, LAYER if net.layer else V1_LAYER)
                kind = layer.type if net.layer else V1_TYPES.get(layer.type, f"number {layer.type}")
                self._add_if_sound(layer, kind, os.fspath(model_path))
        except Malformed as error:
            raise FileDamaged(os.fspath(model_path), str(error), "a .caffemodel") from error

    def _add_if_sound(self, layer: Any, kind: str, path: str) -> None:
        """Add a layer. Raises `FileRefused` if it lacks something, or contains wrong or unsupported values."""
        try:
            self._add(layer, kind)
        except Warning:
            raise
        except Exception as error:  # invalid numbers in a layer raise errors of many types
            where, problem = f"layer {layer.name!r}: ", str(error)
            if not problem.startswith(where):
                problem = f"{where}it is not a valid {kind}: {type(error).__name__}: {error}"
            kind_of_error = LayerNotSupported if isinstance(error, NotImplementedError) else FileRefused
            raise kind_of_error(path, problem) from error

    def _add(self, layer: Any, kind: str) -> None:
        if kind == "Data":
            return
        if kind == "Split":
            source = self.split_map.get(layer.bottom[0], layer.bottom[0])
            self.split_map.update(dict.fromkeys(layer.top, source))
            return
        if kind not in BUILDERS:
            warnings.warn(f"layer {layer.name!r} is left out: its kind, {kind}, is not supported", stacklevel=5)
            return
        made = BUILDERS[kind](layer)
        if isinstance(made, Link):
            self.add_link(layer.name, made)
        else:
            self.forwards[layer.name] = made
        bottom = [self.split_map.get(name, name) for name in layer.bottom]
        self.layers.append((layer.name, bottom, list(layer.top)))

    def forward(
        self, inputs: Mapping[str, Any], outputs: Iterable[str], disable: Iterable[str] = ()
    ) -> tuple[Variable, ...]:
        """Compute blobs from others. Layers with unknown inputs are skipped.

        Args:
            inputs: Arrays or Variables, by the names of blobs.
            outputs: Names of the blobs to return.
            disable: Names of layers to skip.

        Returns:
            A Variable for each of `outputs`.

        Raises:
            KeyError: A blob of `outputs` was not computed.
        """
        variables: dict[str, Any] = {name: as_variable(x) for name, x in inputs.items()}
        disabled = set(disable)
        for name, bottom, top in self.layers:
            if name in disabled or any(blob not in variables for blob in bottom):
                continue
            result = self._compute(name)(*[variables[blob] for blob in bottom])
            results = result if isinstance(result, (tuple, list)) else (result,)
            variables.update(zip(top, results, strict=False))
        self.variables = variables
        wanted = [self.split_map.get(name, name) for name in outputs]
        missing = [name for name in wanted if name not in variables]
        if missing:
            raise KeyError(f"CaffeFunction: blobs {missing} were not computed; there are: {', '.join(variables)}")
        return tuple([variables[name] for name in wanted])

    def _compute(self, name: str) -> Callable[..., Any]:
        return self[name] if name in self._children else self.forwards[name]
