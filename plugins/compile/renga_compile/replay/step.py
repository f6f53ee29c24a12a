"""The compiler ``replay``: records a step in its first calls and replays it in later ones."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from renga_compile.compiled_step import CompiledStep
from renga_compile.replay.program import Program
from renga_compile.replay.recorder import Recorder
from renga_compile.replay.try_lock import TryLock
from renga_compile.replay.variables import Variables
from renga_core.configuration import config
from renga_core.link import Link
from renga_core.link.link_hook import get_link_hooks, watchers
from renga_core.plugin import choices_state

__all__ = ["ReplayedStep"]

_MOST_KINDS = 16  # limit for kinds of arguments, so that ever new input sizes cannot fill the memory
_PLAIN = (bool, int, float, str, type(None))
_BY_NAME = (inspect.Parameter.KEYWORD_ONLY, inspect.Parameter.VAR_KEYWORD)


class ReplayedStep(CompiledStep):
    """A step that is recorded, and then replayed without building a graph.

    ::

        @renga.compile
        def step(x, t):
            loss = model(x, t)
            model.cleargrads()
            loss.backward()
            optimizer.update()
            return loss

        for x, t in batches:
            loss = step(x, t)

    For each combination of shapes and dtypes of the arguments (the last 16), the first call is an ordinary call, and
    the next two are recorded. If both are equal, calls from the fourth on are replayed: a flat program (`source`) calls
    the recorded functions, forward and backward, in the same order with the same memory layout. Results are bitwise
    equal. It pays for small networks, for which Python takes longer than arithmetic.

    *Requirements.* A replay does not run the step's Python code. So each call must do the same, except for values of
    arguments, parameters, and random numbers that functions draw. If a violation is detected, every call is an ordinary
    call, and `explain` gives the reason:

    - values of arrays are read outside of functions: ``float(loss)``, ``if y.array.max() > 1``, ``x / 255`` on an array
      (apply a function to it: ``F.add``, ``x * W``);
    - hyperparameters are set: ``optimizer.lr = …`` (do this before or after the call);
    - variables of the module or of the function around the step are assigned, such as a counter;
    - computed values are kept for later, other than by being returned: a list that grows, or a graph that backward of
      the next call goes through. (Allowed are attributes of links with results, such as `Classifier.loss`, or with a
      state without a graph, such as that of an `LSTM` in ``no_backprop_mode``: replays read and set them too);
    - functions, their arguments, or arrays from outside differ between the recorded calls, or in one of the calls 8,
      16, 32 and so on, which are recorded again and compared.

    A branch on another Python value that changes later, such as the length of a list or the time, is not detected
    before one of these calls.

    Single calls are ordinary calls in these cases: arguments other than NumPy arrays, plain values, and tuples and
    lists of these; active function or link hooks, tracers, or debug mode; a link whose state was reset; changed
    attributes of links, or changed variables that the step reads, of its module or of the function around it. After a
    change of these attributes or variables, the step is recorded anew.

    It returns arrays, and Variables without a graph. Call `backward` inside the step. Arguments may be given by name,
    unless the step takes one by name only.

    Args:
        step: The function, or a Link.

    Attributes:
        step: The argument `step`.
    """

    def __init__(self, step: Callable[..., Any]) -> None:
        super().__init__(step)
        self._ways: dict[Any, _Way] = {}
        self._variables = Variables(step)
        self._lock = TryLock()
        self._last = "it has not been called yet"

    def __call__(self, *args: Any, **named: Any) -> Any:
        """Call the step, or replay it."""
        if named:
            args, named = _in_order(self.step, args, named)
            if named:
                self._last = "ordinary calls: the step takes arguments by name only"
                return self.step(*args, **named)
        arrays: list[Any] = []
        key = _key(args, arrays)
        obstacle = key if isinstance(key, str) else _obstacle()
        holder = arrays  # a separate list for this call
        try:
            try:
                if obstacle is not None or not self._lock.acquire(holder):
                    self._last = f"ordinary calls: {obstacle or 'another call is running'}"
                    return self.step(*args)
                way = self._way((key, config.train, config.enable_backprop, np.dtype(config.dtype), config.type_check))
                result = way.call(self.step, args, arrays)
                self._last = way.state
                return result
            finally:
                self._lock.release(holder)
        finally:
            self._lock.release(holder)

    def _way(self, key: Any) -> _Way:
        """Return the state of calls of this kind."""
        way = self._ways.get(key)
        if way is None:
            if len(self._ways) == _MOST_KINDS:
                del self._ways[next(iter(self._ways))]
            way = self._ways[key] = _Way(self._build, self._variables)
        return way

    def _build(self, program: Program) -> tuple[Callable[[], Any], str]:
        """Return a function that runs a recorded program, and its description in a sentence."""
        return program.build(), "replayed"

    def explain(self) -> str:
        """Describe the last call, with the reason, in one sentence."""
        return self._last

    @property
    def source(self) -> str:
        """Source of the last replayed program, in Python; empty if there is none yet."""
        return next((way.program.source for way in reversed(self._ways.values()) if way.replay is not None), "")


class _Way:
    """Calls with arguments of one kind."""

    def __init__(self, build: Callable[[Program], tuple[Callable[[], Any], str]], variables: Variables) -> None:
        self.state = "ordinary calls: the first with arguments of this kind"
        self._build = build
        self._how = "replayed"
        self.replay: Callable[[], Any] | None = None
        self.program = Program()
        self._statics: list[Any] = []
        self._recorded: Recorder | None = None
        self._choices: Any = None
        self._variables = variables
        self._values: list[Any] = []
        self._calls = 0
        self._refused = False

    def call(self, step: Callable[..., Any], args: tuple[Any, ...], arrays: list[Any]) -> Any:
        self._calls += 1
        if self._refused:
            return step(*args)
        if self._calls == 1:
            self._statics = [np.empty_like(array) for array in arrays]
            return step(*args)
        if self._recorded is not None and not self._is_current():
            self.replay = self._recorded = None
        if self.replay is not None and not self.program.states.are_there():
            self.state = "ordinary calls: a link has another state than in the recorded calls"
            return step(*args)
        for static, array in zip(self._statics, arrays, strict=True):
            static[...] = array
        if self.replay is None or (self._calls >= 8 and self._calls & (self._calls - 1) == 0):
            return self._record(step, args)
        try:
            self.state = self._how
            return self.replay()
        except BaseException:
            self.program.reset()
            raise

    def _is_current(self) -> bool:
        """Whether the step's references and the choice of kernels are unchanged."""
        return (
            self._choices == choices_state()
            and all(map(operator.is_, self._values, self._variables.values()))
            and (self.replay is None or self.program.is_current())
        )

    def _record(self, step: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        before = self._recorded
        unset = [] if before is None else before.program.unset()
        values = self._variables.values()
        recorder = Recorder(self._statics)
        statics = iter(self._statics)
        result = recorder.run(
            step, lambda stand_in: [_mapped(value, lambda _: stand_in(next(statics))) for value in args]
        )
        reason = recorder.reason
        if reason is None and (name := self._variables.assigned(values)) is not None:
            reason = f"it assigns the variable {name}, which is not its own"
        if reason is None and before is not None:
            reason = before.program.difference(recorder.program)
        if reason is not None:
            self.state, self._refused, self.replay, self._recorded = f"ordinary calls: {reason}", True, None, None
            self.program = Program()
            self._statics = []
        else:
            if self.replay is None:
                self._recorded, self._choices, self._values = recorder, choices_state(), values
                self.state = "recorded; the next call is also recorded"
                if before is None:
                    recorder.program.reset()  # arrays kept by functions need as much memory as the step
                else:
                    self.program = recorder.program
                    self.program.states.watch_unset(unset)
                    self.replay, self._how = self._build(self.program)
            if before is not None:
                self.state = f"{self._how}, but for this call, which was recorded to compare"
        return result


def _in_order(step: Callable[..., Any], args: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Return the arguments in the order of the step's parameters, and those that can be given by name only."""
    try:
        signature = inspect.signature(step.forward if isinstance(step, Link) else step)
        bound = signature.bind(*args, **named)
    except (TypeError, ValueError):  # the step itself says which argument is wrong
        return args, named
    if any(signature.parameters[name].kind in _BY_NAME for name in bound.arguments):
        return args, named
    bound.apply_defaults()
    return bound.args, {}


def _key(value: Any, arrays: list[Any]) -> Any:
    """Return the values that must be the same in a replay, and the arrays; a string with the reason if impossible."""
    if type(value) is np.ndarray:
        arrays.append(value)
        return value.shape, value.dtype, value.strides
    if type(value) in (tuple, list):
        keys = [type(value)]
        for each in value:
            key = _key(each, arrays)
            if isinstance(key, str):
                return key
            keys.append(key)
        return tuple(keys)
    if type(value) in _PLAIN:
        return type(value), value
    return f"an argument is a {type(value).__name__}"


def _mapped(value: Any, stand_in: Callable[[Any], Any]) -> Any:
    if type(value) is np.ndarray:
        return stand_in(value)
    if type(value) in (tuple, list):
        return type(value)([_mapped(each, stand_in) for each in value])
    return value


def _obstacle() -> str | None:
    """Return the reason why no call can be replayed now."""
    if config.tracers:
        return "a tracer is active, or another step is being recorded"
    if config.debug:
        return "debug mode is on"
    if config.function_hooks or (watchers and get_link_hooks()):
        return "a hook of functions or links is active"
    if config.gradient_listener is not None:
        return "gradients are reported as they arrive"
    if config.in_recomputing:
        return "a forgotten part of a graph is being computed again"
    return None
