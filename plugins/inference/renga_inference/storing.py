"""Frozen models in files: an npz file of the constants, with the steps as JSON in it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from typing import Any

import numpy as np

from renga_core.errors import RengaError
from renga_core.graph import FunctionNode
from renga_core.serializers.errors import FileDamaged
from renga_inference.constants import Constants
from renga_inference.encoding import Decoder, Encoder, from_file, in_file
from renga_inference.frozen import FrozenModel
from renga_inference.lowering import is_operator
from renga_inference.program import Host, Place, Program, Spec, Step
from renga_inference.sizes import Size
from renga_serializers.archive import open_archive, write_archive
from renga_serializers.atomic import atomic_write

__all__ = ["load_inference", "save"]

FORMAT = 1
_KIND = "a frozen model"
_PROGRAM = "program"


def save(frozen: FrozenModel, path: str | os.PathLike[str]) -> None:
    """Write a frozen model to a file, whole or not at all.

    Raises:
        RengaError: A step cannot be written.
        OSError: The file cannot be written.
    """
    program, encode = frozen.program, Encoder()
    described: dict[str, Any] = {
        "format": FORMAT,
        "tolerance": frozen.tolerance,
        "batch": program.batch,
        "fixed": program.fixed,
        "inputs": list(program.inputs),
        "specs": {str(n): [encode(spec.shape), encode(spec.dtype)] for n, spec in program.specs.items()},
        "result": encode(program.result),
        "steps": [_described(step, encode) for step in program.steps],
    }
    text = np.frombuffer(json.dumps(described, allow_nan=False).encode(), np.uint8)
    constants = {f"constant.{number}": in_file(array) for number, array in program.constants.items()}
    with atomic_write(path) as file:
        write_archive(file, {_PROGRAM: text, **constants, **encode.arrays}, compression=False)


def load_inference(path: str | os.PathLike[str]) -> FrozenModel:
    """Read a file of `FrozenModel.save`. Nothing in the file is executed; the model is run once as a test.

    Args:
        path: The file.

    Returns:
        The frozen model.

    Raises:
        FileDamaged: The file has another format, was altered, or its steps do not fit together.
        OSError: It cannot be opened.
    """
    with open_archive(path) as archive:
        arrays = {name: archive[name] for name in archive}
    del archive  # it holds the arrays, too
    try:
        program, tolerance = _read(arrays)
        arrays.clear()  # now the engine frees weights one by one, while it packs them
        frozen = FrozenModel(program, tolerance)
        with np.errstate(all="ignore"):
            specs = [program.specs[number] for number in program.inputs]
            frozen(*[np.zeros(spec.at(program.batch), spec.dtype) for spec in specs])
    except Exception as error:  # any error that a manipulated file may cause
        raise FileDamaged(os.fspath(path), f"{type(error).__name__}: {error}".partition("\n")[0], _KIND) from error
    return frozen


def _described(step: Step, encode: Encoder) -> dict[str, Any]:
    try:
        return {
            "function": encode(step.function),
            "inputs": list(step.inputs),
            "outputs": list(step.outputs),
            "then": [[encode(function), other] for function, other in step.then],
            "where": step.where,
        }
    except RengaError as error:
        raise RengaError(f"the frozen model cannot be saved: {step.name}: {error}") from error


def _read(arrays: Mapping[str, Host]) -> tuple[Program, float]:
    described = json.loads(arrays[_PROGRAM].tobytes())
    if described["format"] != FORMAT:
        raise ValueError(f"format {described['format']!r}; this version of Renga reads {FORMAT}")
    decode = Decoder(arrays)
    specs = {int(number): _spec(*map(decode, both)) for number, both in described["specs"].items()}
    constants = {}
    for name in [name for name in arrays if name.startswith("constant.")]:
        number = int(name.removeprefix("constant."))
        constants[number] = from_file(arrays[name], specs[number].dtype if number in specs else None)
    steps = tuple([_step(each, decode) for each in described["steps"]])
    inputs = tuple(map(_number, described["inputs"]))
    result, batch = decode(described["result"]), _number(described["batch"])
    program = Program(inputs, Constants(constants), steps, specs, result, batch, str(described["fixed"]))
    _check(program)
    return program, float(described["tolerance"])


def _spec(shape: Any, dtype: Any) -> Spec:
    fits = type(shape) is tuple and all(type(size) in (int, Size) for size in shape) and isinstance(dtype, np.dtype)
    if not fits:
        raise ValueError("an array without shape or dtype")
    return Spec(shape, dtype)


def _step(described: Mapping[str, Any], decode: Decoder) -> Step:
    function, then = decode(described["function"]), [(decode(each), other) for each, other in described["then"]]
    if not isinstance(function, FunctionNode) or any(not is_operator(each) for each, _ in then):
        raise ValueError("a step that is not a function")
    return Step(
        function,
        tuple(map(_number, described["inputs"])),
        tuple(map(_number, described["outputs"])),
        tuple([(each, None if other is None else _number(other)) for each, other in then]),
        str(described["where"]),
    )


def _number(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is not an integer of at least 0")
    return value


def _check(program: Program) -> None:
    """Check that each array exists before it is read, and that constants have the right shapes and dtypes."""
    known = {*program.inputs, *program.constants}
    for step in program.steps:
        if not step.outputs or not known.issuperset(step.reads) or known.intersection(step.outputs):
            raise ValueError(f"{step.name} reads a missing array, or writes an existing one")
        known.update(step.outputs)
    if not known.issuperset(program.outputs) or not known.issubset(program.specs):
        raise ValueError("an array is missing")
    for number in program.constants:
        spec, array = program.specs[number], program.constants.shown(number)
        filled = array.shape == () and any(isinstance(size, Size) for size in spec.shape)
        if array.dtype != spec.dtype or not (filled or array.shape == spec.shape):
            raise ValueError(f"constant {number} has another shape or dtype")
    if not program.inputs or program.batch < 1 or not _is_result(program.result):
        raise ValueError("no arguments, no batch or no result")


def _is_result(result: Any) -> bool:
    parts = result.values() if isinstance(result, dict) else result if isinstance(result, (tuple, list)) else None
    return isinstance(result, Place) if parts is None else all(map(_is_result, parts))
