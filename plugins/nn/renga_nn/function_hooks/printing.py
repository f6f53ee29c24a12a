"""`PrintHook`: prints the inputs of functions."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TextIO

from renga_core.backend import Array, get_device_of, to_host
from renga_core.graph import FunctionHook, FunctionNode
from renga_core.graph.errors import describe_array

__all__ = ["PrintHook"]


class PrintHook(FunctionHook):
    """Prints each function with its inputs, and in backward also its incoming gradients.

    For each array it prints dtype, shape, device, mean and standard deviation.

    Args:
        sep: Separator of the parts of a line; None: two spaces.
        end: End of each line.
        file: Output stream; None: the current standard output.
        flush: Flush after each function.

    >>> import numpy as np
    >>> from renga_nn.functions import relu
    >>> with PrintHook():
    ...     y = relu(np.array([1.0, 3.0]))
    forward of ReLU
      input 0  float64 (2,)  numpy  mean 2  std 1
    """

    name = "PrintHook"

    def __init__(self, sep: str | None = None, end: str = "\n", file: TextIO | None = None, flush: bool = True) -> None:
        self.sep = "  " if sep is None else sep
        self.end = end
        self.file = file
        self.flush = flush

    def forward_preprocess(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """Print the inputs."""
        self._print([f"forward of {function.label}", *self._lines("input", in_data)])

    def backward_preprocess(
        self, function: FunctionNode, in_data: tuple[Array | None, ...], out_grad: tuple[Array | None, ...]
    ) -> None:
        """Print the retained inputs, and the gradients."""
        lines = [*self._lines("input", in_data), *self._lines("output gradient", out_grad)]
        self._print([f"backward of {function.label}", *lines])

    def _lines(self, what: str, arrays: Sequence[Array | None]) -> list[str]:
        return [self.sep.join([f"  {what} {i}", *_description(array)]) for i, array in enumerate(arrays)]

    def _print(self, lines: Sequence[str]) -> None:
        file = self.file or sys.stdout
        for line in lines:
            print(line, end=self.end, file=file)
        if self.flush:
            file.flush()


def _description(array: Array | None) -> list[str]:
    if array is None:
        return ["None"]
    parts = [describe_array(array), get_device_of(array).name]
    host = to_host(array)
    if host.size:
        numbers = host.astype("float64")
        parts += [f"mean {numbers.mean():.6g}", f"std {numbers.std():.6g}"]
    return parts
