"""`export`: writes a network as an ONNX file."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np
import onnx
from onnx import helper

from renga_core.backend import Array, to_host
from renga_core.configuration import using_config
from renga_core.errors import RengaError
from renga_core.graph import no_backprop_mode
from renga_onnx.context import Context
from renga_onnx.exporting.arguments import axes_of, grown, inputs_of, outputs_of, shapes_of
from renga_onnx.exporting.choosing import Converters
from renga_onnx.exporting.conversion import warn_of, write
from renga_onnx.exporting.external import adapted
from renga_onnx.exporting.folding import fold
from renga_onnx.exporting.running import called, check_unchanged, depends_on_state, probed, run
from renga_onnx.exporting.sizes import Axis, data_axes, first_sizes, second_sizes
from renga_onnx.exporting.state import WithoutTrace
from renga_onnx.exporting.storing import LARGEST, store, weights_size
from renga_onnx.exporting.wiring import parting
from renga_onnx.kind import MAXIMUM_OPSET, MINIMUM_OPSET

__all__ = ["MAXIMUM_OPSET_VERSION", "MINIMUM_OPSET_VERSION", "Exported", "export", "trace"]

MINIMUM_OPSET_VERSION = MINIMUM_OPSET
"""Oldest opset that `export` writes."""
MAXIMUM_OPSET_VERSION = MAXIMUM_OPSET
"""Newest opset that `export` writes."""


class Exported:
    """An exported network, with the arrays of the run.

    Attributes:
        model: The model.
        inputs, outputs: Arrays of inputs and outputs, by name, in order.
        results: Return value of the network.
    """

    def __init__(
        self, model: onnx.ModelProto, inputs: dict[str, Array], outputs: dict[str, Array], results: Any
    ) -> None:
        self.model = model
        self.inputs = inputs
        self.outputs = outputs
        self.results = results


def export(
    model: Callable[..., Any],
    args: Any,
    filename: str | os.PathLike[str] | None = None,
    export_params: bool = True,
    graph_name: str = "Graph",
    save_text: bool = False,
    opset_version: int | None = None,
    input_names: Sequence[str] | Mapping[str, str] | None = None,
    output_names: Sequence[str] | Mapping[str, str] | None = None,
    train: bool = False,
    return_named_inout: bool = False,
    external_converters: Mapping[str, Callable[..., Any]] | None = None,
    external_opset_imports: Mapping[str, int] | None = None,
    input_shapes: Any = None,
    no_testcase: bool = False,
    fold_batch_normalization: bool = False,
    metadata: Mapping[str, str] | None = None,
) -> Any:
    """Export a network as a graph of the functions that it applies when called.

    The network is called a second time with other values. If its computation depends on these values in a way that the
    graph cannot express, a warning names the place.

    Args:
        model: The network: a link, or any function of Variables.
        args: Arguments of the call: an array or a Variable, a list or tuple of them, or a dictionary by argument name.
            Arrays inside lists and dictionaries are inputs, too. Other arguments, such as numbers and texts, are passed
            unchanged.
        filename: File to write; None only returns the model. Parameters of more than 2 GiB go to a second file,
            ``<filename>.data``.
        export_params: Whether to store the parameters in the model; otherwise they become additional inputs.
        graph_name: Name of the graph.
        save_text: Also write the model as text, with the suffix ``.txt``.
        opset_version: Opset from 13 to 21; None: the newest that the installed onnx supports.
        input_names, output_names: Names of inputs and outputs. Default: ``Input_0`` …, ``Output_0`` …, or the keys of
            dictionaries. A dictionary renames keys.
        train: Export the network in training mode: with dropout, and with batch statistics.
        return_named_inout: Also return the arrays of inputs and outputs.
        external_converters: Converters in the form of ONNX-Chainer, by class name of the function, or by its name for
            `renga_onnx.replace_func`. They are called with ``(func, opset_version, input_names, output_names,
            context)``, return nodes, and have precedence over all others.
        external_opset_imports: Versions of additional operator domains.
        input_shapes: Shapes with names for axes of variable size: ``("batch", 3, "height", "width")``; one per input,
            in the form of `args`. The network is then also run with larger sizes, to find everything that depends on
            them.
        no_testcase: Has no effect; accepted for compatibility with ONNX-Chainer.
        fold_batch_normalization: Fold batch normalization into the previous convolution, deconvolution or linear layer:
            the graph is smaller and computes the same. Not for training.
        metadata: Texts by name to store in the model, as its `metadata_props`.

    Returns:
        The model, `onnx.ModelProto`; with `return_named_inout` also two dictionaries, of inputs and of outputs.

    Raises:
        RengaError: Functions have no converter (the message names them and the places of their calls), or the network
            cannot be exported for other sizes of named axes.
        ValueError: An argument is invalid.
    """
    opset = _opset(opset_version)
    if not callable(model):
        raise TypeError(f"model is of type {type(model).__name__}; expected a link, or a function of Variables")
    if fold_batch_normalization and (train or not export_params):
        other = "train=True" if train else "export_params=False"
        raise ValueError(
            f"fold_batch_normalization makes batch normalization a constant part of other weights; "
            f"{other} needs both separate. Next: leave one of the two out"
        )
    exported = trace(
        model,
        args,
        opset,
        export_params,
        graph_name,
        input_names,
        output_names,
        train,
        external_converters,
        external_opset_imports,
        input_shapes,
        fold_batch_normalization,
    )
    for key, text in (metadata or {}).items():
        exported.model.metadata_props.add(key=key, value=text)
    if filename is not None:
        store(exported.model, filename, save_text)
    if return_named_inout:
        return exported.model, exported.inputs, exported.outputs
    return exported.model


def trace(
    model: Callable[..., Any],
    args: Any,
    opset: int,
    export_params: bool,
    graph_name: str,
    input_names: Sequence[str] | Mapping[str, str] | None,
    output_names: Sequence[str] | Mapping[str, str] | None,
    train: bool,
    external_converters: Mapping[str, Callable[..., Any]] | None,
    external_opset_imports: Mapping[str, int] | None,
    input_shapes: Any,
    fold_batch_normalization: bool,
) -> Exported:
    """Run a network and write its graph; arguments as in `export`."""
    inputs = inputs_of(args, input_names)
    shapes = shapes_of(input_shapes, inputs, args)
    axes = axes_of(inputs, shapes)
    network = WithoutTrace(model)
    if network.is_new:  # initialize its parameters before recording
        with using_config("train", False), no_backprop_mode():
            called(network, args, list(inputs.values()))
    before = [to_host(array).copy() for array in inputs.values()]
    first = recorded = twin = run(network, args, inputs, train)
    results = outputs_of(first.results, output_names)
    check_unchanged(inputs, before)
    assumed = any(data_axes(each.function) for each in first.applied)
    if assumed:
        recorded = twin = run(network, args, inputs, train, first_sizes())
    if axes or assumed:
        larger = {name: grown(array, shapes.get(name, ()), axes) for name, array in inputs.items()}
        twin = run(network, args, larger, train, second_sizes())
    probe = None if train else probed(network, args, inputs)
    if network.changed and depends_on_state(network, args, list(inputs.values()), train):
        warnings.warn(
            f"the network keeps state between calls ({', '.join(network.changed)}). The graph contains one call, which "
            "starts from the current state. Next: make the state an argument, and return it",
            stacklevel=3,
        )

    context = Context(model)
    for name, array in inputs.items():
        context.set_name(array, name, pinned=True)
    outputs = outputs_of(recorded.results, output_names)
    _check_names(inputs, outputs)
    context.reserve(outputs)
    there = outputs_of(twin.results, output_names)
    if len(outputs) != len(there):
        raise RengaError(
            f"the network returns {len(outputs)} arrays in one run and {len(there)} in another, for other sizes of the "
            "named axes.\nNext: stack them, or give input_shapes that name fewer axes."
        )
    known = Converters.known({name: adapted(name, each) for name, each in (external_converters or {}).items()})
    parted = parting(recorded, twin, context, sizes=True)
    if parted:
        raise RengaError(
            f"the network computes differently for other sizes of the named axes: {parted}.\n"
            "Next: give input_shapes that name fewer axes; or none, and export it once for each size."
        )
    parted = "" if probe is None else parting(recorded, probe, context)
    same = probe.applied if probe is not None and not parted else None
    write(recorded.applied, twin.applied, same, list(outputs.values()), context, opset, axes, known)
    if parted:
        warn_of("the network computes differently for other values of its inputs", [parted], stacklevel=4)
    for (name, array), other in zip(outputs.items(), there.values(), strict=True):
        context.op("Identity", [context.element(array, other) or context.get_name(array)], [name])
    if fold_batch_normalization:
        fold(context, outputs)

    parameters = {} if export_params else context.parameters
    graph = helper.make_graph(
        [*context.constant_nodes(), *context.nodes],
        graph_name,
        [
            *[_value(name, array, shapes.get(name)) for name, array in inputs.items()],
            *[_value(name, array) for name, array in parameters.items()],
        ],
        [
            _value(name, array, _named(array, other, (*axes, *context.value_axes)))
            for (name, array), other in zip(outputs.items(), there.values(), strict=True)
        ],
    )
    domains = {**context.opset_imports, **(external_opset_imports or {})}
    _check_domains(context, domains)
    imports = [helper.make_opsetid(domain, version) for domain, version in {"": opset, **domains}.items()]
    made_by = {"producer_name": "renga", "producer_version": version("renga")}
    proto = helper.make_model(graph, opset_imports=imports, **made_by)
    context.add_initializers(proto.graph, own=export_params)
    proto.ir_version = helper.find_min_ir_version_for(imports, ignore_unknown=True)
    if not domains and weights_size(proto) < LARGEST:
        onnx.checker.check_model(proto)
    return Exported(proto, inputs, results, first.results)


def _check_domains(context: Context, domains: Mapping[str, int]) -> None:
    """Check that each node's domain has a version."""
    for node in context.nodes:
        if node.domain not in ("", "ai.onnx", *domains):
            raise RengaError(
                f"node {node.name!r} ({node.op_type}) is in the domain {node.domain!r}, whose version is not "
                f"known.\nNext: pass external_opset_imports={{{node.domain!r}: 1}}, or in the converter set "
                f"call.context.opset_imports[{node.domain!r}] = 1."
            )


