"""A link that computes nothing."""

from __future__ import annotations

from typing import Any

from renga_core.backend import Array
from renga_core.graph import Variable
from renga_core.link import Link

__all__ = ["ConstantStubLink"]


class ConstantStubLink(Link):
    """Returns the same outputs for any input; replaces a network in tests.

    Args:
        outputs: The outputs: an array, or a tuple of arrays. They move with the link between devices.
    """

    def __init__(self, outputs: Array | tuple[Array, ...]) -> None:
        super().__init__()
        self._several = isinstance(outputs, tuple)
        arrays = outputs if isinstance(outputs, tuple) else (outputs,)
        self._names = [f"output{i}" for i in range(len(arrays))]
        for name, array in zip(self._names, arrays, strict=True):
            self.add_persistent(name, array)

    def forward(self, *_: Any) -> Variable | tuple[Variable, ...]:
        """Return the outputs: a Variable, or a tuple of them."""
        outputs = tuple(Variable(getattr(self, name)) for name in self._names)
        return outputs if self._several else outputs[0]
