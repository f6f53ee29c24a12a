"""Converts each step into one or two layers of Caffe."""

from __future__ import annotations

import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np

from renga_chainer.modules.chainer.exporters._caffe_files import Layer
from renga_chainer.modules.chainer.exporters._caffe_graph import Step
from renga_core.backend import to_host
from renga_core.graph import VariableNode

__all__ = ["layers_of"]

Options = dict[str, dict[str, Any]]


def layers_of(steps: Iterable[Step], data: VariableNode) -> list[Layer]:
    """Return the layers of a network whose input is `data`.

    Raises:
        NotImplementedError: Caffe has no layer for a step, or a sum or concatenation has an input that neither a layer
            nor `data` provides.
    """
    names = _Names()
    layers = []
    for step in steps:
        name = names.of(step)
        bottom = [names.of(before) for before in _inputs(step)]
        if step.label not in _MAKERS:
            raise NotImplementedError(_refusal(step, name, bottom, "no layer corresponds to it"))
        for node, before in zip(step.function.inputs, step.inputs, strict=False):
            if step.label in _OF_SEVERAL and before is None and node is not data:
                raise NotImplementedError(_refusal(step, name, bottom, "one input is a constant array, not a blob"))
        try:
            layers += _MAKERS[step.label](step, name, bottom)
        except _NotSo as error:
            raise NotImplementedError(_refusal(step, name, bottom, str(error))) from None
    return layers


def _inputs(step: Step) -> Sequence[Step | None]:
    """Return the input of a layer. Of two reshapes in a row, only the second is kept."""
    (first, *_) = step.inputs
    return first.inputs if step.label == "Reshape" and first is not None and first.label == "Reshape" else step.inputs


class _NotSo(Exception):
    """Caffe lacks an option."""


def _refusal(step: Step, name: str, bottom: list[str], why: str) -> str:
    return (
        f"Cannot convert, name={name}, rank={step.rank}, label={step.label}, inputs={bottom}: {why}. Nothing is "
        "written. Supported functions: " + ", ".join(_MAKERS)
    )


class _Names:
    """Return the names of steps: function, rank, and number among the steps of that rank."""

    def __init__(self) -> None:
        self._numbers: dict[str, dict[Step, int]] = defaultdict(dict)

    def of(self, step: Step | None) -> str:
        """Return the name of a step's output; without a step, the name of the network's input."""
        if step is None:
            return "data"
        label = f"{step.label}-{step.rank}"
        numbers = self._numbers[label]
        return f"{label}-{numbers.setdefault(step, len(numbers) + 1)}"


def _weights(step: Step) -> list[np.ndarray[Any, Any]]:
    return [to_host(array) for array in step.weights]


def _linear(step: Step, name: str, bottom: list[str]) -> list[Layer]:
    weights = _weights(step)
    param = {"num_output": len(weights[0]), "bias_term": len(weights) > 1}
    return [Layer("InnerProduct", name, bottom[:1], {"inner_product_param": param}, weights)]


def _moving(pad: Sequence[int], stride: Sequence[int], ksize: Sequence[int]) -> dict[str, int]:
    """Return the options of a window from pairs of values: for rows, then for columns."""
    pairs = {"pad": pad, "stride": stride, "kernel": ksize}
    return {f"{name}_{axis}": int(pair[i]) for name, pair in pairs.items() for i, axis in ((1, "w"), (0, "h"))}


def _convolution(step: Step, name: str, bottom: list[str]) -> list[Layer]:
    function: Any = step.function
    weights, geometry = _weights(step), function.geometry
    is_transposed = step.label == "Deconvolution2DFunction"
    ksize = weights[0].shape[2:]
    param: dict[str, Any] = {
        "num_output": weights[0].shape[1] * geometry.groups if is_transposed else len(weights[0]),
        "bias_term": len(weights) > 1,
        **_moving(geometry.pad, geometry.stride, ksize),
        "group": geometry.groups,
    }
    if any(distance != 1 for distance in geometry.dilate):
        param["dilation"] = list(geometry.dilate)
    if is_transposed:
        reached = [
            s * (n - 1) + d * (k - 1) + 1 - 2 * p
            for n, k, s, p, d in zip(
                function.inputs[0].shape[2:], ksize, geometry.stride, geometry.pad, geometry.dilate, strict=True
            )
        ]
        if reached != list(function.size):
            raise _NotSo(f"Caffe's layer makes images of {tuple(reached)}, but outsize={tuple(function.size)}")
    kind = "Deconvolution" if is_transposed else "Convolution"
    return [Layer(kind, name, bottom[:1], {"convolution_param": param}, weights)]