def _opset(version: int | None) -> int:
    newest = min(MAXIMUM_OPSET_VERSION, int(onnx.defs.onnx_opset_version()))
    if version is None:
        return newest
    if not isinstance(version, int) or not MINIMUM_OPSET_VERSION <= version <= newest:
        raise ValueError(
            f"opset_version is {version!r}; Renga writes {MINIMUM_OPSET_VERSION} to {MAXIMUM_OPSET_VERSION}, and "
            f"onnx {onnx.__version__} supports opsets up to {onnx.defs.onnx_opset_version()}"
        )
    return version


def _check_names(inputs: Mapping[str, Array], outputs: Mapping[str, Array]) -> None:
    for name in outputs:
        if name in inputs:
            raise ValueError(f"an input and an output are both called {name!r}. Next: pass other output_names")


def _named(array: Array, other: Array, axes: tuple[Axis, ...]) -> list[int | str | None]:
    """Return the shape of an output, with names of axes, and None for sizes computed from them."""
    shape: list[int | str | None] = []
    for first, second in zip(array.shape, other.shape, strict=True):
        same = next((axis.name for axis in axes if (axis.first, axis.second) == (first, second)), None)
        shape.append(first if first == second else same)
    return shape


def _value(name: str, array: Array, shape: Sequence[int | str | None] | None = None) -> onnx.ValueInfoProto:
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(array.dtype))
    return helper.make_tensor_value_info(name, kind, list(array.shape) if shape is None else list(shape))
