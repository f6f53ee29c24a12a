"""`UpdateRule`: the update of one parameter."""

from __future__ import annotations

import copy
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from renga_core.backend import Array, get_device_of, is_array
from renga_core.graph import Parameter
from renga_core.optimizer.hooks import UpdateHooks
from renga_core.optimizer.hyperparameter import Hyperparameter, values_key
from renga_core.serializers import Deserializer

if TYPE_CHECKING:
    from renga_core.backend import Device
    from renga_core.serializers import AbstractSerializer

__all__ = ["UpdateRule"]

Arrays = Sequence[Array]
State = Mapping[str, Sequence[Any]]


class UpdateRule:
    """Updates a parameter from its gradient, and keeps the state between updates.

    A subclass defines `update_core` and, if it has a state, `init_state`::

        class MomentumRule(UpdateRule):
            def init_state(self, param):
                self.state["v"] = param.xp.zeros_like(param.array)

            def update_core(self, param):
                v, array = self.state["v"], param.array
                v *= self.hyperparam.momentum
                v -= self.hyperparam.lr * param.grad
                array += v

    The array and the state are changed in place, using arrays and Python numbers only, so that the result keeps the
    parameter's dtype.

    A rule that defines `update_group` instead of `update_core` updates many parameters in one call.

    Args:
        parent_hyperparam: Hyperparameters of the optimizer.

    Attributes:
        hyperparam: Hyperparameters of this parameter; values not set here are the optimizer's.
        enabled: False: do not change the parameter.
        t: Number of updates so far. The first update makes the state.
    """

    def __init__(self, parent_hyperparam: Hyperparameter | None = None) -> None:
        self.hyperparam = Hyperparameter(parent_hyperparam)
        self.enabled = True
        self.t = 0
        self._state: dict[str, Any] | None = None
        self._hooks = UpdateHooks(type(self).__name__)
        self._use_fp32_update = False
        self._fp32_param: Parameter | None = None
        self._device: Device | None = None

    @property
    def state(self) -> dict[str, Any]:
        """The state by name: arrays on the parameter's device, and numbers. Empty before the first update."""
        return {} if self._state is None else self._state

    # --- what a subclass defines --------------------------------------------------------------------------------------

    def init_state(self, param: Parameter) -> None:
        """Fill `state`, before the first update of `param`."""

    def update_core(self, param: Parameter) -> None:
        """Change ``param.array`` in place, using ``param.grad``. Both exist, and `state` is on their device."""
        state = {name: [value] for name, value in self.state.items()}
        self.update_group([param.array], [param.grad], state)

    def update_group(self, params: Arrays, grads: Arrays, state: State) -> None:
        """Change the arrays of several parameters in place, as `update_core` does for one.

        It is called on one rule for a group of parameters. The rules of a group have the same class, hyperparameters
        and `t`, so this rule's own values hold for all.

        Args:
            params: Arrays of the parameters, of one dtype, on one device, of any shapes.
            grads: Their gradients.
            state: By name, the states of the parameters, in the order of `params`.
        """
        raise NotImplementedError(f"{type(self).__name__} defines neither `update_core` nor `update_group`")

    def update_half_group(self, params: Arrays, grads: Arrays, copies: Arrays, state: State, scale: float) -> None:
        """Update float32 copies like `update_group`, and round them to the parameters. Optional: see `updates_halves`.

        Args:
            params, grads, state: Like those of `update_group`, but parameters are in half precision, and gradients, in
                half precision or float32, are still to be divided by the loss scale, `scale`.
            copies: Float32 arrays. Elements whose parameter is not their rounded value are set to the parameter first.
        """

    def updates_halves(self) -> bool:
        """Whether `update_half_group` does what `update_group` does, with these hyperparameters."""
        return False

    # --- updating -----------------------------------------------------------------------------------------------------

    def in_groups(self, param: Parameter) -> bool:
        """Whether `update_group` may update this parameter together with others.

        False if a subclass or a program overrides the update: with its own `update_core` or `update`, or with an
        attribute of the rule, whose value may differ between rules. False also for a parameter that shares its array
        with a copy, because the second update must see the result of the first; and for an update in float32 that has
        hooks, or whose rule does not define `update_half_group`.
        """
        kind = type(self)
        return (
            kind.update_group is not UpdateRule.update_group
            and kind.update_core is UpdateRule.update_core
            and kind.update is UpdateRule.update
            and len(self.__dict__) == _ATTRIBUTES
            and param._sharers is None
            and type(param).update is Parameter.update
            and (not self.goes_through_fp32(param) or (not self._hooks and self.updates_halves()))
        )

    def group_key(self) -> Hashable:
        """What rules must have in common to be in one group."""
        return type(self), self.t, values_key(self.hyperparam), *(self._state or ())

    def update(self, param: Parameter) -> None:
        """Update the parameter, unless the rule is disabled or there is no gradient."""
        if param.array is None:
            return
        device = get_device_of(param.array)
        with device.use():
            target = self.begin(param, device)
            if target is None:
                return
            if target is not param:
                wide, unchanged = target.array, target.array.astype(param.dtype) == param.array
                wide[...] = device.xp.where(unchanged, wide, param.array.astype(wide.dtype))
            self.call_hooks("pre", target)
            self.update_core(target)
            self.call_hooks("post", target)
            if target is not param:
                param.array[...] = target.array.astype(param.dtype)
                target.cleargrad()

    def begin(self, param: Parameter, device: Device, in_group: bool = False) -> Parameter | None:
        """Prepare `update_core` or `update_group`: the state, the float32 copy, the count.

        Args:
            param: A parameter with an array.
            device: The device of the array.
            in_group: Whether the parameter is updated in a group. A float32 copy then gets no gradient.

        Returns:
            The object to update: the parameter, or its float32 copy as the last update left it. None if there is
            nothing to do, because the rule is disabled or there is no gradient.
        """
        grad = param.grad
        if not self.enabled or grad is None:
            return None
        through_fp32 = self.goes_through_fp32(param)
        if param._loss_scale != 1 and param._loss_scale is not None and not through_fp32:
            param.unscale_grad()
        if device is not self._device and device != self._device:
            self._move(device)
        target = self._fp32_copy(param, None if in_group else grad) if through_fp32 else param
        if self.t == 0 or self._state is None:
            self._state = {}
        if not self._state:
            self.init_state(target)
        self.t += 1
        return target

    def call_hooks(self, timing: str, target: Parameter) -> None:
        """Call the hooks for this timing with what `begin` returned."""
        for hook in self._hooks.at(timing):
            hook(self, target)

    def add_hook(self, hook: Callable[..., object], name: str | None = None, timing: str = "auto") -> None:
        """Call a function in each update of this parameter, with this rule and the parameter.

        Args:
            hook, name, timing, and errors: See `Optimizer.add_hook`.
        """
        self._hooks.add(hook, name, timing)

    def remove_hook(self, name: str) -> None:
        """Remove the hook with this name. Raises KeyError if there is none."""
        self._hooks.remove(name)

    def _move(self, device: Device) -> None:
        """Move the state to the parameter's device."""
        state = self._state or {}
        for name, value in state.items():
            if is_array(value):
                state[name] = device.send(value)
        if self._fp32_param is not None:
            self._fp32_param.to_device(device)
        self._device = device

    def use_fp32_update(self, flag: bool = True) -> None:
        """Update a half-precision parameter through a float32 copy, so that small steps are not lost."""
        self._use_fp32_update = flag

    def goes_through_fp32(self, param: Parameter) -> bool:
        """Whether this parameter is updated through a float32 copy."""
        return self._use_fp32_update and param.array is not None and bool(param.dtype.itemsize < 4)

    def _fp32_copy(self, param: Parameter, grad: Array | None) -> Parameter:
        """Return the float32 copy, with the gradient in the scale of the loss, if one is given."""
        found = self._fp32_param
        if found is None or self.t == 0:
            found = self._fp32_param = Parameter(param.array.astype(np.float32), name=param.name)
        found.grad = None if grad is None else grad.astype(np.float32, copy=False) / (param._loss_scale or 1.0)
        return found

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load `t` and, after the first update, the state and the float32 copy."""
        self.t = serializer("t", self.t)
        if self.t == 0:
            return
        if not self._state and isinstance(serializer, Deserializer):
            self._load_state(serializer)
        else:
            state = self._state or {}
            for name in sorted(state):
                state[name] = serializer(name, state[name])
        if self._use_fp32_update and self._fp32_param is not None:
            serializer("fp32_param", self._fp32_param.array)
        elif self._use_fp32_update:
            loaded = serializer("fp32_param", None)
            if loaded is not None:
                self._fp32_param = Parameter(np.array(loaded))
        self._device = None  # the loaded state is on the host

    def _load_state(self, serializer: Deserializer) -> None:
        """Load a state that was never made here; `init_state` makes an example, which shows the names."""
        model = copy.copy(self)
        made: dict[str, Any] = {}
        model._state = made
        model.init_state(Parameter(np.zeros(1, np.float32)))
        loaded = {name: serializer(name, None) for name in sorted(made)}
        if all(value is not None for value in loaded.values()):
            # A copy, because it will be changed in place, and because a 0-d array is loaded as a scalar.
            self._state = {k: np.array(v) if is_array(made[k]) else v for k, v in loaded.items()}


_ATTRIBUTES = len(vars(UpdateRule()))
"""Whether no subclass and no program has added a hook to a rule."""
