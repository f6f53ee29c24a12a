"""The base of functions that communicate."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence

from renga_core.backend import Array, get_device_of
from renga_core.communicator import CommunicatorBase
from renga_core.configuration import config
from renga_core.graph import FunctionNode, GraphError, Variable
from renga_distributed.functions.delegates import delegate, delegate_gradient, pseudo_connect, zeros

__all__ = ["Communication"]


class Communication(FunctionNode):
    """A function whose inputs and outputs may be on different ranks.

    The last input is an anchor (see `delegates`), and the last output a delegate variable. The others are the data that
    this rank sends and receives, possibly none. Every rank applies one, with the same arguments.

    Attributes:
        communicator: Between the ranks.
    """

    communicator: CommunicatorBase

    @abstractmethod
    def communicate(self, xs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Send `xs`; return the received arrays."""

    @abstractmethod
    def inverse(self) -> Communication:
        """The transposed communication: send the gradients of received arrays, receive those of sent ones."""

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Communicate."""
        ys = self.communicate(inputs[:-1])
        self._anchored = get_device_of(inputs[-1])
        self._made = [(get_device_of(y), y.shape, y.dtype) for y in ys]
        self.retain_outputs((len(ys),))
        return (*ys, delegate(self._anchored).array)

    def backward(
        self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Variable | None, ...]
    ) -> Sequence[Variable | None]:
        """Communicate gradients, with zeros for unused outputs.

        The replies of other ranks depend on the data sent to them, but this rank's graph does not show this. So the
        anchor of the answer depends on this function: then a second backward reaches both, on every rank.

        Raises:
            GraphError: This pass must be differentiable, but no variable leads to this function.
        """
        self._require_a_way_here()
        *gys, gdelegate = grad_outputs
        (tie,) = self.get_retained_outputs()
        if gdelegate is not None:
            (tie,) = pseudo_connect(tie, gdelegate)
        gxs, answered = self._answer(
            [
                Variable(zeros(*made), requires_grad=False) if gy is None else gy
                for gy, made in zip(gys, self._made, strict=True)
            ],
            tie,
        )
        return (*gxs, delegate_gradient(self, len(gxs), self._anchored, answered))

    def _require_a_way_here(self) -> None:
        """Raise an error if a second backward could not reach received data, which would let another rank wait."""
        given, only = len(self.inputs) - 1, self.inputs[-1]
        if config.enable_backprop and not given and only.creator_node is None and only.get_variable_or_none() is None:
            raise GraphError(
                f"{self.label} cannot be differentiated twice: nothing on this rank leads to it. Give it a delegate "
                f"variable that you hold; a second backward starts from (or is tied to) the grad_var of that."
            )

    def _answer(self, gys: list[Variable], tie: Variable) -> tuple[Sequence[Variable | None], Variable]:
        """The gradients of the sent arrays, and a delegate variable of their communication."""
        *gxs, answered = self.inverse().apply((*gys, tie))
        return gxs, answered
