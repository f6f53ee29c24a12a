"""A network that Caffe has trained, as a link."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from renga_core.graph import Variable, as_variable
from renga_core.link import Chain, Link
from renga_nn.links.caffe.layers import BUILDERS
from renga_nn.links.caffe.schema import NET, V1_TYPES
from renga_nn.links.caffe.wire import Malformed, read_message

__all__ = ["CaffeFunction"]


class CaffeFunction(Chain):
    """Reads a ``.caffemodel`` and computes what the network in it computes.

    Layers with weights become links, children by the names of the layers. The kinds that are known are those of
    `renga_nn.links.caffe.layers`; data layers are left out, and others with a warning.

    Args:
        model_path: The file, of either generation of the format (``layers`` or ``layer``).

    Raises:
        ValueError: It is not such a file, or a layer has an option that is not supported.

    Attributes:
        forwards: What computes each layer, by name.
        layers: The name, inputs and outputs of each layer, in order.
        split_map: For each output of a ``Split`` layer, the input that it is.
        variables: What the last call has computed, by the names of blobs.
    """

    def __init__(self, model_path: str | os.PathLike[str]) -> None:
        super().__init__()
        self.forwards: dict[str, Callable[..., Any]] = {}
        self.layers: list[tuple[str, list[str], list[str]]] = []
        self.split_map: dict[str, str] = {}
        self.variables: dict[str, Any] = {}
        try:
            net = read_message(memoryview(Path(model_path).read_bytes()), NET)
        except Malformed as error:
            raise ValueError(f"{os.fspath(model_path)} is not a .caffemodel: {error}") from error
        if not (net.layer or net.layers):
            raise ValueError(f"{os.fspath(model_path)} holds no layers: it is not a .caffemodel")
        for layer in net.layer or net.layers:
            kind = layer.type if net.layer else V1_TYPES.get(layer.type, f"number {layer.type}")
            self._add(layer, kind)

    def _add(self, layer: Any, kind: str) -> None:
        if kind == "Data":
            return
        if kind == "Split":
            source = self.split_map.get(layer.bottom[0], layer.bottom[0])
            self.split_map.update(dict.fromkeys(layer.top, source))
            return
        if kind not in BUILDERS:
            warnings.warn(f"layer {layer.name!r} is left out: its kind, {kind}, is not supported", stacklevel=4)
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
        """Compute blobs from others. Layers some of whose inputs are not known are left out.

        Args:
            inputs: Arrays or Variables, by the names of blobs.
            outputs: Names of the blobs to return.
            disable: Names of layers to leave out.

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
