"""`export`: a network as a file of ONNX."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper

from renga_core.backend import Array, get_device_of, to_host
from renga_core.configuration import using_config
from renga_core.errors import RengaError
from renga_core.graph import Variable
from renga_onnx.context import Context
from renga_onnx.exporting.choosing import Converters
from renga_onnx.exporting.conversion import write
from renga_onnx.exporting.external import adapted
from renga_onnx.exporting.folding import fold
from renga_onnx.exporting.recording import Applied, Recorder
from renga_onnx.exporting.sizes import FACTORS, Axis, data_axes, first_sizes, second_sizes
from renga_onnx.kind import MAXIMUM_OPSET, MINIMUM_OPSET

__all__ = ["MAXIMUM_OPSET_VERSION", "MINIMUM_OPSET_VERSION", "Exported", "export", "trace"]

MINIMUM_OPSET_VERSION, MAXIMUM_OPSET_VERSION = MINIMUM_OPSET, MAXIMUM_OPSET

_LARGEST = 2**31 - 2**20
"""Bytes of parameters above which they are stored beside the model: a protocol buffer must be below 2 GiB."""


class Exported:
    """A network that was exported, with the arrays of the run.

    Attributes:
        model: The model.
        inputs, outputs: The arrays of its inputs and outputs, by name and in order.
        results: What the network returned.
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
    """Export a network: the functions that it applies when it is called are written as a graph of ONNX.

    It is called a second time with other values, to see whether what it does depends on them in a way that the graph
    cannot have; a warning then says where.

    Args:
        model: The network: a link, or any function of Variables.
        args: What to call it with: an array or a Variable, a list or tuple of them, or a dictionary by argument name.
        filename: Where to store the model; None: it is only returned. Parameters of more than 2 GiB are stored beside
            it, in ``<filename>.data``.
        export_params: Whether parameters are stored in the model; if not, they are further inputs of it.
        graph_name: Name of the graph.
        save_text: Also write it as text, with the suffix ``.txt``.
        opset_version: Version of ONNX's operators, 13 to 21; None: the newest that the installed onnx knows.
        input_names, output_names: Names of inputs and outputs. Default: ``Input_0`` …, ``Output_0`` …; keys where the
            network is called with a dictionary, or returns one.
        train: Export the network as it is in training: with dropout, and with the statistics of the batch.
        return_named_inout: Also return the arrays of inputs and outputs.
        external_converters: Converters by name of the function's class, or as `renga_onnx.replace_func` named it, in
            the form of ONNX-Chainer: called with ``(func, opset_version, input_names, output_names, context)``, they
            return nodes. They go before all others.
        external_opset_imports: Versions of further domains of operators.
        input_shapes: Shapes in which axes that may have any size are named: ``("batch", 3, "height", "width")``; as
            many as there are inputs, in the form of `args`. The network is then also run with larger sizes, which shows
            what depends on them.
        no_testcase: Of no meaning; there to take the arguments of ONNX-Chainer.
        fold_batch_normalization: Make batch normalization part of the convolution, deconvolution or linear layer before
            it: the graph is smaller and computes the same. Not for training.
        metadata: Texts by name that are stored in the model, as its `metadata_props`.

    Returns:
        The model, `onnx.ModelProto`; with `return_named_inout` also two dictionaries, of inputs and of outputs.

    Raises:
        RengaError: Functions have no converter (all are named, and where they were called), or the network cannot be
            exported for other sizes of named axes.
        ValueError: An argument makes no sense.
    """
    opset = _opset(opset_version)
    if fold_batch_normalization and (train or not export_params):
        other = "train=True" if train else "export_params=False"
        raise ValueError(
            f"fold_batch_normalization makes batch normalization part of other weights, which are then constant; "
            f"{other} wants them apart. Next: leave one of the two out"
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
        _store(exported.model, Path(filename), save_text)
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
    """Run a network and write its graph; arguments as of `export`."""
    given = _by_name(args, "Input", input_names)
    inputs = {name: _copied(value) for name, value in given.items()}
    shapes = _shapes(input_shapes, list(inputs), args)
    axes = _axes(inputs, shapes)
    recorder, results = _run(model, args, list(inputs.values()), train)
    twin, computed, others = recorder, results, results
    assumed = any(data_axes(each.function) for each in recorder.applied)
    if assumed:
        recorder, computed = _run(model, args, list(inputs.values()), train, first_sizes())
    if axes or assumed:
        grown = [_grown(array, shapes.get(name, ()), axes) for name, array in inputs.items()]
        twin, others = _run(model, args, grown, train, second_sizes())
    probe = None if train else _probe(model, args, inputs)

    context = Context(model)
    for name, array in inputs.items():
        context.set_name(array, name, pinned=True)
    outputs = _by_name(computed, "Output", output_names)
    context.reserve(outputs)
    there = _by_name(others, "Output", output_names)
    if len(outputs) != len(there):
        raise RengaError(
            f"the network returns {len(outputs)} arrays in one run and {len(there)} in another, for other sizes of the "
            "named axes.\nNext: stack them, or give input_shapes that name fewer axes."
        )
    known = Converters.known({name: adapted(each) for name, each in (external_converters or {}).items()})
    write(recorder.applied, twin.applied, probe, list(outputs.values()), context, opset, axes, known)
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
        context.initializers(own=export_params),
    )
    domains = {**context.opset_imports, **(external_opset_imports or {})}
    _check_domains(context, domains)
    imports = [helper.make_opsetid(domain, version) for domain, version in {"": opset, **domains}.items()]
    proto = helper.make_model(graph, opset_imports=imports, producer_name="renga")
    proto.ir_version = helper.find_min_ir_version_for(imports, ignore_unknown=True)
    if not domains and _size(context) < _LARGEST:
        onnx.checker.check_model(proto)
    return Exported(proto, inputs, _by_name(results, "Output", output_names), results)


