"""Folds batch normalization into the previous layer: fewer nodes, the same outputs."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from onnx import NodeProto, helper

from renga_core.backend import to_host
from renga_onnx.context import Context

__all__ = ["fold"]

Host = np.ndarray[Any, Any]

_LAYERS = ("Conv", "ConvTranspose", "Gemm")


def fold(context: Context, outputs: Iterable[str]) -> None:
    """Fold batch normalization into convolutions, deconvolutions and linear layers.

    With ``y = W x + b``, a normalization ``s y + t`` of each channel is ``(s W) x + (s b + t)``. It is computed in
    float64. Constants that scale or shift channels between a layer and its normalization are folded, too. A layer is
    not changed if its output is used elsewhere, or if a new weight would overflow its dtype. Weights keep their names;
    a layer without a bias gets one. Unused nodes and initializers are removed.

    Args:
        context: A written graph, changed in place.
        outputs: Names of the graph's outputs.

    Source: Jacob et al., *Quantization and Training of Neural Networks for Efficient Integer-Arithmetic-Only
    Inference*, arXiv:1712.05877, section 3.2, equation 14.
    """
    graph = _Graph(context)
    for node in [node for node in context.nodes if node.op_type in _LAYERS]:
        graph.fold(node)
    _remove_unused(context, set(outputs))


class _Graph:
    """Index of the nodes by their outputs and inputs."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.makers = {name: node for node in context.nodes for name in node.output}
        self.users: dict[str, list[NodeProto]] = {}
        for node in context.nodes:
            for name in _used(node):
                self.users.setdefault(name, []).append(node)

    def fold(self, layer: NodeProto) -> None:
        """Fold the normalization after a layer, if possible."""
        weights = self.initializer(layer.input[1])
        bias_name = layer.input[2] if len(layer.input) > 2 else ""
        attributes = {each.name: helper.get_attribute_value(each) for each in layer.attribute}
        if weights is None or {attributes.get(name, 1.0) for name in ("alpha", "beta")} != {1.0}:
            return
        over = _channels_of(layer.op_type, weights, attributes)
        channels = int(over.max(initial=-1)) + 1
        bias = self.initializer(bias_name) if bias_name else np.zeros(channels, weights.dtype)
        if bias is None or bias.shape != (channels,):
            return
        chain = self.chain(layer, channels, weights.ndim)
        if not chain:
            return
        scale, shift = np.ones(channels), bias.astype(np.float64)
        for _, factor, term in chain:
            scale, shift = scale * factor, shift * factor + term
        with np.errstate(over="ignore"):  # overflow gives infinity; such a layer is not changed
            folded = [(weights.astype(np.float64) * scale[over]).astype(weights.dtype), shift.astype(bias.dtype)]
        if not all(np.isfinite(each.astype(np.float64)).all() for each in folded):
            return
        names = [layer.input[1], bias_name or self.context.fresh(_bias_name(layer.input[1]))]
        names = [self.replace(name, array) for name, array in zip(names, folded, strict=True)]
        for name in layer.input[1:]:
            self.users[name].remove(layer)
        layer.input[1:] = names
        for name in names:
            self.users.setdefault(name, []).append(layer)
        nodes = [node for node, *_ in chain]
        layer.output[0] = nodes[-1].output[0]
        self.makers[layer.output[0]] = layer
        gone = {id(node) for node in nodes}
        self.context.nodes[:] = [node for node in self.context.nodes if id(node) not in gone]

    def chain(self, layer: NodeProto, channels: int, ndim: int) -> list[tuple[NodeProto, Host, Host]]:
        """Return the nodes after a layer up to the last normalization, and the factor and term of each channel."""
        found: list[tuple[NodeProto, Host, Host]] = []
        length, name = 0, layer.output[0]
        while len(users := self.users.get(name, [])) == 1:
            affine = self.affine(users[0], name, channels, ndim)
            if affine is None:
                break
            found.append((users[0], *affine))
            name = users[0].output[0]
            length = len(found) if users[0].op_type == "BatchNormalization" else length
        return found[:length]

    def affine(self, node: NodeProto, x: str, channels: int, ndim: int) -> tuple[Host, Host] | None:
        """Return the factor and term that a node applies to each channel of `x`; None for another kind of node."""
        one, zero = np.ones(channels), np.zeros(channels)
        if node.op_type == "BatchNormalization":
            attributes = {each.name: helper.get_attribute_value(each) for each in node.attribute}
            held = [self.initializer(name) for name in node.input[1:]]
            if node.input[0] != x or any(each is None for each in held) or attributes.get("training_mode", 0):
                return None
            gamma, beta, mean, var = (np.asarray(each, np.float64) for each in held)
            factor = gamma / np.sqrt(var + attributes.get("epsilon", 1e-5))
            return factor, beta - mean * factor
        if node.op_type == "Neg":
            return -one, zero
        if node.op_type not in ("Add", "Sub", "Mul", "Div"):
            return None
        first = node.input[0] == x
        constant = self.constant(node.input[1] if first else node.input[0], channels, ndim)
        if constant is None:
            return None
        match node.op_type:
            case "Add":
                return one, constant
            case "Sub":
                return (one, -constant) if first else (-one, constant)
            case "Mul":
                return constant, zero
        return (1 / constant, zero) if first and constant.all() else None

    def constant(self, name: str, channels: int, ndim: int) -> Host | None:
        """Return values per channel in float64; None if they are computed, or differ along other axes.

        Args:
            name: Name of an initializer, or of a reshaped initializer.
            channels: Number of channels.
            ndim: Number of axes of the layer's output; the second has the channels.
        """
        value = self.initializer(name)
        maker = self.makers.get(name)
        if value is None and maker is not None and maker.op_type == "Reshape":
            held, shape = (self.initializer(each) for each in maker.input)
            if held is not None and shape is not None and (shape > 0).all():
                value = held.reshape(shape)
        if value is None or value.ndim > ndim:
            return None
        wide = value.reshape([1] * (ndim - value.ndim) + list(value.shape))
        if wide.size != 1 and (wide.size != channels or wide.shape[1] != channels):
            return None
        return np.broadcast_to(wide.reshape(-1).astype(np.float64), (channels,))

    def initializer(self, name: str) -> Host | None:
        """Return a parameter or a constant, on the host; None if the value is computed."""
        context = self.context
        array = context.parameters.get(name, context.constants.get(name))
        return None if array is None else to_host(array)

    def replace(self, name: str, array: Host) -> str:
        """Change an initializer, or create a new one if other nodes use it; return the name."""
        if len(self.users.get(name, [])) > 1:
            name = self.context.fresh(name)
        (self.context.constants if name in self.context.constants else self.context.parameters)[name] = array
        return name


