"""The updates of a captured step: their kernels are in the graph, and before each replay the host counts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from typing import NamedTuple

import cupy
import numpy as np

from renga_backend_cupy.captured_numbers import CapturedNumbers, too_many
from renga_backend_cupy.captured_scaling import CapturedScaling
from renga_core.graph.parameter import UpdateRuleLike
from renga_core.optimizer import GradientMethod, UpdateRule
from renga_core.optimizer.groups import Group

__all__ = ["CapturedUpdates"]

_TABLE = 8192
"""Room for numbers to choose from: 64 KiB, which the driver takes from the host without waiting for the stream."""

_REPLAYS = 16
"""How many replays may be queued of which the host does not know whether their updates were skipped."""


class _Call(NamedTuple):
    """The update of a group: its rules, what takes its numbers, the column of the first, the number of the update.

    `captured` is what was captured, and keeps its arrays, whose addresses are in the graph.
    """

    rules: Sequence[UpdateRule]
    update: Callable[[], None]
    column: int
    number: int
    captured: Callable[[], None]


class CapturedUpdates:
    """What an optimizer does in a captured step.

    Args:
        optimizer: The optimizer, set up.
    """

    def __init__(self, optimizer: GradientMethod) -> None:
        self._optimizer = optimizer
        self._numbers = CapturedNumbers()
        self._steps = 0
        self._calls: list[_Call] = []
        self._rules: list[UpdateRule] = []
        self._states: list[object] = []
        self._known: dict[Hashable, list[float]] = {}
        self._table = cupy.empty(0 if optimizer._dynamic_loss_scale is None else _TABLE)
        self._scaling = (
            None if optimizer._dynamic_loss_scale is None else CapturedScaling(optimizer, self._numbers, self._table)
        )

    @contextmanager
    def capture(self) -> Iterator[None]:
        """In this block updates are captured but not made; its end restores the counts.

        Raises:
            TypeError: The numbers of some update cannot be brought to the GPU, so each replay would repeat the same; or
                gradients that are not finite would change more than the loss scale.
        """
        optimizer = self._optimizer
        params = [] if optimizer.target is None else optimizer.target.params()
        rules = [param.update_rule for param in params if param.update_rule is not None]
        before, steps = [rule.t for rule in rules], optimizer.t
        with nullcontext() if self._scaling is None else self._scaling.capture():
            first = 0 if self._scaling is None else 1  # states are there, even if all updates so far were skipped
            optimizer.update_group = self._capture_group  # type: ignore[method-assign]  # of this one, whatever its class
            for rule in rules:
                rule.t += first
            try:
                yield
                self._steps = optimizer.t - steps
                made = [rule.t - t - first for rule, t in zip(rules, before, strict=True)]
                self._check(rules, made)
            finally:
                del optimizer.update_group  # the one set above
                optimizer.t = steps
                for rule, t in zip(rules, before, strict=True):
                    rule.t = t

    def _check(self, rules: Sequence[UpdateRuleLike], made: Sequence[int]) -> None:
        """Raise TypeError if something else than a captured call has updated a parameter."""
        captured = Counter(id(rule) for call in self._calls for rule in call.rules)
        if any(count != captured[id(rule)] for rule, count in zip(rules, made, strict=True)):
            raise self._refusal()
        if self._scaling is None:
            return
        self._rules = [rule for rule in rules if isinstance(rule, UpdateRule) and captured[id(rule)]]
        self._states = [rule._state for rule in self._rules]
        if self._room() < self._steps:
            raise too_many()
        counts = {captured[id(rule)] for rule in self._rules}
        if not self._steps or self._scaling.updates != self._steps or counts - {self._steps}:
            raise TypeError(
                f"a step with {type(self._optimizer).__name__} and a dynamic loss scale cannot be captured as it is: "
                "it must call `GradientMethod.update`, each time with gradients of the same parameters. Next: use a "
                "constant scale (optimizer.set_loss_scale), or one optimizer for each set of parameters"
            )

    # --- replays ------------------------------------------------------------------------------------------------------

    def before_replay(self) -> None:
        """Count, and bring the numbers of each update to the GPU.

        Raises:
            RuntimeError: Since the capture the optimizer has got another loss scaling, or new states.
        """
        if self._optimizer._dynamic_loss_scale is not (None if self._scaling is None else self._scaling.scale):
            raise RuntimeError(
                "the loss scaling of the optimizer was changed after the step was captured. Next: capture it again"
            )
        if any(rule._state is not state for rule, state in zip(self._rules, self._states, strict=True)):
            raise RuntimeError(
                "the states of update rules were made after the step was captured, because all updates before were "
                "skipped. Next: capture it again"
            )
        if self._scaling is not None:
            self._before_scaled_replay(self._scaling)
            return
        self._optimizer.t += self._steps
        values = []
        for call in self._calls:
            for rule in call.rules:
                rule.t += 1
            values += self._numbers.of(call.update)
        if values:
            self._numbers.upload(values, self._numbers.array)

    def after_replay(self) -> None:
        """Let the host know later whether updates were skipped."""
        if self._scaling is not None:
            self._scaling.scale.after_replay(self._rules, self._steps)

    def _before_scaled_replay(self, scaling: CapturedScaling) -> None:
        """Bring a table of numbers to the GPU, which chooses: a row for each number of updates that may be skipped."""
        kinds, steps = self._numbers.kinds, self._steps
        rows = scaling.scale.before_replay(self._rules, min(_REPLAYS * steps, self._room() - steps)) + steps
        self._optimizer.t += steps
        for rule in self._rules:
            rule.t += steps
        table = np.ones((rows, len(kinds)))
        known: dict[Hashable, list[float]] = {}
        for call in self._calls:
            rule = call.rules[0]
            hyperparameters = repr(rule.hyperparam.get_dict())
            for row in range(rows):
                t = max(1, rule.t - (steps - 1 - call.number) - row)
                key = call.column, t, hyperparameters
                values = known[key] = self._known.get(key) or self._numbers_at(call, t)
                table[row, call.column : call.column + len(values)] = values
        self._known = known
        self._numbers.upload(np.concatenate([[len(kinds), scaling.scale.skipped], kinds, table.ravel()]), self._table)

    def _room(self) -> int:
        """How many rows the table can have besides the kinds of its columns."""
        return (_TABLE - 2) // max(1, len(self._numbers.kinds)) - 1

    def _numbers_at(self, call: _Call, t: int) -> list[float]:
        """The numbers of a call if it were update number `t` of its rules."""
        rule = call.rules[0]
        now, rule.t = rule.t, t
        try:
            return self._numbers.of(call.update)
        finally:
            rule.t = now

    # --- the capture --------------------------------------------------------------------------------------------------

    def _capture_group(self, group: Group) -> None:
        column = len(self._numbers.kinds)
        update = group.call()
        with self._numbers.capture(), group.device.use():
            update()
        if self._numbers.rows != len(group.rules):
            raise self._refusal()
        # All parameters have the same numbers, so before a replay one of them takes the numbers for all.
        shown = _first_of(group).call()
        if len(self._numbers.of(shown)) != len(self._numbers.kinds) - column:
            shown = update
        number = 0 if self._scaling is None else self._scaling.updates
        self._calls.append(_Call(group.rules, shown, column, number, update))

    def _refusal(self) -> TypeError:
        return TypeError(
            f"a step with {type(self._optimizer).__name__} cannot be captured as it is: the numbers of its update "
            "would be fixed in the graph, and each replay would repeat the same one. Next: use Adam, AdamW, SGD, "
            "MomentumSGD, CorrectedMomentumSGD, NesterovAG or RMSprop of renga.optimizers, on parameters in float32 or "
            "float64; half precision needs use_fp32_update()"
        )


def _first_of(group: Group) -> Group:
    """A group of its first parameter only."""
    made = Group(group.device, group.scale)
    made.rules, made.params, made.copies = group.rules[:1], group.params[:1], group.copies[:1]
    return made
