"""From recorded runs to a graph of ONNX."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from itertools import repeat

from onnx import NodeProto

from renga_core.backend import Array
from renga_core.errors import RengaError
from renga_core.graph import FunctionNode
from renga_onnx.context import Context
from renga_onnx.exporting.call import Call
from renga_onnx.exporting.recording import Applied
from renga_onnx.exporting.sizes import Axis

__all__ = ["Converter", "Converters", "convert", "converters", "write"]

Converter = Callable[[Call], None]

Converters = Mapping[type[FunctionNode] | str, Converter]

_FAMILIES = ("activation", "array", "connection", "loss", "math", "noise", "normalization", "pooling", "rnn")


def converters(more: Mapping[str, Converter]) -> Converters:
    """The converters of Renga's own functions, by class, and `more`, by name, which go before all others."""
    found: dict[type[FunctionNode] | str, Converter] = {}
    found.update(more)
    for family in _FAMILIES:
        found.update(import_module(f"renga_onnx.converters.{family}").CONVERTERS)
    return found


def convert(
    func: FunctionNode, opset: int, inputs: Sequence[str], outputs: Sequence[str], context: Context
) -> tuple[NodeProto, ...]:
    """The nodes of a function that is being written, by the converter of its class, under other names.

    Raises:
        RengaError: Its class has none, or the function is none of those that are exported.
    """
    converter = _converter(func, converters({}))
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
    table: Converters,
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
            "Next: pass external_converters={name: converter}, or give the class a method to_onnx(call) "
            "(docs/how-to/export-to-onnx.md)."
        )
    for a, b, c in calls:
        _write(Call(a, b, c, [], [], opset, context, axes), table)
    if changed:
        assert probe is not None
        _warn("the network does other things for other values of its inputs", [_parting(run, probe)])
    if context.frozen:
        _warn("the program computes with values outside of functions", context.frozen)


def _write(call: Call, table: Converters) -> None:
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


def _converter(function: FunctionNode, table: Converters) -> Converter | None:
    """By its name, else its own method, else by its class."""
    return table.get(_name(function)) or getattr(function, "to_onnx", None) or table.get(type(function))


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