def _check_domains(context: Context, domains: Mapping[str, int]) -> None:
    """Raise an error if there are nodes of a domain without a version."""
    for node in context.nodes:
        if node.domain not in ("", "ai.onnx", *domains):
            raise RengaError(
                f"node {node.name!r} ({node.op_type}) is of domain {node.domain!r}, and nothing says which version of "
                f"it.\nNext: pass external_opset_imports={{{node.domain!r}: 1}}, or in the converter set "
                f"call.context.opset_imports[{node.domain!r}] = 1."
            )


def _opset(version: int | None) -> int:
    newest = min(MAXIMUM_OPSET_VERSION, int(onnx.defs.onnx_opset_version()))
    if version is None:
        return newest
    if not MINIMUM_OPSET_VERSION <= version <= newest:
        raise ValueError(
            f"opset_version is {version}; Renga writes {MINIMUM_OPSET_VERSION} to {MAXIMUM_OPSET_VERSION}, and "
            f"onnx {onnx.__version__} knows those up to {onnx.defs.onnx_opset_version()}"
        )
    return version


def _run(
    model: Callable[..., Any], args: Any, arrays: Sequence[Array], train: bool, sizes: Iterator[int] | None = None
) -> tuple[Recorder, Any]:
    """Call a network with `arrays` in the places of `args`, and with `sizes` of what depends on values."""
    variables = [Variable(array, requires_grad=False) for array in arrays]
    with using_config("train", train), using_config("enable_backprop", False), Recorder(sizes) as recorder:
        if isinstance(args, Mapping):
            return recorder, model(**dict(zip(args, variables, strict=True)))
        return recorder, model(*variables)


def _probe(model: Callable[..., Any], args: Any, inputs: Mapping[str, Array]) -> list[Applied] | None:
    """What is applied for other values: the elements in reverse order; None, and a warning, if these are refused."""
    turned = [get_device_of(array).send(np.ascontiguousarray(np.flip(to_host(array)))) for array in inputs.values()]
    try:
        return _run(model, args, turned, False, first_sizes())[0].applied
    except (ValueError, IndexError, ArithmeticError) as error:
        warnings.warn(
            f"whether what the network does depends on the values of its inputs is not known: with their elements in "
            f"reverse order it raised {type(error).__name__}: {error}",
            stacklevel=4,
        )
        return None


def _by_name(values: Any, kind: str, names: Sequence[str] | Mapping[str, str] | None) -> dict[str, Array]:
    """Arguments or results by name."""
    if isinstance(values, Mapping):
        keys = list(values)
        renamed = names if isinstance(names, Mapping) else dict(zip(keys, names or keys, strict=True))
        return {renamed.get(key, key): _array(values[key], kind) for key in keys}
    listed = list(values) if isinstance(values, (list, tuple)) else [values]
    if isinstance(names, Mapping):
        raise ValueError(f"{kind.lower()}_names is a dictionary, but there are no names that it could replace")
    if names is not None and len(names) != len(listed):
        raise ValueError(f"{len(names)} {kind.lower()}_names for {len(listed)}: {list(names)}")
    chosen = names or [f"{kind}_{i}" for i in range(len(listed))]
    return {name: _array(value, kind) for name, value in zip(chosen, listed, strict=True)}


