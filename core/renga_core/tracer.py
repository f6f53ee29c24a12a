"""`Tracer`: lets recorders, profilers and exporters observe the engine.

A `Tracer` observes its own thread while a ``with`` block runs::

    class Names(Tracer):
        def apply(self, proceed, function, inputs):
            outputs = proceed(function, inputs)
            print(function.label, [y.shape for y in outputs])
            return outputs

    with Names():
        loss = model(x)

For the events, their order, and what a tracer must not do, see docs/explanation/graph.md, «Tracing». The calls from the
engine are in `renga_core.tracepoints`.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Self

from renga_core.configuration import config, unusual

if TYPE_CHECKING:
    from types import TracebackType

    from renga_core.backend import Array, Backend
    from renga_core.graph import FunctionNode, Variable
    from renga_core.kernel import Implementation, Operation
    from renga_core.link import Link
    from renga_core.optimizer import Hyperparameter, Optimizer
    from renga_core.reporter import Reporter

__all__ = ["Tracer"]


class Tracer:
    """Observes the current thread. Subclass it and override methods.

    Methods named by a verb (`apply`, `backward`, `gradients` …) are called *instead of* the operation. They must call
    `proceed` once, with the given arguments or equivalent ones, and return its result. Except in `backward`, the tracer
    does not observe what happens inside `proceed`.

    Methods named by a participle (`created`, `changed`, `chosen`) are called *after* the operation.

    Of several tracers, the one entered last is called first, and its `proceed` calls the one before it.

    Attributes:
        whole: Whether composed functions that declare it are observed as one (`renga_nn.functions.composed.whole`).
    """

    whole: ClassVar[bool] = False

    def __enter__(self) -> Self:
        # Traced functions are slower, so only the events that a tracer overrides are sent to it.
        events = {name for name, method in vars(Tracer).items() if callable(method) and not name.startswith("_")}
        listens = {name for name in events if getattr(type(self), name) is not getattr(Tracer, name)}
        if listens - {"chosen"}:
            config.tracers = (*config.tracers, self)
        if "chosen" in listens:
            config.choice_tracers = (*config.choice_tracers, self)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.leave()

    def leave(self) -> None:
        """Stop observing this thread; without effect if the tracer does not observe it."""
        for name in ("tracers", "choice_tracers"):
            left = tuple([each for each in getattr(config, name) if each is not self])
            if left:
                setattr(config, name, left)
            else:  # also if an earlier call was interrupted in between
                vars(config).pop(name, None)
                unusual.discard((threading.get_ident(), name))

    # --- the graph ----------------------------------------------------------------------------------------------------

    def apply(
        self,
        proceed: Callable[[FunctionNode, Sequence[Variable | Array]], tuple[Variable, ...]],
        function: FunctionNode,
        inputs: Sequence[Variable | Array],
    ) -> tuple[Variable, ...]:
        """A function is applied to Variables and arrays. Return the outputs."""
        return proceed(function, inputs)

    def backward(
        self,
        proceed: Callable[..., None],
        outputs: list[Variable],
        grad_outputs: Sequence[Any] | None,
        retain_grad: bool,
        differentiable: bool,
        loss_scale: float | None,
    ) -> None:
        """`Variable.backward` or `backward` was called: backpropagation, and adding gradients to the `grad` of leaves.

        `proceed` empties `outputs`. What happens inside it is observed too: `gradients` and `accumulate`.
        """
        proceed(outputs, grad_outputs, retain_grad, differentiable, loss_scale)

    def gradients(
        self,
        proceed: Callable[[FunctionNode, tuple[int, ...], list[Any]], Sequence[Any]],
        function: FunctionNode,
        targets: tuple[int, ...],
        grad_outputs: list[Any],
    ) -> Sequence[Any]:
        """A first-order pass has reached a function.

        The pass continues with the returned gradients. They need ``shape``, ``size``, ``dtype``, ``+``, ``+=`` and
        ``copy()``, so a tracer can return objects of its own that record their use. It receives them back in
        `grad_outputs` and in `accumulate`. In a differentiable pass gradients are Variables, and `apply` observes what
        is computed with them.

        Args:
            proceed: Called with arrays.
            function: The function.
            targets: The inputs that need a gradient.
            grad_outputs: A gradient for each output, or None.
        """
        return proceed(function, targets, grad_outputs)

    def accumulate(
        self,
        proceed: Callable[[Variable, Any, bool, float], Any],
        variable: Variable,
        gradient: Any,
        differentiable: bool,
        loss_scale: float,
    ) -> Any:
        """A pass has ended, and `gradient` has arrived at a leaf. Return its new `grad`."""
        return proceed(variable, gradient, differentiable, loss_scale)

    def read(self, variable: Variable, array: Array) -> Any:
        """The program reads the `array` or the `grad` of a Variable. Return what it gets."""
        return array

    def generator(self, proceed: Callable[[Backend], Any], backend: Backend) -> Any:
        """The program, or a library outside of functions, requests the random generator of a backend."""
        return proceed(backend)

    def created(self, variable: Variable) -> None:
        """The program has made a Variable or a Parameter. Not called for outputs of functions."""

    def changed(self, what: Variable | FunctionNode | Link | Hyperparameter, how: str) -> None:
        """Something was changed other than by backpropagation or an update.

        Args:
            what: The changed object.
            how: The name of the method or attribute: ``array``, ``grad``, ``cleargrad``, ``zerograd``, ``copydata``,
                ``addgrad``, ``to_device`` or ``unchain`` of a Variable, ``unchain`` of a function, or ``cleargrads`` of
                a link, after one event for each of its parameters; the name of a hyperparameter.
        """

    # --- beside the graph ---------------------------------------------------------------------------------------------

    def update(self, proceed: Callable[[Optimizer], None], optimizer: Optimizer) -> None:
        """An optimizer updates its parameters with the existing gradients."""
        proceed(optimizer)

    def side_effect(self, proceed: Callable[[Callable[[], object]], Any], do: Callable[[], object]) -> Any:
        """A library changes something beside the results of functions, by calling `do`; see `side_effect`."""
        return proceed(do)

    def report(
        self,
        proceed: Callable[[Reporter, Mapping[str, Any], object], None],
        reporter: Reporter,
        values: Mapping[str, Any],
        observer: object,
    ) -> None:
        """Values are reported."""
        proceed(reporter, values, observer)

    def chosen(self, operation: Operation, implementation: Implementation) -> None:
        """An implementation of an operation is about to compute. Called everywhere, also inside `proceed`."""
