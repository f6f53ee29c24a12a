"""`Optimizer`: the interface that trainers use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

from renga_core.backend import Array, Device, get_device_of
from renga_core.optimizer.fp32_copy import check_finite
from renga_core.optimizer.hooks import UpdateHooks
from renga_core.optimizer.loss_scale import DynamicLossScale

if TYPE_CHECKING:
    from renga_core.link import Link
    from renga_core.serializers import AbstractSerializer

__all__ = ["Optimizer"]


class Optimizer:
    """Changes the parameters of a link to reduce a loss. A subclass defines `update`.

    Optimizers that use one gradient for each update should derive from `GradientMethod` instead, which does most of the
    work.

    Attributes:
        target: The link; None before `setup`.
        t: Number of updates so far.
        epoch: Number of passes over the data so far; counted by the trainer, or by the program through `new_epoch`.
        use_auto_new_epoch: True if an updater calls `new_epoch`; the program must not call it then.
    """

    target: Link = None  # type: ignore[assignment]  # hooks and extensions run after `setup`, and need not ask
    t: int = 0
    epoch: int = 0
    use_auto_new_epoch: bool = False
    _hooks: UpdateHooks | None = None
    _constant_loss_scale: float | None = None
    _dynamic_loss_scale: DynamicLossScale | None = None
    _is_safe_to_update: bool = True

    def setup(self, link: Link) -> Self:
        """Attach to a link. Counters start at zero, and hooks of an earlier link are removed.

        Returns:
            This optimizer.

        Raises:
            TypeError: `link` is not a link; nothing was changed.
        """
        if not callable(getattr(link, "params", None)):
            name, given = type(self).__name__, f"{type(link).__name__} {link!r}"
            raise TypeError(f"{name}.setup takes a Link, whose parameters it updates, not {given}")
        self.target = link
        self.t = self.epoch = 0
        self._hooks = UpdateHooks(type(self).__name__)
        return self

    def update(self, lossfun: Callable[..., Any] | None = None, *args: Any, **kwds: Any) -> None:
        """Change the parameters once; the arguments are those of `GradientMethod.update`."""
        raise NotImplementedError(f"{type(self).__name__} does not define a `update` method")

    def discard_grads(self) -> None:
        """Clear the gradients of earlier updates. Call it before a backward of your own and ``update()``."""
        self._link("discard_grads").cleargrads()

    def new_epoch(self, auto: bool = False) -> None:
        """Start a pass over the data.

        Args:
            auto: Whether an updater calls this, not the program.

        Raises:
            RuntimeError: Both an updater and the program call this.
        """
        if auto != self.use_auto_new_epoch:
            counted = "an updater counts epochs already (use_auto_new_epoch is True)"
            not_counted = "use_auto_new_epoch is False, so an updater must not count epochs; set it to True first"
            raise RuntimeError(f"new_epoch(auto={auto}): {not_counted if auto else counted}")
        self.epoch += 1

    # --- hooks --------------------------------------------------------------------------------------------------------

    def add_hook(self, hook: Callable[..., object], name: str | None = None, timing: str = "auto") -> None:
        """Call a function in each update, in order of registration.

        Args:
            hook: Called with this optimizer. If it has a true attribute ``call_for_each_param``, it is called with the
                update rule and the parameter, once for each parameter whose rule is enabled.
            name: Name of the registration; ``hook.name``, or the function's name, if None.
            timing: ``"pre"``: after gradients are computed, before parameters change; ``"post"``: after parameters have
                changed; ``"auto"``: ``hook.timing``, or ``"pre"`` if it has none.

        Raises:
            KeyError: A hook of this name is registered already.
            RuntimeError: `setup` has not been called.
            TypeError: `hook` is not callable.
            ValueError: `timing` is none of these, or the hook has no name.
        """
        self._all_hooks("add_hook").add(hook, name, timing)

    def remove_hook(self, name: str) -> None:
        """Remove the hook with this name. Raises KeyError if there is none."""
        self._all_hooks("remove_hook").remove(name)

    def call_hooks(self, timing: str = "pre") -> None:
        """Call the hooks registered for this timing."""
        for hook in self._all_hooks("call_hooks").at(timing):
            self.call_hook(hook)

    def call_hook(self, hook: Callable[..., object]) -> None:
        """Call one hook, once or for each parameter."""
        if getattr(hook, "call_for_each_param", False):
            for param in self._link("call_hook").params():
                if param.update_rule is not None and param.update_rule.enabled:
                    hook(param.update_rule, param)
        else:
            hook(self)

    def _all_hooks(self, caller: str) -> UpdateHooks:
        if self._hooks is None:
            raise RuntimeError(self._too_early(caller))
        return self._hooks

    def _link(self, caller: str) -> Link:
        if self.target is None:
            raise RuntimeError(self._too_early(caller))
        return self.target

    def _too_early(self, caller: str) -> str:
        return f"{type(self).__name__}.{caller} was called before `setup`; call optimizer.setup(link) first"

    # --- loss scaling -------------------------------------------------------------------------------------------------

    def loss_scaling(self, interval: int = 1000, scale: float | None = None, *, initial: float = 1.0) -> None:
        """Multiply the loss by a factor before backward, and divide the gradients by it afterwards.

        Without loss scaling, small gradients underflow to zero in float16.

        Args:
            interval: Number of updates in which the factor doubles. If gradients are not finite, the update is skipped
                and the factor is halved.
            scale: A constant factor instead.
            initial: The initial factor, from 1 to 65504. A large one costs some skipped updates at the start; a small
                one needs up to 15 intervals to reach its best value.

        Raises:
            ValueError: `interval` is less than 1, `scale` is not positive, or `initial` is out of range.
        """
        if scale is None:
            _ = self.loss_scale  # see `set_loss_scale`
            self._dynamic_loss_scale = DynamicLossScale(interval, initial)
        else:
            self.set_loss_scale(scale)

    def set_loss_scale(self, loss_scale: float) -> None:
        """Multiply the loss by a constant before backward, and divide gradients by it; ValueError unless positive."""
        if not loss_scale > 0:
            raise ValueError(f"a loss scale must be a positive number, not {loss_scale}")
        _, self._dynamic_loss_scale = self.loss_scale, None  # one on a device, when read, brings the counts of rules
        self._constant_loss_scale = float(loss_scale)

    @property
    def loss_scale(self) -> float | None:
        """The factor on the loss for the next update; None without loss scaling.

        A program that calls backward itself passes it on: ``loss.backward(loss_scale=optimizer.loss_scale)``.
        """
        return self._constant_loss_scale if self._dynamic_loss_scale is None else self._dynamic_loss_scale.value

    _loss_scale = loss_scale  # the name in programs for Chainer

    def check_nan_in_grads(self) -> None:
        """Check whether all gradients are finite, if there is a dynamic loss scale."""
        self._is_safe_to_update = True
        if self._dynamic_loss_scale is not None:
            params = self._link("check_nan_in_grads").params(include_uninit=False)
            self._is_safe_to_update = _all_finite([param.grad for param in params if param.grad is not None])

    def is_safe_to_update(self) -> bool:
        """Whether gradients were finite at the last `check_nan_in_grads`."""
        return self._is_safe_to_update

    def update_loss_scale(self) -> None:
        """Increase a dynamic loss scale if gradients were finite, or reduce it."""
        if self._dynamic_loss_scale is not None:
            self._dynamic_loss_scale.adjust(self._is_safe_to_update)

    # --- saving and loading -------------------------------------------------------------------------------------------

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the counters, a dynamic loss scale, and the states of update rules; not the target.

        Raises:
            RuntimeError: `setup` has not been called.
        """
        link = self._link("serialize")
        self.t = serializer("t", self.t)
        self.epoch = serializer("epoch", self.epoch)
        if self._dynamic_loss_scale is not None:
            self._dynamic_loss_scale.value = serializer("loss_scale", self._dynamic_loss_scale.value)
        for path, param in link.namedparams():
            if param.update_rule is not None:
                param.update_rule.serialize(serializer[path])


def _all_finite(arrays: Sequence[Array]) -> bool:
    """Whether all elements are finite. The host waits for only one result from each device and dtype."""
    alike: dict[tuple[Device, Any], list[Array]] = {}
    for array in arrays:
        alike.setdefault((get_device_of(array), array.dtype), []).append(array)
    flags = []
    for (device, _), group in alike.items():
        with device.use():
            flags.append(device.xp.full((1,), True))
            check_finite(device.backend, [flags[-1]] * len(group), group)
    return all(map(bool, flags))