def _channels_of(op_type: str, weights: Host, attributes: dict[str, Any]) -> Host:
    """For each weight, return the output channel it belongs to; axes that do not matter have size 1."""
    rest = [1] * (weights.ndim - 2)
    if op_type == "ConvTranspose":
        groups = attributes.get("group", 1)
        channels = np.arange(groups * weights.shape[1]).reshape(groups, 1, weights.shape[1])
        each: Host = np.repeat(channels, weights.shape[0] // groups, 1).reshape([*weights.shape[:2], *rest])
        return each
    if op_type == "Gemm" and not attributes.get("transB", 0):
        return np.arange(weights.shape[1])[None]
    return np.arange(weights.shape[0]).reshape([-1, 1, *rest])


def _bias_name(weights: str) -> str:
    return weights.removesuffix("W") + "b" if weights.endswith("W") else f"{weights}_bias"


def _used(node: NodeProto) -> Iterator[str]:
    """Return the names that a node uses, including its subgraphs."""
    yield from filter(None, node.input)
    for attribute in node.attribute:
        for graph in (*([attribute.g] if attribute.HasField("g") else []), *attribute.graphs):
            yield from (value.name for value in graph.output)
            for inner in graph.node:
                yield from _used(inner)


def _remove_unused(context: Context, wanted: set[str]) -> None:
    kept: list[NodeProto] = []
    for node in reversed(context.nodes):
        if wanted.intersection(node.output):
            wanted.update(_used(node))
            kept.append(node)
    context.nodes[:] = kept[::-1]
    for initializers in (context.parameters, context.constants):
        for name in [name for name in initializers if name not in wanted]:
            del initializers[name]