def _pooling(step: Step, name: str, bottom: list[str]) -> list[Layer]:
    function: Any = step.function
    window, is_max = function.window, step.label == "MaxPoolingND"
    if len(window.ksize) != 2:
        raise _NotSo(f"Caffe's pooling needs two axes, not {len(window.ksize)}")
    if not is_max and np.ndim(function.scale):
        raise _NotSo("Caffe's mean includes the padding; that of the model does not (pad_value=None)")
    axes = zip(window.size, window.ksize, window.stride, window.pad, strict=True)
    covering = tuple([_covering(*axis) for axis in axes])
    if covering != tuple(window.out):
        warnings.warn(
            f"caffe.export: {name}: Caffe adds windows until all pixels are covered, so its output has the size "
            f"{covering}; the model's output has {tuple(window.out)}",
            stacklevel=4,
        )
    param = {"pool": 0 if is_max else 1, **_moving(window.pad, window.stride, window.ksize)}
    return [Layer("Pooling", name, bottom, {"pooling_param": param})]


def _covering(size: int, ksize: int, stride: int, pad: int) -> int:
    """Return the number of Caffe's windows: they cover each pixel, and none starts in the padding after the image."""
    count = -(-(size + 2 * pad - ksize) // stride) + 1
    return count - 1 if pad and (count - 1) * stride >= size + pad else count


def _lrn(step: Step, name: str, bottom: list[str]) -> list[Layer]:
    function: Any = step.function
    param = {
        "norm_region": 0,
        "local_size": function.n,
        "k": function.k,
        "alpha": function.alpha * function.n,  # Caffe divides it by the size
        "beta": function.beta,
    }
    return [Layer("LRN", name, bottom, {"lrn_param": param})]


def _batch_normalization(step: Step, name: str, bottom: list[str]) -> list[Layer]:
    """Convert to a normalization, and a layer that scales and shifts."""
    function: Any = step.function
    if tuple(function.axes) != (0, *range(2, len(function.inputs[0].shape))):
        raise _NotSo(f"Caffe normalizes each channel; the model normalizes over the axes {tuple(function.axes)}")
    gamma, beta, mean, var = _weights(step)
    normal = Layer(
        "BatchNorm",
        f"{name}_bn",
        bottom[:1],
        {"batch_norm_param": {"use_global_stats": True, "eps": function.eps}},
        [mean.reshape(-1), var.reshape(-1), np.ones(1, np.float32)],
    )
    scale: Options = {"scale_param": {"axis": 1, "bias_term": True}}
    return [normal, Layer("Scale", name, [normal.name], scale, [gamma.reshape(-1), beta.reshape(-1)])]


def _leaky_relu(step: Step, name: str, bottom: list[str]) -> list[Layer]:
    function: Any = step.function
    return [Layer("ReLU", name, bottom, {"relu_param": {"negative_slope": function.slope}})]


def _concat(step: Step, name: str, bottom: list[str]) -> list[Layer]:
    function: Any = step.function
    return [Layer("Concat", name, bottom, {"concat_param": {"axis": function.axis}})]


def _softmax(step: Step, name: str, bottom: list[str]) -> list[Layer]:
    function: Any = step.function
    options = {} if function.axis == 1 else {"softmax_param": {"axis": function.axis}}
    return [Layer("Softmax", name, bottom, options)]


def _reshape(step: Step, name: str, bottom: list[str]) -> list[Layer]:
    return [Layer("Reshape", name, bottom, {"reshape_param": {"shape": {"dim": list(step.shape)}}})]


def _add(step: Step, name: str, bottom: list[str]) -> list[Layer]:
    shapes = [node.shape for node in step.function.inputs]
    if shapes[0] != shapes[1]:
        raise _NotSo(f"Caffe adds arrays of one shape, not {shapes[0]} and {shapes[1]}")
    return [Layer("Eltwise", name, bottom)]


def _without_options(kind: str) -> Callable[[Step, str, list[str]], list[Layer]]:
    return lambda step, name, bottom: [Layer(kind, name, bottom)]


_OF_SEVERAL = ("Concat", "_ + _")
_MAKERS: dict[str, Callable[[Step, str, list[str]], list[Layer]]] = {
    "AveragePooling2D": _pooling,
    "Concat": _concat,
    "Convolution2DFunction": _convolution,
    "Deconvolution2DFunction": _convolution,
    "FixedBatchNormalization": _batch_normalization,
    "LeakyReLU": _leaky_relu,
    "LinearFunction": _linear,
    "LocalResponseNormalization": _lrn,
    "MaxPoolingND": _pooling,
    "ReLU": _without_options("ReLU"),
    "Reshape": _reshape,
    "Sigmoid": _without_options("Sigmoid"),
    "Softmax": _softmax,
    "_ + _": _add,
}
"""Converters by Chainer's names of the functions."""
