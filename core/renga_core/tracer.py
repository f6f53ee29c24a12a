"""The door of the engine for those who want to see what it does: recorders, profilers, exporters.

A `Tracer` sees what its own thread does while a ``with`` block runs::

    class Names(Tracer):
        def apply(self, proceed, function, inputs):
            outputs = proceed(function, inputs)
            print(function.label, [y.shape for y in outputs])
            return outputs

    with Names():
        loss = model(x)

What a tracer sees, in which order, and what it may not do: docs/explanation/graph.md, «Tracing». How the engine tells
of it: `renga_core.tracepoints`.
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
    from renga_core.optimizer import Optimizer
    from renga_core.reporter import Reporter

__all__ = ["Tracer"]


class Tracer:
    """Sees what this thread does. Subclass it, and override what you need.

    Methods named by a verb (`apply`, `backward`, `gradients` …) are called *in place of* what they see. They must call
    `proceed` once, with the arguments that they were given or with others of the same meaning, and return what it
    returns. Except in `backward`, what happens within `proceed` is part of it: this tracer does not see it.

    Methods named by a participle (`created`, `changed`, `chosen`) are called *after* what they see.

    Of several tracers the one that was entered last is called first, and its `proceed` calls the one before it.

    Attributes:
        whole: Functions that are composed of others, and say so, are seen as one (`renga_nn.functions.composed.whole`).
    """

    whole: ClassVar[bool] = False

    def __enter__(self) -> Self:
        # Functions are slower while somebody sees them, so only those are told who listen.
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
        """See nothing of this thread any more; nothing happens if the tracer does not."""
        for name in ("tracers", "choice_tracers"):
            left = tuple([each for each in getattr(config, name) if each is not self])
            if left:
                setattr(config, name, left)
            else:  # also where an earlier call was interrupted between the two
                vars(config).pop(name, None)
                unusual.discard((threading.get_ident(), name))

    # --- the graph ----------------------------------------------------------------------------------------------------

    def apply(
        self,
        proceed: Callable[[FunctionNode, Sequence[Variable | Array]], tuple[Variable, ...]],
        function: FunctionNode,
        inputs: Sequence[Variable | Array],
    ) -> tuple[Variable, ...]:
        """A function is applied to Variables and arrays. Returns the outputs."""
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
        """`Variable.backward` or `backward` was called: the walk back, and adding what arrives to the `grad` of leaves.

        `outputs` is emptied by `proceed`. What happens within it is seen, too: `gradients` and `accumulate`.
        """
        proceed(outputs, grad_outputs, retain_grad, differentiable, loss_scale)

    def gradients(
        self,
        proceed: Callable[[FunctionNode, tuple[int, ...], list[Any]], Sequence[Any]],
        function: FunctionNode,
        targets: tuple[int, ...],
        grad_outputs: list[Any],
    ) -> Sequence[Any]:
        """The walk of a first-order pass has come to a function.

        What is returned is what the walk goes on with. It needs ``shape``, ``size``, ``dtype``, ``+``, ``+=`` and
        ``copy()`` of it, so a tracer can return objects of its own that note what the walk does with them; it gets them
        back in `grad_outputs` and in `accumulate`. In a differentiable pass gradients are Variables, and what is
        computed with them is seen by `apply`.

        Args:
            proceed: Called with arrays.
            function: The function.
            targets: The inputs for which a gradient is wanted.
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
        """A pass has ended, and `gradient` has arrived at a leaf. Returns what becomes its `grad`."""
        return proceed(variable, gradient, differentiable, loss_scale)

    def read(self, variable: Variable, array: Array) -> Any:
        """A program asks for the `array` or the `grad` of a Variable. Returns what it gets."""
        return array

    def generator(self, proceed: Callable[[Backend], Any], backend: Backend) -> Any:
        """A program, or a library outside of functions, asks for the random generator of a backend."""
        return proceed(backend)

    def created(self, variable: Variable) -> None:
        """A program has made a Variable or a Parameter. Outputs of functions are not told of here."""

    def changed(self, what: Variable | FunctionNode | Link, how: str) -> None:
        """Something was changed other than by the walk or an update.

        Args:
            what: What was changed.
            how: What was called or assigned: ``array``, ``grad``, ``cleargrad``, ``zerograd``, ``copydata``,
                ``addgrad``, ``to_device`` or ``unchain`` of a Variable, ``unchain`` of a function, ``cleargrads`` of
                a link, whose parameters are told of one by one before.
        """

    # --- beside the graph ---------------------------------------------------------------------------------------------

    def update(self, proceed: Callable[[Optimizer], None], optimizer: Optimizer) -> None:
        """An optimizer changes its parameters by the gradients that are there."""
        proceed(optimizer)

    def side_effect(self, proceed: Callable[[Callable[[], object]], None], do: Callable[[], object]) -> None:
        """A library changes something beside the results of functions, by `do`; see the function `side_effect`."""
        proceed(do)

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
        """An implementation of an operation is about to compute. Told of wherever it happens, also within `proceed`."""
