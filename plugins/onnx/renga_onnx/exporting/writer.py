"""One applied function, and the nodes written for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from onnx import helper

from renga_core.backend import Array
from renga_onnx.context import Context
from renga_onnx.exporting.recording import Applied
from renga_onnx.exporting.sizes import Axis

__all__ = ["Host", "Writer"]

Host = np.ndarray[Any, Any]


@dataclass(frozen=True)
class Writer:
    """A function to write in ONNX.

    Attributes:
        run: The function in the run that is exported.
        twin: The same function in a run with other sizes of the named axes; `run` itself if no axes are named.
        probe: The same function in a run with other values; None if there was no such run.
        inputs, outputs: Names of its arrays.
        opset: Opset to write.
        context: The graph.
        axes: The named axes.
    """

    run: Applied
    twin: Applied
    probe: Applied | None
    inputs: list[str]
    outputs: list[str]
    opset: int
    context: Context
    axes: tuple[Axis, ...] = field(default=())

    @property
    def function(self) -> Any:
        """The function node, of the class for which the converter is."""
        return self.run.function

    @property
    def other(self) -> Any:
        """The function node of the other run."""
        return self.twin.function

    @property
    def x(self) -> Array:
        """The first input in the recorded run, for its shape and dtype."""
        return self.run.inputs[0]

    @property
    def y(self) -> Array:
        """The first output in the recorded run."""
        return self.run.outputs[0]

    def fresh(self, name: str) -> str:
        """Return an unused name: `name`, or `name` with a number."""
        return self.context.fresh(name)

    def op(self, op_type: str, inputs: Sequence[str], outputs: Sequence[str] | None = None, **attributes: Any) -> str:
        """Write a node.

        Args:
            op_type: Name of ONNX's operator.
            inputs: Names.
            outputs: Names; None for an output that is not used elsewhere.
            attributes: Attributes of the operator; None leaves one out. `domain` is the operator's domain.

        Returns:
            The name of the first output.
        """
        names = [self.fresh(op_type + "_out")] if outputs is None else list(outputs)
        given = {name: value for name, value in attributes.items() if value is not None}
        return self.context.op(op_type, list(inputs), names, **given)[0]

    def constant(self, value: Any, dtype: Any = None) -> str:
        """Return the name of a new constant, in `dtype` or the dtype of the first input."""
        return self.context.add_const(np.asarray(value, dtype=self.x.dtype if dtype is None else dtype), "constant")

    def integers(self, values: Sequence[int] | Host) -> str:
        """Return the name of an integer constant, in the type of axes and shapes."""
        array = np.asarray(values, np.int64).reshape(-1)
        key = "integers", *array.tolist()
        if key not in self.context.sizes:
            self.context.sizes[key] = self.constant(array, np.int64)
        return self.context.sizes[key]

    def cast(self, x: str, dtype: Any, outputs: Sequence[str] | None = None) -> str:
        """Write a cast."""
        return self.op("Cast", [x], outputs, to=helper.np_dtype_to_tensor_dtype(np.dtype(dtype)))

    def reduce(
        self, kind: str, x: str, axes: Sequence[int], keepdims: bool, outputs: Sequence[str] | None = None
    ) -> str:
        """Write ``Reduce<kind>``. Axes became an input in opset 13 for the sum, in opset 18 for the others."""
        if not axes:
            return self.reduce(kind, self.unsqueeze(x, [0]), [0], False, outputs)  # in ONNX, no axes means all
        if kind == "Sum" or self.opset >= 18:
            return self.op("Reduce" + kind, [x, self.integers(axes)], outputs, keepdims=int(keepdims))
        return self.op("Reduce" + kind, [x], outputs, axes=list(axes), keepdims=int(keepdims))

    def unsqueeze(self, x: str, axes: Sequence[int], outputs: Sequence[str] | None = None) -> str:
        """Write new axes of size 1."""
        return self.op("Unsqueeze", [x, self.integers(axes)], outputs)

    def squeeze(self, x: str, axes: Sequence[int], outputs: Sequence[str] | None = None) -> str:
        """Remove axes of size 1."""
        return self.op("Squeeze", [x, self.integers(axes)], outputs)
