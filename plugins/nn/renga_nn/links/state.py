"""The base of links with a state, which can be reset and set, and moves with the link."""

from __future__ import annotations

from typing import Any, ClassVar, Self

from renga_core.backend import Device
from renga_core.graph import Variable, as_variable
from renga_core.link import Chain

__all__ = ["KeepsCells", "KeepsOutput", "Stateful"]


class Stateful(Chain):
    """A chain that keeps Variables between calls.

    They hold the graph of the steps so far. For truncated backpropagation through time, call
    ``loss.unchain_backward()`` after each backward.

    Attributes:
        state_names: Names of the state's attributes; each is a Variable, or None before the first call.
    """

    state_names: ClassVar[tuple[str, ...]]

    def reset_state(self) -> None:
        """Clear the state before new sequences."""
        for name in self.state_names:
            setattr(self, name, None)

    def _keep(self, *state: Any) -> None:
        """Set the state, in the order of `state_names`."""
        for name, value in zip(self.state_names, state, strict=True):
            setattr(self, name, self._here(value))

    def _here(self, state: Any) -> Variable:
        """Return a state on this link's device; a Variable on this device stays part of its graph."""
        array = getattr(state, "array", state)
        moved = self.device.send(array)
        return as_variable(state if moved is array else moved)

    def to_device(self, device: str | Device) -> Self:
        """Move parameters and state to a device."""
        super().to_device(device)
        for name in self.state_names:
            value = getattr(self, name)
            if value is not None:
                setattr(self, name, self._here(value))
        return self

    def _zeros(self, x: Any, units: int) -> Variable:
        """The initial state, for inputs `x`."""
        return Variable(self.xp.zeros((x.shape[0], units), dtype=x.dtype), requires_grad=False)


class KeepsOutput(Stateful):
    """A chain that keeps its output.

    Attributes:
        h: Output, or None.
    """

    state_names = ("h",)
    h: Variable | None = None

    def set_state(self, h: Any) -> None:
        """Set the output, an array or a Variable ``(N, out_size)`` on any device."""
        self._keep(h)


class KeepsCells(Stateful):
    """A chain that keeps cells and output.

    Attributes:
        c, h: Cells and output, or None.
    """

    state_names = ("c", "h")
    c: Variable | None = None
    h: Variable | None = None

    def set_state(self, c: Any, h: Any) -> None:
        """Set cells and output, arrays or Variables ``(N, out_size)`` on any device."""
        self._keep(c, h)
