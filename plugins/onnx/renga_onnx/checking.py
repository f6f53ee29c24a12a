"""`check`: compares an exported model in onnxruntime with the network."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import onnx

from renga_core.backend import to_host
from renga_core.configuration import using_config
from renga_core.errors import RengaError
from renga_core.graph import Variable, no_backprop_mode

__all__ = ["Difference", "NotTheSame", "Report", "check"]

Host = np.ndarray[Any, Any]

_TOLERANCES = {"float16": 1e-2, "float32": 1e-4, "float64": 1e-9}
"""Default tolerance: largest relative difference, by dtype of the output. Other dtypes must be equal."""


class NotTheSame(RengaError):
    """The model's results in onnxruntime differ from the network's."""


@dataclass(frozen=True)
class Difference:
    """Difference between two arrays.

    Attributes:
        output: Name of the output.
        absolute: Largest difference of two elements.
        relative: The same, divided by the largest magnitude in the network's output.
        elements: Number of compared elements.
    """

    output: str
    absolute: float
    relative: float
    elements: int

    def __str__(self) -> str:
        """One line of text."""
        if not self.elements:
            return f"{self.output}: empty, nothing was compared"
        return f"{self.output}: largest difference {self.absolute:.2g}, relative {self.relative:.2g}"


@dataclass(frozen=True)
class Report:
    """Result of a check.

    Attributes:
        differences: One per output, in order.
    """

    differences: tuple[Difference, ...]

    def __str__(self) -> str:
        """One line per output."""
        return "\n".join(map(str, self.differences))


def check(
    model: onnx.ModelProto | str | os.PathLike[str],
    network: Callable[..., Any],
    inputs: Any,
    tolerance: float | None = None,
) -> Report:
    """Run a model in onnxruntime on the CPU, and compare its outputs with those of the network in test mode.

    Args:
        model: The model, or its file.
        network: The exported network.
        inputs: Inputs in the form of `export`'s `args`: an array or a Variable, a list or tuple of these, or a
            dictionary by argument name.
        tolerance: Largest relative difference of a floating-point output. Default: 1e-4 for float32, 1e-2 for
            float16, 1e-9 for float64. Integers and booleans must be equal.

    Returns:
        The differences.

    Raises:
        NotTheSame: An output differs by more, or in shape or dtype, or in the places of NaN or infinity.
        RengaError: onnxruntime is not installed, or cannot run the model.
    """
    names, found = _computed(model, _listed(inputs))
    with using_config("train", False), no_backprop_mode():
        results = network(**_variables(inputs)) if isinstance(inputs, Mapping) else network(*_variables(inputs))
    expected = _listed(results)
    if len(expected) != len(found):
        raise NotTheSame(
            f"the network returns {len(expected)} outputs, and the model {len(found)}: {', '.join(names)}."
        )
    compared = zip(names, found, expected, strict=True)
    return Report(tuple([_difference(name, a, b, tolerance) for name, a, b in compared]))


def _computed(model: Any, arrays: Sequence[Host]) -> tuple[list[str], list[Host]]:
    """Return the names and values of a model's outputs."""
    try:
        import onnxruntime
    except ImportError as error:
        raise RengaError(
            "onnxruntime is not installed; it is needed to run the model.\nNext: pip install onnxruntime"
        ) from error
    source = model.SerializeToString() if isinstance(model, onnx.ModelProto) else os.fspath(model)
    options = onnxruntime.SessionOptions()
    options.log_severity_level = 4  # errors are raised, so onnxruntime need not print them
    try:
        session = onnxruntime.InferenceSession(source, options, providers=["CPUExecutionProvider"])
        names = [value.name for value in session.get_inputs()]
        if len(names) != len(arrays):
            raise RengaError(f"inputs given: {len(arrays)}; the model takes {len(names)}: {', '.join(names)}.")
        outputs = [value.name for value in session.get_outputs()]
        return outputs, session.run(outputs, dict(zip(names, arrays, strict=True)))
    except RengaError:
        raise
    except Exception as error:  # onnxruntime has an exception class for each of its status codes
        raise RengaError(f"onnxruntime {onnxruntime.__version__} cannot run the model: {error}") from error


def _listed(values: Any) -> list[Host]:
    if isinstance(values, Mapping):
        values = list(values.values())
    listed = values if isinstance(values, (list, tuple)) else [values]
    return [to_host(getattr(value, "array", value)) for value in listed]


def _variables(inputs: Any) -> Any:
    if isinstance(inputs, Mapping):
        return {key: _variable(value) for key, value in inputs.items()}
    return [_variable(value) for value in (inputs if isinstance(inputs, (list, tuple)) else [inputs])]


def _variable(value: Any) -> Variable:
    return value if isinstance(value, Variable) else Variable(value, requires_grad=False)


def _difference(name: str, found: Host, expected: Host, tolerance: float | None) -> Difference:
    if found.shape != expected.shape or found.dtype != expected.dtype:
        raise NotTheSame(
            f"output {name!r} is {found.dtype} {found.shape} in onnxruntime, and {expected.dtype} {expected.shape} in "
            "the network."
        )
    allowed = _TOLERANCES.get(str(found.dtype), 0.0)
    if allowed and tolerance is not None:
        allowed = tolerance
    a, b = found.astype(np.float64), expected.astype(np.float64)
    finite = np.isfinite(b)
    if not np.array_equal(a[~finite], b[~finite], equal_nan=True) or not np.isfinite(a[finite]).all():
        raise NotTheSame(f"output {name!r} has NaN or infinity at other positions in onnxruntime than in the network.")
    absolute = float(abs(a[finite] - b[finite]).max(initial=0.0))
    relative = absolute / (float(abs(b[finite]).max(initial=0.0)) or 1.0)
    if relative > allowed:
        raise NotTheSame(
            f"output {name!r} differs by {absolute:.2g} in onnxruntime from the network's. That is "
            f"{relative:.2g} of its largest value; {allowed:.2g} is allowed."
        )
    return Difference(name, absolute, relative, b.size)
