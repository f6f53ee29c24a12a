"""Updating groups of similar parameters in one call.

The parameters of a group have the same class of rule, hyperparameters, update count, dtype and device. By default, the
parameters of a model form one group, or two or three.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable
from contextlib import ExitStack
from typing import Any

from renga_core.backend import Array, Device, get_backend
from renga_core.graph import Parameter
from renga_core.optimizer.update_rule import UpdateRule

__all__ = ["Group", "update_in_groups"]


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

    A rule that cannot update groups (see `UpdateRule.in_groups`) updates its parameter directly. For the others, the
    preparation (state, hooks of the rule) is done one by one, then each group is updated, then the rest is done one by
    one.

    Args:
        params: The parameters.
        update: Updates a group.
    """
    groups: dict[Hashable, Group] = {}
    begun: list[tuple[UpdateRule, Parameter, Parameter, Device]] = []
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
                key = backend, index, target.array.dtype, rule.group_key()
                group = groups.get(key)
                if group is None:
                    group = groups[key] = Group(device)
                group.rules.append(rule)
                group.params.append(target)
    for group in groups.values():
        update(group)
    for rule, param, target, place in begun:
        if target is not param or rule.has_hooks:
            with place.use():
                rule.finish(param, target)
