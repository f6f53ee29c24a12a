"""Updating parameters in groups: those for which the same is to be computed, in one call.

A group is what has one class of rule, the same hyperparameters, the same count of updates, and arrays of one dtype on
one device. All parameters of a model are one group, or two or three, where nothing else was asked for.
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
    """Parameters for which one call computes.

    Attributes:
        rules: Their rules. Each can speak for all: hyperparameters and `t` are the same.
        params: What is to be changed: the parameters, or their copies in float32.
        device: Where their arrays are.
    """

    __slots__ = ("device", "params", "rules")

    def __init__(self, device: Device) -> None:
        self.device = device
        self.rules: list[UpdateRule] = []
        self.params: list[Parameter] = []

    def update(self) -> None:
        """Compute: `UpdateRule.update_group` of one rule, for all."""
        with self.device.use():
            self.rules[0].update_group(*self.arguments())

    def arguments(self) -> tuple[list[Array], list[Array], dict[str, list[Any]]]:
        """What `UpdateRule.update_group` takes: arrays, gradients, and what is remembered by name."""
        rules, params = self.rules, self.params
        state = {name: [rule.state[name] for rule in rules] for name in rules[0].state}
        return [param.array for param in params], [param.grad for param in params], state


def update_in_groups(params: Iterable[Parameter], update: Callable[[Group], None]) -> None:
    """Change parameters by their update rules.

    A rule that computes for one parameter only (see `UpdateRule.in_groups`) does so in its turn. For the others,
    everything that comes before (the state, hooks of the rule) is done in turn, then each group is computed, then what
    comes after is done in turn.

    Args:
        params: The parameters.
        update: Computes for a group.
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
                on_device.close()  # the one that the parameter before is on
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
