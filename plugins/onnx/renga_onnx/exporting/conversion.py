"""Turns recorded runs into an ONNX graph."""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import repeat

from onnx import NodeProto

from renga_core.backend import Array
from renga_core.errors import RengaError
from renga_core.graph import FunctionNode
from renga_onnx.context import Context
from renga_onnx.converters import stacks
from renga_onnx.converters.forward import NotWrittenError, by_forward
from renga_onnx.exporting.call import Call
from renga_onnx.exporting.choosing import Converter, Converters, name_of
from renga_onnx.exporting.recording import Applied
from renga_onnx.exporting.sizes import Axis

__all__ = ["convert", "warn_of", "write"]


def convert(
    func: FunctionNode, opset: int, inputs: Sequence[str], outputs: Sequence[str], context: Context
) -> tuple[NodeProto, ...]:
    """Return the nodes of the function being written, under other names, from its own converter or Renga's.

    Raises:
        RengaError: There is no converter, or the function is not being exported.
    """
    converter = Converters.known({}).of_class(type(func))
    if converter is None or func not in context.calls:
        raise RengaError(
            f"{name_of(func)} has no converter to ONNX, or is not being exported.\n"
            "Next: call this in an external converter, with the function that it receives."
        )
    before, sizes = len(context.nodes), dict(context.sizes)
    converter(replace(context.calls[func], inputs=list(inputs), outputs=list(outputs), opset=opset))
    made = tuple(context.nodes[before:])
    del context.nodes[before:]
    context.sizes = sizes  # computed values are available only if the caller adds them
    return made


def write(
    run: Sequence[Applied],
    twin: Sequence[Applied],
    probe: Sequence[Applied] | None,
    results: Sequence[Array],
    context: Context,
    opset: int,
    axes: tuple[Axis, ...],
    known: Converters,
) -> None:
    """Write all functions of a run that `results` depend on; `twin` and `probe` (if any) are equal graphs.

    Raises:
        RengaError: Functions have no converter; the message names all of them.
    """
    needed = _needed(run, results)
    probes = repeat(None, len(run)) if probe is None else probe
    calls = [(a, b, c) for a, b, c, used in zip(run, twin, probes, needed, strict=True) if used]
    found: list[Converter | None] = []
    missing: dict[str, list[str]] = {}
    for a, b, _ in calls:
        converter = known.find(a.function, opset)
        why = "" if converter else known.why_not(a.function)
        if converter is None and not why:
            try:
                converter = by_forward(a, b, known.tables)
            except NotWrittenError as error:
                why = str(error)
        found.append(converter)
        if converter is None:
            missing.setdefault(name_of(a.function) + (f" ({why})" if why else ""), []).append(a.where)
    if missing:
        lines = "".join(f"\n  - {name}, called at {', '.join(dict.fromkeys(at))}" for name, at in missing.items())
        count = "1 function has" if len(missing) == 1 else f"{len(missing)} functions have"
        raise RengaError(
            f"{count} no converter to ONNX:{lines}\n"
            "Next: pass external_converters={name: converter}, or give the class a method to_onnx(call) "
            "(docs/how-to/export-to-onnx.md); a plugin can bring one (docs/how-to/write-an-onnx-converter.md)."
        )
    for (a, b, c), converter in zip(calls, found, strict=True):
        if converter is not None:
            _write(Call(a, b, c, [], [], opset, context, axes), converter)
    if context.frozen:
        warn_of("the program computes with values outside of functions", context.frozen)


def _write(call: Call, converter: Converter) -> None:
    """Write a function.

    Raises:
        RengaError: The converter has not written one of the outputs.
    """
    run, context = call.run, call.context
    context.calls[run.function] = call
    if stacks.is_stack(call):
        stacks.write(call)
        return
    call.inputs.extend(call.array(a, b) for a, b in zip(run.inputs, call.twin.inputs, strict=True))
    for y in run.outputs:
        call.outputs.append(context.fresh(f"{name_of(run.function)}_out"))
        context.set_name(y, call.outputs[-1])
    context.value_axes += call.value_axes
    before = len(context.nodes)
    if call.has_other_numbers():
        context.frozen.setdefault(f"{name_of(run.function)} ({run.where})")
    converter(call)
    written = {name for node in context.nodes[before:] for name in node.output}
    left_out = [name for name in call.outputs if name not in written]
    if left_out:
        raise RengaError(
            f"the converter of {name_of(run.function)} ({run.where}) has written no node with the output "
            f"{left_out[0]!r}.\nNext: in the converter, write each of call.outputs (output_names)."
        )


def _needed(run: Sequence[Applied], results: Sequence[Array]) -> list[bool]:
    """Return the functions that `results` depend on. Arrays held by functions count as inputs."""
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


def warn_of(what: str, where: Iterable[str], stacklevel: int = 5) -> None:
    """Warn that the graph is valid only for these arguments, and where."""
    said = f"{what}: {', '.join(where)}. The export follows the run with these arguments."
    warnings.warn(said, stacklevel=stacklevel)
