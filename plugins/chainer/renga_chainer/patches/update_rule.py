"""Attributes of `UpdateRule` and optimizers."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np

from renga_core.graph import Parameter
from renga_core.link import Link
from renga_core.optimizer import GradientMethod, Hyperparameter, Optimizer, UpdateRule
from renga_core.optimizer.declaration import declared_hyperparameters
from renga_optimizers import (
    MSVAG,
    SGD,
    SMORMS3,
    AdaDelta,
    AdaGrad,
    Adam,
    CorrectedMomentumSGD,
    MomentumSGD,
    NesterovAG,
    RMSprop,
    RMSpropGraves,
)

__all__ = ["ADDITIONS"]

_prepare_grads = GradientMethod._prepare_grads
_update_parameters = GradientMethod.update_parameters
_update = UpdateRule.update
_core = UpdateRule.update_core
_in_groups = UpdateRule.in_groups


def _update_core(self: UpdateRule, param: Parameter) -> None:
    """Call `update_core_cpu` or `update_core_gpu`."""
    if param.xp is np:
        self.update_core_cpu(param)  # type: ignore[attr-defined]  # added below
    else:
        self.update_core_gpu(param)  # type: ignore[attr-defined]  # added below


def _update_core_cpu(self: UpdateRule, param: Parameter) -> None:
    """Update the parameter. Required, unless `update_core` or Renga's `update_group` is defined."""
    if type(self).update_group is UpdateRule.update_group:
        raise NotImplementedError(
            f"{type(self).__name__} defines neither update_core(param) nor update_core_cpu(param)"
        )
    _core(self, param)


def _update_core_gpu(self: UpdateRule, param: Parameter) -> None:
    """Update the parameter. Required, unless `update_core` or Renga's `update_group` is defined."""
    if type(self).update_group is UpdateRule.update_group:
        raise NotImplementedError(
            f"{type(self).__name__} defines neither update_core(param) nor update_core_gpu(param)"
        )
    _core(self, param)


def _in_groups_unless_own(self: UpdateRule, param: Parameter) -> bool:
    """Like Renga's, but calls methods that the program overrides, for each parameter."""
    return _in_groups(self, param) and not _is_programs_own(self)


def _update_own(self: UpdateRule, param: Parameter) -> None:
    """Like Renga's, but calls an `update_core` of the program even for a parameter without an array."""
    if param.array is not None or not _is_programs_own(self):
        _update(self, param)
    elif self.enabled:
        self.t += 1
        self.update_core(param)


def _is_programs_own(rule: UpdateRule) -> bool:
    """Whether the program defines `update_core`, or one of the two that it calls."""
    names = ("update_core", "update_core_cpu", "update_core_gpu")
    if any(name in rule.__dict__ for name in names):
        return True
    of_renga = ("renga_core.", "renga_optimizers.", "renga_chainer.")
    return any(not getattr(type(rule), name).__module__.startswith(of_renga) for name in names)


def _call_hook(self: Optimizer, hook: Any) -> None:
    """Call a hook; a hook for parameters gets each of them, even without an enabled update rule."""
    if getattr(hook, "call_for_each_param", False):
        for param in self._link("call_hook").params():
            hook(param.update_rule, param)
    else:
        hook(self)


def _call_hooks(self: GradientMethod, timing: str = "pre") -> None:
    """Call the hooks; if a hook clears a gradient, the next hook gets zeros."""
    for hook in self._all_hooks("call_hooks").at(timing):
        self.call_hook(hook)
        _reallocate_cleared_grads(self)


def _state(self: UpdateRule) -> dict[str, Any] | None:
    """The state of the rule; None before the first update."""
    return self._state


def _check_set_up(self: Optimizer) -> None:
    """Check that `setup` has been called.

    Raises:
        RuntimeError: It has not.
    """
    if getattr(self, "target", None) is None:
        raise RuntimeError("Optimizer is not set up. Call `setup` method.")


def _reallocate_cleared_grads(self: GradientMethod) -> None:
    """Set missing gradients to zero."""
    self._check_set_up()  # type: ignore[attr-defined]  # added below
    for param in self.target.params(include_uninit=False):
        if param.grad is None:
            param.zerograd()


def _reallocate_and_prepare(self: GradientMethod, link: Link) -> None:
    """Like Renga's, but sets missing gradients to zero first: WeightDecay and Adam's means use them."""
    _reallocate_cleared_grads(self)
    _prepare_grads(self, link)


def _update_in_turns(self: GradientMethod, params: Iterable[Parameter]) -> None:
    """Like Renga's, but a parameter that several links hold is updated as many times, one update after another.

    In one group, the rule would count all updates first, and Adam would correct each of them as if it were the last.
    """
    turns: list[list[Parameter]] = []
    seen: Counter[int] = Counter()
    for param in params:
        turn = seen[id(param)]
        seen[id(param)] += 1
        if turn == len(turns):
            turns.append([])
        turns[turn].append(param)
    for group in turns:
        _update_parameters(self, group)


def _alpha_t(self: Adam) -> float:
    """The step size, with bias correction.

    Raises:
        RuntimeError: No step has been made yet.
    """
    if self.t == 0:
        raise RuntimeError(
            "Can't determine the learning rate of Adam optimizer because the update steps have not been started."
        )
    h = self.hyperparam
    return float(h.alpha * math.sqrt(1 - h.beta2**self.t) / (1 - h.beta1**self.t))


_OPTIMIZERS = (
    AdaDelta,
    AdaGrad,
    Adam,
    CorrectedMomentumSGD,
    MSVAG,
    MomentumSGD,
    NesterovAG,
    RMSprop,
    RMSpropGraves,
    SGD,
    SMORMS3,
)


def _with_own_numbers(optimizer: type[GradientMethod]) -> tuple[type[UpdateRule], str, Any]:
    """The constructor of an optimizer's rule. It takes the rule's own hyperparameters; the optimizer has the
    defaults."""
    names = tuple(declared_hyperparameters(optimizer))
    made = optimizer()
    rule = type(made.create_update_rule())
    before = rule.__init__

    def init(self: UpdateRule, parent_hyperparam: Hyperparameter | None = None, *values: Any, **named: Any) -> None:
        before(self, made.hyperparam if parent_hyperparam is None else parent_hyperparam)
        given = {**dict(zip(names, values, strict=False)), **named}
        unknown = given.keys() - set(names)
        if unknown or len(values) > len(names):
            raise TypeError(f"{rule.__name__} takes {', '.join(names)}, not {', '.join(sorted(unknown)) or values}")
        for name, value in given.items():
            if value is not None:
                setattr(self.hyperparam, name, value)

    return rule, "__init__", init


ADDITIONS: list[tuple[Any, str, Any]] = [
    (UpdateRule, "state", property(_state)),
    (UpdateRule, "is_elementwise", False),
    (UpdateRule, "in_groups", _in_groups_unless_own),
    (UpdateRule, "update", _update_own),
    (UpdateRule, "update_core", _update_core),
    (UpdateRule, "update_core_cpu", _update_core_cpu),
    (UpdateRule, "update_core_gpu", _update_core_gpu),
    (Optimizer, "_check_set_up", _check_set_up),
    (Optimizer, "call_hook", _call_hook),
    (GradientMethod, "call_hooks", _call_hooks),
    (GradientMethod, "reallocate_cleared_grads", _reallocate_cleared_grads),
    *map(_with_own_numbers, _OPTIMIZERS),
    (Adam, "alpha_t", property(_alpha_t)),
    (GradientMethod, "_prepare_grads", _reallocate_and_prepare),
    (GradientMethod, "update_parameters", _update_in_turns),
]
