"""Exports a network, checks it, runs it with onnxruntime, loads it again, and compares the results."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime

import renga
import renga.functions as F
from onnx_zoo.model import Model
from renga_core.backend import is_floating
from renga_onnx import export
from renga_onnx.load import load

__all__ = [
    "Compared",
    "apart",
    "compare",
    "gradients",
    "in_dtype",
    "in_onnxruntime",
    "listed",
    "outputs_of",
    "written",
]

Array = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Compared:
    """The results for one network and one opset; differences are relative to the largest element of an array.

    Attributes:
        parameters: How many there are.
        nodes: Number of nodes of the graph.
        onnxruntime: The largest difference of an output from onnxruntime's.
        loaded: The same, of the network that was loaded.
        gradients: The largest difference of a parameter's gradient, in float64. In float32, units that are nearly zero
            before a ReLU become zero in only one of the two networks. For gradients that are much smaller than others,
            it is relative to a hundredth of the largest gradient.
    """

    parameters: int
    nodes: int
    onnxruntime: float
    loaded: float
    gradients: float


def compare(model: Model, network: renga.Link, opset: int, folder: Path) -> Compared:
    """Export a network, and compare results for new values and new sizes of the named axes."""
    path = folder / "network.onnx"
    proto = written(model, network, opset, path)
    inputs = model.drawn(2, model.others)
    expected = outputs_of(network, inputs)
    return Compared(
        sum(parameter.size for parameter in network.params()),
        len(proto.graph.node),
        apart(in_onnxruntime(path, inputs), expected),
        apart(outputs_of(load(path), inputs), expected),
        _compare_gradients(model, in_dtype(network, np.float64), opset, path),
    )


def _compare_gradients(model: Model, network: renga.Link, opset: int, path: Path) -> float:
    proto = written(model, network, opset, path)
    loaded = load(path)
    inputs = model.drawn(2, model.others, np.float64)
    rng = np.random.default_rng(3)
    weights = [rng.standard_normal(y.shape).astype(y.dtype) for y in outputs_of(network, inputs)]
    wanted = gradients(network, inputs, weights)
    found = {loaded.names[name]: gradient for name, gradient in gradients(loaded, inputs, weights).items()}
    used = wanted.keys() & {each.name for each in proto.graph.initializer}
    assert found.keys() == used, f"parameters have other names: {found.keys() ^ used}"
    assert not any(np.any(gradient) for name, gradient in wanted.items() if name not in used)
    least = max(float(np.abs(gradient).max(initial=0)) for gradient in wanted.values()) / 100
    return max(apart([gradient], [wanted[name]], least) for name, gradient in found.items())


def written(model: Model, network: Any, opset: int, path: Path) -> Any:
    """Export a network to a file, and check it."""
    inputs = model.drawn(1, model.sizes, next(network.params()).dtype)
    proto = export(network, inputs, path, opset_version=opset, input_shapes=model.input_shapes)
    onnx.checker.check_model(str(path), full_check=True)
    return proto


def in_onnxruntime(path: Path, inputs: Sequence[Array]) -> list[Array]:
    """What onnxruntime computes."""
    session = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"])
    names = [each.name for each in session.get_inputs()]
    outputs: list[Array] = session.run(None, dict(zip(names, inputs, strict=True)))
    return outputs


def listed(outputs: Any) -> list[Any]:
    """One output, or several, as a list."""
    return list(outputs) if isinstance(outputs, (list, tuple)) else [outputs]


def outputs_of(network: Any, inputs: Sequence[Array]) -> list[Array]:
    """What a network computes."""
    with renga.using_config("train", False), renga.no_backprop_mode():
        return [y.array for y in listed(network(*inputs))]


def gradients(network: Any, inputs: Sequence[Array], weights: Sequence[Array]) -> dict[str, Array]:
    """Gradients of the weighted sum of all floating-point outputs, by name of the parameter; zeros if there is none."""
    with renga.using_config("train", False):
        network.cleargrads()
        terms = [F.sum(y * w) for y, w in zip(listed(network(*inputs)), weights, strict=True) if is_floating(y.dtype)]
        sum(terms[1:], terms[0]).backward()
    return {
        path.strip("/"): np.zeros_like(parameter.array) if parameter.grad is None else parameter.grad
        for path, parameter in network.namedparams()
    }


def in_dtype(network: Any, dtype: Any) -> Any:
    """A copy of a network whose floating parameters and persistent values are of another dtype."""
    made = copy.deepcopy(network)
    for parameter in made.params():
        parameter.array = parameter.array.astype(dtype)
    for link in made.links():
        for name in link._persistent:
            value = getattr(link, name)
            if isinstance(value, np.ndarray) and is_floating(value.dtype):
                setattr(link, name, value.astype(dtype))
    return made


def apart(found: Sequence[Array], expected: Sequence[Array], least: float = 0.0) -> float:
    """The largest difference, relative to the largest element of its array; infinite if shapes or dtypes differ.

    Args:
        found, expected: Arrays.
        least: Differences are relative to this if all elements are smaller.
    """
    largest = 0.0
    for y, z in zip(found, expected, strict=True):
        if y.shape != z.shape or y.dtype != z.dtype:
            return float("inf")
        if z.size:
            scale = max(float(np.abs(z).max()), least) or 1.0
            largest = max(largest, float(np.abs(y.astype(np.float64) - z).max()) / scale)
    return largest