def _array(value: Any, kind: str) -> Array:
    array = getattr(value, "_array", value)
    if not hasattr(array, "dtype"):
        raise TypeError(
            f"{kind.lower()}s of a network to be exported are arrays or Variables, or a list, tuple or dictionary of "
            f"them; one is {value!r}"
        )
    return array


def _copied(array: Array) -> Array:
    """A copy: values are told apart by identity."""
    return array.copy()


def _shapes(given: Any, names: list[str], args: Any) -> dict[str, tuple[int | str, ...]]:
    """Shapes with names in them, by input."""
    if given is None:
        return {}
    if isinstance(given, Mapping):
        listed = [given.get(key) for key in (args if isinstance(args, Mapping) else names)]
    elif len(names) == 1 and not isinstance(given[0], (list, tuple)):
        listed = [given]
    else:
        listed = list(given)
    if len(listed) != len(names):
        raise ValueError(f"{len(listed)} input_shapes for {len(names)} inputs: {', '.join(names)}")
    return {name: tuple(shape) for name, shape in zip(names, listed, strict=True) if shape is not None}


def _axes(inputs: Mapping[str, Array], shapes: Mapping[str, tuple[int | str, ...]]) -> tuple[Axis, ...]:
    """The named axes, one for each name.

    Raises:
        ValueError: A shape does not fit its array, or axes of one name have several sizes.
    """
    found: dict[str, Axis] = {}
    for name, shape in shapes.items():
        actual = tuple(inputs[name].shape)
        if len(shape) != len(actual) or any(isinstance(a, int) and a != b for a, b in zip(shape, actual, strict=True)):
            raise ValueError(f"input_shapes has {shape} for {name}, which is called with {actual}")
        for position, (axis, size) in enumerate(zip(shape, actual, strict=True)):
            if isinstance(axis, str) and axis not in found:
                if len(found) == len(FACTORS):
                    raise ValueError(
                        f"input_shapes has more than {len(FACTORS)} names of axes: {axis!r} after {[*found]}"
                    )
                found[axis] = Axis(axis, name, position, size, size * FACTORS[len(found)])
            elif isinstance(axis, str) and found[axis].first != size:
                raise ValueError(f"input_shapes calls two axes {axis!r}, of {found[axis].first} and of {size} elements")
    return tuple(found.values())


def _grown(array: Array, shape: Sequence[int | str], axes: tuple[Axis, ...]) -> Array:
    """The same elements again and again along named axes."""
    factors = {axis.name: axis.second // max(axis.first, 1) for axis in axes}
    times = [factors.get(axis, 1) if isinstance(axis, str) else 1 for axis in shape] or [1] * array.ndim
    host = np.tile(to_host(array), times)
    return get_device_of(array).send(host)


def _named(array: Array, other: Array, axes: tuple[Axis, ...]) -> list[int | str | None]:
    """The shape of an output, with the names of axes, and None for what is computed from them."""
    shape: list[int | str | None] = []
    for first, second in zip(array.shape, other.shape, strict=True):
        same = next((axis.name for axis in axes if (axis.first, axis.second) == (first, second)), None)
        shape.append(first if first == second else same)
    return shape


def _value(name: str, array: Array, shape: Sequence[int | str | None] | None = None) -> onnx.ValueInfoProto:
    kind = helper.np_dtype_to_tensor_dtype(np.dtype(array.dtype))
    return helper.make_tensor_value_info(name, kind, list(array.shape) if shape is None else list(shape))


def _size(context: Context) -> int:
    """Bytes of all initializers."""
    return sum(array.nbytes for array in (*context.parameters.values(), *context.constants.values()))


def _store(model: onnx.ModelProto, path: Path, text: bool) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    large = model.ByteSize() > _LARGEST
    onnx.save_model(model, str(path), save_as_external_data=large, location=path.name + ".data" if large else None)
    if text:
        path.with_suffix(".txt").write_text(str(model))
