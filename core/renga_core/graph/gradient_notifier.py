"""Reports the gradient of each leaf as soon as it is complete, while backward still runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from renga_core.configuration import using_config
from renga_core.graph.function_node import FunctionNode, functions_behind

if TYPE_CHECKING:
    from renga_core.backend import Array
    from renga_core.graph.node import VariableNode
    from renga_core.graph.variable import Variable

__all__ = ["GradientNotifier", "arriving_gradients"]

Listener = Callable[["Variable", "Array"], object]


@contextmanager
def arriving_gradients(listener: Listener) -> Iterator[None]:
    """Call a function for each leaf as soon as its gradient is complete, during ``backward`` inside this block.

    This lets gradients be sent to other processes while the rest is computed. Leaves that the pass does not reach, or
    reaches only inside a recomputed part of the graph (``forget``), are not reported: look at their ``grad`` after
    backward.

    Args:
        listener: Called with the Variable and the array that becomes its ``grad`` after backward: its former gradient
            plus the gradient of this pass. The listener must not change the array, nor call ``backward``.
    """
    with using_config("gradient_listener", listener):
        yield


class GradientNotifier:
    """Counts, during one pass, how many uses of each leaf are still to come.

    Args:
        starts: The nodes where the pass starts.
        listener: See `arriving_gradients`.
        accumulate: Adds the gradient of this pass to the gradient that a Variable has.

    Attributes:
        notified: The gradients that were reported to `listener`, by node.
    """

    def __init__(
        self,
        starts: Sequence[tuple[VariableNode, Any]],
        listener: Listener,
        accumulate: Callable[[Variable, Any, bool], Any],
    ) -> None:
        self.notified: dict[VariableNode, Any] = {}
        self._listener, self._accumulate = listener, accumulate
        self._uses: dict[VariableNode, int] = {}
        for function in functions_behind([node.creator_node for node, _ in starts if node.creator_node is not None]):
            for node in _leaves(function):
                self._uses[node] = self._uses.get(node, 0) + 1

    def visited(self, function: FunctionNode, found: dict[Any, Any], differentiable: bool) -> None:
        """Note that a function's gradients are computed; report the leaves whose gradients are complete now.

        Args:
            function: The function.
            found: Gradients of leaves so far, by node: Variables if `differentiable`, otherwise arrays.
            differentiable: Whether a graph of the gradients is built.
        """
        for node in _leaves(function):
            self._uses[node] -= 1
            variable = node.get_variable_or_none() if self._uses[node] == 0 and node in found else None
            if variable is not None:
                self.notified[node] = gradient = self._accumulate(variable, found[node], differentiable)
                self._listener(variable, gradient.array if differentiable else gradient)


def _leaves(function: FunctionNode) -> list[VariableNode]:
    """The inputs of a function that are leaves and require gradients; repeated inputs are repeated."""
    return [function.inputs[i] for i in function._targets if function.inputs[i].creator_node is None]
