"""Updating groups of similar parameters in one call.

The parameters of a group have the same class of rule, hyperparameters, update count, dtype and device. By default, the
parameters of a model form one group, or two or three.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from contextlib import ExitStack
from typing import Any

import numpy as np

from renga_core.backend import Array, Device, get_backend, get_device_of
from renga_core.graph import Parameter
from renga_core.optimizer.fp32_copy import refresh_copies, round_copies, widen
from renga_core.optimizer.update_rule import UpdateRule

__all__ = ["Group", "prepare_grads", "update_in_groups"]


class Group:
    """Parameters that are updated in one call.

    Attributes:
        rules: Their rules. Any of them can update the group: hyperparameters and `t` are the same.
        params: The arrays' owners: the parameters, or their float32 copies.
        device: The device of their arrays.
    """

    __slots__ = ("device", "params", "rules")

    def __init__(self, device: Device) -> None:
        self.device = device
        self.rules: list[UpdateRule] = []
        self.params: list[Parameter] = []

    def update(self) -> None:
        """Call `UpdateRule.update_group` of one rule for all."""
        with self.device.use():
            self.rules[0].update_group(*self.arguments())

    def arguments(self) -> tuple[list[Array], list[Array], dict[str, list[Any]]]:
        """The arguments of `UpdateRule.update_group`: arrays, gradients, and states by name."""
        rules, params = self.rules, self.params
        state = {name: [rule.state[name] for rule in rules] for name in rules[0].state}
        return [param.array for param in params], [param.grad for param in params], state


def update_in_groups(params: Iterable[Parameter], update: Callable[[Group], None]) -> None:
    """Change parameters by their update rules.

    A rule that cannot update groups (see `UpdateRule.in_groups`) updates its parameter directly. For the others, states
    and hooks of rules are seen to one by one, float32 copies and updates in one call for each group.

    Args:
        params: The parameters.
        update: Updates a group.
    """
    groups: dict[Hashable, Group] = {}
    begun: list[tuple[UpdateRule, Parameter, Parameter, Device]] = []
    halves: dict[tuple[Device, Any], list[tuple[Parameter, Parameter]]] = {}
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
            target = rule.begin(param, device)
            if target is not None:
                begun.append((rule, param, target, device))
                if target is not param:
                    halves.setdefault((device, param.dtype), []).append((param, target))
                key = backend, index, target.array.dtype, rule.group_key()
                group = groups.setdefault(key, Group(device))
                group.rules.append(rule)
                group.params.append(target)
    for (place, _), pairs in halves.items():
        with place.use():
            refresh_copies(place.backend, [target.array for _, target in pairs], [param.array for param, _ in pairs])
    _call_hooks("pre", begun)
    for group in groups.values():
        update(group)
    _call_hooks("post", begun)
    for (place, _), pairs in halves.items():
        with place.use():
            round_copies(place.backend, [param.array for param, _ in pairs], [target.array for _, target in pairs])
        for _, target in pairs:
            target.cleargrad()


def _call_hooks(timing: str, begun: list[tuple[UpdateRule, Parameter, Parameter, Device]]) -> None:
    for rule, _, target, place in begun:
        if rule._hooks:
            with place.use():
                rule.call_hooks(timing, target)


def prepare_grads(params: Iterable[Parameter], loss_scale: float | None) -> None:
    """Divide gradients by their loss scales; convert those for updates in float32 at once, in few calls.

    `loss_scale` is that of gradients for which no backward recorded one.
    """
    alike: dict[tuple[Device, Any, float | None], list[Parameter]] = {}
    for param in params:
        rule, grad, scale = param.update_rule, param.grad, param._loss_scale
        if isinstance(rule, UpdateRule) and grad is not None and rule.goes_through_fp32(param):
            scale = loss_scale if scale is None else scale
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
