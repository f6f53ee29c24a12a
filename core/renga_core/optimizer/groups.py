"""Updating groups of similar parameters in one call.

The parameters of a group have the same class of rule, hyperparameters, update count, dtype and device. By default, the
parameters of a model form one group, or two or three.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from contextlib import ExitStack
from functools import partial
from typing import Any

import numpy as np

from renga_core.backend import Array, Device, get_backend, get_device_of
from renga_core.graph import Parameter
from renga_core.optimizer.fp32_copy import widen
from renga_core.optimizer.update_rule import UpdateRule

__all__ = ["Group", "prepare_grads", "update_in_groups"]


class Group:
    """Parameters that are updated in one call.

    Attributes:
        rules: Their rules. Any of them can update the group: hyperparameters and `t` are the same.
        params: The parameters.
        copies: Their float32 copies, if they are updated through those.
        device: The device of their arrays.
        scale: The loss scale of their gradients; with copies, the update divides by it.
    """

    __slots__ = ("copies", "device", "params", "rules", "scale")

    def __init__(self, device: Device, scale: float | None) -> None:
        self.device, self.scale = device, scale
        self.rules: list[UpdateRule] = []
        self.params: list[Parameter] = []
        self.copies: list[Parameter] = []

    def update(self) -> None:
        """Update the arrays."""
        with self.device.use():
            self.call()()

    def call(self) -> Callable[[], None]:
        """The call of `update_group` or `update_half_group` of one rule for all, with the arrays of now."""
        rules, arrays = self.rules, [param.array for param in self.params]
        grads: list[Array] = [param.grad for param in self.params]
        state = {name: [rule.state[name] for rule in rules] for name in rules[0].state}
        if not self.copies:
            return partial(rules[0].update_group, arrays, grads, state)
        copies = [copy.array for copy in self.copies]
        return partial(rules[0].update_half_group, arrays, grads, copies, state, self.scale or 1.0)


def update_in_groups(params: Iterable[Parameter], update: Callable[[Group], None]) -> None:
    """Change parameters by their update rules.

    A rule that cannot update groups (see `UpdateRule.in_groups`) updates its parameter directly. For the others, states
    and hooks of rules are seen to one by one, and updates in one call for each group.

    Args:
        params: The parameters.
        update: Updates a group.
    """
    groups: dict[Hashable, Group] = {}
    begun: list[tuple[UpdateRule, Parameter, Device]] = []
    device: Device | None = None
    with ExitStack() as on_device:
        for param in params:
            rule, array = param.update_rule, param.array
            if array is None or not isinstance(rule, UpdateRule) or not rule.in_groups(param):
                param.update()
                continue
            backend = get_backend(array)
            index = backend.device_index(array)
            if device is None or device.backend is not backend or device.index != index:
                on_device.close()  # leave the device of the previous parameter
                device = Device(backend, index)
                on_device.enter_context(device.use())
            target = rule.begin(param, device, in_group=True)
            if target is not None:
                begun.append((rule, param, device))
                grad: Array = param.grad
                kind = param.dtype if target is param else (param.dtype, grad.dtype, param._loss_scale)
                group = groups.setdefault((backend, index, kind, rule.group_key()), Group(device, param._loss_scale))
                group.rules.append(rule)
                group.params.append(param)
                if target is not param:
                    group.copies.append(target)
    _call_hooks("pre", begun)
    for group in groups.values():
        update(group)
    _call_hooks("post", begun)


def _call_hooks(timing: str, begun: list[tuple[UpdateRule, Parameter, Device]]) -> None:
    for rule, param, device in begun:
        if rule._hooks:
            with device.use():
                rule.call_hooks(timing, param)


def prepare_grads(params: Iterable[Parameter], loss_scale: float | None, hooks: bool) -> None:
    """Divide gradients by their loss scales; convert those for updates in float32 at once, in few calls.

    `loss_scale` is that of gradients for which no backward recorded one. Without `hooks`, which would see them, what
    `UpdateRule.update_half_group` divides and converts is left to it.
    """
    alike: dict[tuple[Device, Any, float | None], list[Parameter]] = {}
    for param in params:
        rule, grad, scale = param.update_rule, param.grad, param._loss_scale
        if isinstance(rule, UpdateRule) and grad is not None and rule.goes_through_fp32(param):
            scale = param._loss_scale = loss_scale if scale is None else scale
            if hooks or not rule.in_groups(param):
                alike.setdefault((get_device_of(grad), grad.dtype, scale), []).append(param)
        elif rule is not None:
            param.unscale_grad(loss_scale)
    for (device, _, scale), group in alike.items():
        with device.use():
            grads: list[Any] = [param.grad for param in group]
            wide = [device.xp.empty_like(grad, dtype=np.float32) for grad in grads]  # in their memory order
            widen(device.backend, wide, grads, scale or 1.0)
        for param, grad in zip(group, wide, strict=True):
            param._grad, param._loss_scale = grad, None if scale is None else 1.0
