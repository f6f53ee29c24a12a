"""Runs a step once, and records it.

A `Recorder` is a tracer: it sees applied functions, computed gradients and updated parameters, and records each as a
line of a program. The step reads `TracedArray` objects instead of arrays, which detect any other use of values. The
first operation that a replay cannot repeat ends the recording, with a reason; the step itself continues unaffected.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from types import FrameType
from typing import Any

import numpy as np

from renga_compile.replay.gradient_recorder import GradientRecorder
from renga_compile.replay.outcome import Outcome
from renga_compile.replay.program import Program
from renga_core.configuration import config
from renga_core.graph import Variable
from renga_core.link import ForwardPostprocessCallbackArgs, ForwardPreprocessCallbackArgs, Link, LinkHook
from renga_core.optimizer import Hyperparameter, Optimizer
from renga_core.reporter import Reporter, get_current_reporter

__all__ = ["Recorder"]


class Recorder(GradientRecorder):
    """Records one run of a step.

    Args:
        arguments: Arrays that represent the arguments, in this run and in all replays.

    Attributes:
        program: The recorded program.
        reason: Why it cannot be replayed; None if it can.
    """

    def __init__(self, arguments: Sequence[Any]) -> None:
        super().__init__()
        self._arguments = list(arguments)
        self._links: dict[Link, dict[str, Any]] = {}

    # --- running ------------------------------------------------------------------------------------------------------

    def run(self, step: Callable[..., Any], arguments: Callable[[Callable[[Any], Any]], Sequence[Any]]) -> Any:
        """Run the step, and complete the program.

        Args:
            step: The step.
            arguments: Given a function from arrays to stand-ins, returns the arguments of `step`.

        Returns:
            The return value of the step.
        """
        links = _Links(self)
        try:
            try:
                with self, links:
                    result = step(*arguments(lambda array: self.trace(array, self.program.constant(array))))
            finally:
                self._stop(links)
        finally:
            self._stop(links)  # again, because Ctrl-C may have interrupted the first call
        outcome = Outcome(self, self._arguments, self._outputs)
        if self.reason is None:
            self._conclude(outcome, result)
        found = outcome.own(result)
        self._forget()
        return found

    def refuse(self, reason: str) -> None:
        """Stop recording, because a replay cannot repeat the last operation."""
        if self.reason is None:
            self.reason = reason + _place()

    def _stop(self, links: _Links) -> None:
        """Restore everything. Called twice, so that an interrupt at any point does no harm."""
        self.leave()
        links.leave()
        for function, rows in self._concealed.items():
            for key, array, _ in rows:
                vars(function)[key] = array

    def _forget(self) -> None:
        """Keep what a comparison with another recording needs."""
        for kept in (self._traced, self._outputs, self._concealed, self._functions, self._inputs):
            kept.clear()
        if self.reason is not None:
            self.program = Program()

    # --- what else a step does ----------------------------------------------------------------------------------------

    def changed(self, what: Any, how: str) -> None:
        """Record a change, or refuse it."""
        if isinstance(what, Variable):
            self._unwrap(what)
        made = id(what) in self._made
        if self.reason is not None:
            return
        if isinstance(what, Hyperparameter):
            self.refuse(f"it sets the hyperparameter {how}: set it outside of the step")
        elif how == "cleargrads":
            self.meet(what)
        elif how == "unchain":
            self.refuse("it cuts the graph (unchain)")
        elif how == "cleargrad" and not made:
            self.program.line(f"{self.program.object('p', what)}._grad = None")
        elif how == "zerograd" and not made:
            self.program.line(f"{self.program.object('p', what)}.zerograd()")
        elif how not in ("cleargrad", "zerograd") and not (made and how in ("array", "grad")):
            self.refuse(f"it changes a {type(what).__name__} ({how})")

    def update(self, proceed: Callable[[Optimizer], None], optimizer: Optimizer) -> None:
        """Record an update, which reads its hyperparameters in each replay."""
        if optimizer._dynamic_loss_scale is not None:
            self.note_dynamic_scale(optimizer)
        else:
            self.program.watch_loss_scale(optimizer)
        self._note_effect(partial(proceed, optimizer))

    def side_effect(self, proceed: Callable[[Callable[[], object]], Any], do: Callable[[], object]) -> Any:
        """Record an operation of the library that is not a function, or a ``with`` block of it."""
        return self._note_effect(do)

    def _note_effect(self, do: Callable[[], object]) -> Any:
        with self._revealed(self._concealed):
            done = do()
        if isinstance(done, AbstractContextManager):
            return self._inside(done, f"with {self.program.object('e', do)}():")
        if self.reason is None:
            self.program.line(f"{self.program.object('e', do)}()")
        return done

    @contextmanager
    def _inside(self, block: AbstractContextManager[object], header: str) -> Iterator[None]:
        """Record what is done inside of a ``with`` block."""
        count = len(self._functions)
        with block, self.program.block(header):
            yield
        self._part = count

    def report(
        self, proceed: Callable[..., None], reporter: Reporter, values: Mapping[str, Any], observer: object
    ) -> None:
        """Record a report."""
        if reporter is not get_current_reporter():
            self.refuse("it reports to a reporter that is not the current one")
        if config.keep_graph_on_report:
            self.refuse("config.keep_graph_on_report is set")
        outcome = Outcome(self, self._arguments, self._outputs)
        if self.reason is None:
            rows = ", ".join([f"{key!r}: {outcome.expression(value)}" for key, value in values.items()])
            self.program.line(f"report({{{rows}}}, {self.program.object('o', observer)})")
        proceed(reporter, {key: outcome.cut(value) for key, value in values.items()}, observer)

    def meet(self, link: Link) -> None:
        """Require that a called link and its children have the same attributes in each replay."""
        for each in link.links():
            self._links.setdefault(each, dict(vars(each)))

    def name_state(self, variable: Variable) -> None:
        """Name the array of a Variable that was there before, if a link keeps it as its state."""
        if variable.creator_node is not None or type(variable._array) is not np.ndarray:
            return
        places = ((link, key) for link, before in self._links.items() for key in before if before[key] is variable)
        for link, key in places:
            array, owner = variable._array, self.program.object("l", link)
            name = self.program.local("v", array)
            self.program.line(f"{name} = {owner}.__dict__[{key!r}]._array")
            self.program.states.watch(vars(link), key)
            self.name(array, name)
            return

    # --- the end ------------------------------------------------------------------------------------------------------

    def _conclude(self, outcome: Outcome, result: Any) -> None:
        """Complete the program. Refuse it if a computed object is still referred to from elsewhere."""
        program = self.program
        self._concealed.clear()  # so that objects still alive are referred to from elsewhere
        returned = outcome.result(result, {f for f, node in self._functions.items() if node in program.walked})
        outcome.leave_attributes(self._links)
        if any(id(kept) not in outcome.places for of, _ in self._outputs if (kept := of()) is not None):
            self.refuse("a Variable that it computes is kept for later")
        if any(id(traced) not in outcome.places for of in self._traced if (traced := of()) is not None):
            self.refuse("an array is kept for later")
        if any(link._local_link_hooks for link in self._links):
            self.refuse("a link has a hook of its own")
        walked = program.walked
        for function, node in self._functions.items():
            if node not in walked:
                program.forget(function, node)
        program.line(f"return {returned}")


class _Links(LinkHook):
    """Reports links to a recorder."""

    name = "Recorder"

    def __init__(self, recorder: Recorder) -> None:
        self._recorder = recorder

    def forward_preprocess(self, args: ForwardPreprocessCallbackArgs) -> None:
        self._recorder.meet(args.link)

    def forward_postprocess(self, args: ForwardPostprocessCallbackArgs) -> None:
        """Do nothing."""


def _place() -> str:
    """Return the current line of the user's program."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_globals.get("__name__", "").startswith("renga"):
        frame = frame.f_back
    return "" if frame is None else f", in {frame.f_code.co_filename}:{frame.f_lineno}"
