"""From recorded runs to a graph of ONNX."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import repeat

from onnx import NodeProto

from renga_core.backend import Array
from renga_core.errors import RengaError
from renga_core.graph import FunctionNode
from renga_core.plugin import registry
from renga_onnx.context import Context
from renga_onnx.exporting.call import Call
from renga_onnx.exporting.recording import Applied
from renga_onnx.exporting.sizes import Axis
from renga_onnx.kind import ONNX_CONVERTER

__all__ = ["Converter", "Converters", "convert", "converters", "write"]

Converter = Callable[[Call], None]

Converters = Mapping[type[FunctionNode] | str, Converter]


def converters(more: Converters) -> dict[type[FunctionNode] | str, Converter]:
    """The converters of all plugins, and `more`, which go before them; by class of the function or by its name."""
    found: dict[type[FunctionNode] | str, Converter] = {}
    known = registry(ONNX_CONVERTER)
    for name in known.names():
        for kind, converter in known.load(name).items():
            found[kind] = converter
    return {**found, **more}


def convert(
    func: FunctionNode, opset: int, inputs: Sequence[str], outputs: Sequence[str], context: Context
) -> tuple[NodeProto, ...]:
    """The nodes of a function that is being written, by the converter of its class, under other names.

    Raises:
        RengaError: Its class has none, or the function is none of those that are exported.
    """
    converter = converters({}).get(type(func))
    if converter is None or func not in context.calls:
        raise RengaError(
            f"{_name(func)} has no converter to ONNX, or is not being exported.\n"
            "Next: call this in an external converter, with the function that it is given."
        )
    before = len(context.nodes)
    converter(replace(context.calls[func], inputs=list(inputs), outputs=list(outputs), opset=opset))
    made = tuple(context.nodes[before:])
    del context.nodes[before:]
    return made


def write(
    run: Sequence[Applied],
    twin: Sequence[Applied],
    probe: Sequence[Applied] | None,
    results: Sequence[Array],
    context: Context,
    opset: int,
    axes: tuple[Axis, ...],
    table: Mapping[type[FunctionNode] | str, Converter],
) -> None:
    """Write what `results` need of a run.

    Raises:
        RengaError: The two runs differ, or functions have no converter: all of them are named.
    """
    if _classes(run) != _classes(twin):
        raise RengaError(_differing(run, twin))
    needed = _needed(run, results)
    changed = probe is not None and _classes(probe) != _classes(run)
    probes = repeat(None, len(run)) if probe is None or changed else probe
    calls = [(a, b, c) for a, b, c, used in zip(run, twin, probes, needed, strict=True) if used]
    missing: dict[str, list[str]] = {}
    for each, *_ in calls:
        if _converter(each.function, table) is None:
            missing.setdefault(_name(each.function), []).append(each.where)
    if missing:
        lines = "".join(f"\n  - {name}, called at {', '.join(dict.fromkeys(at))}" for name, at in missing.items())
        raise RengaError(
            f"{len(missing)} functions have no converter to ONNX:{lines}\n"
            "Next: pass external_converters={name: converter}, or let a plugin offer one of kind onnx_converter "
            "(docs/how-to/export-to-onnx.md)."
        )
    for a, b, c in calls:
        _write(Call(a, b, c, [], [], opset, context, axes), table)
    if changed:
        assert probe is not None
        _warn("the network does other things for other values of its inputs", [_parting(run, probe)])
    if context.frozen:
        _warn("the program computes with values outside of functions", context.frozen)


def _write(call: Call, table: Mapping[type[FunctionNode] | str, Converter]) -> None:
    """Write a function that has a converter."""
    run, context = call.run, call.context
    context.calls[run.function] = call
    call.inputs.extend(call.array(a, b) for a, b in zip(run.inputs, call.twin.inputs, strict=True))
    for y in run.outputs:
        call.outputs.append(context.fresh(f"{_name(run.function)}_out"))
        context.set_name(y, call.outputs[-1])
    converter = _converter(run.function, table)
    assert converter is not None
    converter(call)


def _classes(run: Sequence[Applied]) -> list[type[FunctionNode]]:
    return [type(each.function) for each in run]


def _name(function: FunctionNode) -> str:
    return getattr(function, "onnx_name", type(function).__name__)


def _converter(function: FunctionNode, table: Mapping[type[FunctionNode] | str, Converter]) -> Converter | None:
    return table.get(_name(function)) or table.get(type(function))


def _needed(run: Sequence[Applied], results: Sequence[Array]) -> list[bool]:
    """Which functions `results` depend on. Arrays that functions hold beside their inputs count as inputs."""
    wanted = {id(array) for array in results}
    needed = []
    for each in reversed(run):
        used = any(id(y) in wanted for y in each.outputs)
        if used:
            wanted.update(map(id, each.inputs))
            held = [vars(each.function)] if hasattr(each.function, "__dict__") else []
            for values in held:
                for value in values.values():
                    wanted.update(map(id, value) if isinstance(value, tuple) else [id(value)])
        needed.append(used)
    return needed[::-1]


def _parting(run: Sequence[Applied], other: Sequence[Applied]) -> str:
    """Where two runs part."""
    for a, b in zip(run, other, strict=False):
        if type(a.function) is not type(b.function):
            return f"{_name(a.function)} ({a.where}) in one run, {_name(b.function)} ({b.where}) in the other"
    return f"{len(run)} functions in one run, {len(other)} in the other"


def _differing(run: Sequence[Applied], twin: Sequence[Applied]) -> str:
    return (
        f"the network does other things for other sizes of the named axes: {_parting(run, twin)}.\n"
        "Next: give input_shapes that name fewer axes; or none, and export it once for each size."
    )


def _warn(what: str, where: Iterable[str]) -> None:
    """Say what was exported as it went, and where."""
    warnings.warn(f"{what}: {', '.join(where)}. It is exported as it went for these arguments.", stacklevel=5)
