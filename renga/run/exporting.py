"""Exporting a trained network to an ONNX file, with named inputs and outputs."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from renga.dataset import preprocessing_document
from renga.run.evaluating import data_of
from renga.run.results import written_folder
from renga.run.trained import Trained
from renga.training import Inference
from renga_core.backend import get_device_of, to_host
from renga_core.dataset import Dataset
from renga_core.errors import RengaError

__all__ = ["OnnxOptions", "export_onnx"]

Shapes = Mapping[str, Sequence[int | str]]

_EXAMPLES = 2
"""Batch size for tracing a network that takes any batch size."""

_CHECKED = (1, 3, 16)
"""Batch sizes for checking a file that takes any batch size."""

_BATCHES = 8
"""Number of batches for checking a file with a fixed batch size."""

_LARGEST = 64
"""Before tracing, axes of variable size are cut to this size; the next size is tried if a network needs more."""


@dataclass(frozen=True)
class OnnxOptions:
    """Options of an export.

    Attributes:
        batch: Fixed batch size of the exported network; None: any size.
        opset: Version of ONNX's operators; None: the newest supported.
        fold: Whether to fold batch normalization into the layer before it.
        check: Whether to compare the file with the network in onnxruntime.
        tolerance: The largest allowed relative difference; None: depends on the dtype, see `renga.onnx.check`.
    """

    batch: int | None = None
    opset: int | None = None
    fold: bool = True
    check: bool = False
    tolerance: float | None = None


def export_onnx(trained: Trained, out: str, options: OnnxOptions) -> list[str]:
    """Write a trained network to an ONNX file. After an error, no file is left.

    Args:
        trained: The network, in test mode (`Network.using`).
        out: The file.
        options: The options.

    Returns:
        Lines that describe the file, and the largest differences from onnxruntime's results.

    Raises:
        RengaError: The task does not define the inputs of its network; the network cannot be exported; onnxruntime's
            results differ; onnx or onnxruntime is not installed.
    """
    from renga.onnx import MAXIMUM_OPSET_VERSION, MINIMUM_OPSET_VERSION

    if options.opset is not None and not MINIMUM_OPSET_VERSION <= options.opset <= MAXIMUM_OPSET_VERSION:
        raise RengaError(f"--opset {options.opset}: Renga writes {MINIMUM_OPSET_VERSION} to {MAXIMUM_OPSET_VERSION}.")
    _, test = data_of(trained)
    place = Path(out)
    with written_folder(str(place.parent)) as folder:
        path = folder / place.name
        inference, model, shapes = _written(trained, test, path, options)
        lines = [*_described(model, "input"), *_described(model, "output")]
        if options.check:
            lines += _checked(path, inference.network, _inputs(trained, test, shapes, options.batch), options.tolerance)
    return lines


def _inference(trained: Trained, test: Dataset, number: int, start: int = 0) -> Inference:
    """Return what the task exports, with this number of examples of the test data."""
    examples = [test[i % len(test)] for i in range(start, start + number)]
    return trained.task.inference(trained.target, trained.parts.converter.make()(examples, trained.device))


def _written(trained: Trained, test: Dataset, path: Path, options: OnnxOptions) -> tuple[Inference, Any, Shapes]:
    """Write the file with as many variable axes as the network allows: all of them, only the batch axis, or none.

    Returns:
        The export of the task, the model, and the shape of each input.
    """
    inference = _inference(trained, test, options.batch or _EXAMPLES)
    named = {name for axes in inference.axes.values() for name in axes.values()}
    if options.batch is not None and "batch" not in named:
        raise RengaError("--batch: this network takes one example at a time. Next: leave --batch out.")
    named -= set() if options.batch is None else {"batch"}
    for names in dict.fromkeys((frozenset(named), frozenset(named & {"batch"}))):
        try:
            return inference, *_traced(trained, inference, names, path, options)
        except Exception as error:  # of any class: the network may not support other sizes
            if not names:
                raise
            reason = str(error).partition("\n")[0]
    inference = _inference(trained, test, 1)
    found = inference, *_traced(trained, inference, frozenset(), path, options)
    if "batch" in named:
        warnings.warn(
            f"the file takes 1 example at a time, because {reason} Next, for another size: --batch N", stacklevel=2
        )
    return found


def _traced(
    trained: Trained, inference: Inference, named: frozenset[str], path: Path, options: OnnxOptions
) -> tuple[Any, Shapes]:
    """Write the file with these names of variable axes."""
    from renga.onnx import export

    inputs, shapes = {}, {}
    for name, x in inference.inputs.items():
        axes = {i: axis for i, axis in inference.axes.get(name, {}).items() if axis in named}
        inputs[name] = x[tuple(slice(_LARGEST if i in axes else None) for i in range(x.ndim))]
        shapes[name] = tuple(axes.get(i, size) for i, size in enumerate(inputs[name].shape))
    model = export(
        inference.network,
        list(inputs.values()),
        path,
        opset_version=options.opset,
        input_names=list(inputs),
        output_names=list(inference.outputs),
        input_shapes=list(shapes.values()) if named else None,
        fold_batch_normalization=options.fold,
        metadata=_metadata(trained),
    )
    return model, shapes


def _metadata(trained: Trained) -> dict[str, str]:
    """Metadata for users of the file: what they need to know without the run."""
    preprocessing = trained.task.preprocessing
    found = {
        "task": trained.description.task.use,
        "model": trained.description.model.use,
        "weights": "/".join(Path(trained.weights).parts[-2:]),
    }
    if classes := getattr(preprocessing, "classes", ()):
        found["classes"] = json.dumps(list(classes), ensure_ascii=False)
    if (document := preprocessing_document(preprocessing)) is not None:
        found["preprocessing"] = json.dumps(document, ensure_ascii=False)
    return found


def _described(model: Any, kind: str) -> list[str]:
    """A line for each input or output: name, dtype, shape."""
    from onnx import helper

    lines = []
    for value in getattr(model.graph, kind):
        tensor = value.type.tensor_type
        dtype = np.dtype(helper.tensor_dtype_to_np_dtype(tensor.elem_type))
        shape = ", ".join(
            axis.dim_param or (str(axis.dim_value) if axis.HasField("dim_value") else "?") for axis in tensor.shape.dim
        )
        lines.append(f"  {kind:6}  {value.name}  {dtype} ({shape})")
    return lines


def _inputs(trained: Trained, test: Dataset, shapes: Shapes, batch: int | None) -> Iterator[tuple[str, list[Any]]]:
    """Inputs for the check, with a description: several batch sizes, and other sizes of other variable axes."""
    named = {name for shape in shapes.values() for name in shape if isinstance(name, str)}
    if "batch" in named:
        for number in _CHECKED:
            arrays = list(_inference(trained, test, number).inputs.values())
            yield f"{number} example{'s' if number > 1 else ''}", arrays
    else:
        number = batch or 1
        for i in range(_BATCHES):
            arrays = list(_inference(trained, test, number, i * number).inputs.values())
            if _fits(arrays, shapes):
                yield f"batches of {number}" if number > 1 else "single examples", arrays
    if others := named - {"batch"}:
        yield (
            f"twice the {' and '.join(sorted(others))}",
            [
                _twice(x, [i for i, axis in enumerate(shape) if axis in others])
                for x, shape in zip(arrays, shapes.values(), strict=True)
            ],
        )


def _fits(arrays: list[Any], shapes: Shapes) -> bool:
    """Whether arrays have the fixed sizes that the file declares."""
    return all(
        isinstance(wanted, str) or wanted == size
        for x, shape in zip(arrays, shapes.values(), strict=True)
        for wanted, size in zip(shape, x.shape, strict=True)
    )


def _twice(x: Any, axes: list[int]) -> Any:
    """Return an array repeated to twice its size along some axes."""
    return get_device_of(x).send(np.tile(to_host(x), [2 if i in axes else 1 for i in range(x.ndim)]))


def _checked(path: Path, network: Any, inputs: Iterator[tuple[str, list[Any]]], tolerance: float | None) -> list[str]:
    """Compare the file with the network; return lines with the largest differences.

    Raises:
        RengaError: The results differ.
    """
    from renga.onnx import NotTheSame, check

    found: dict[str, list[Any]] = {}
    words = []
    for what, arrays in inputs:
        words.append(what)
        try:
            report = check(path, network, arrays, tolerance)
        except RengaError as error:
            error.add_note(f"This was the check with {what}. The file was not written.")
            if isinstance(error, NotTheSame):
                error.add_note("Next, if that is no more than rounding in a deep network: --tolerance 1e-3")
            raise
        for each in report.differences:
            found.setdefault(each.output, []).append(each)
    lines = [f"checked with onnxruntime: {', '.join(dict.fromkeys(words))}"]
    for name, differences in found.items():
        absolute, relative = (max(getattr(each, kind) for each in differences) for kind in ("absolute", "relative"))
        elements = sum(each.elements for each in differences)
        text = (
            f"largest difference {absolute:.1e}, relative {relative:.1e}" if elements else "always empty, not checked"
        )
        lines.append(f"  {name}  {text}")
    return lines
