"""`Optimizer`: what trainers rely on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Self

from renga_core.backend import Array, Device, get_device_of
from renga_core.optimizer.hooks import UpdateHooks
from renga_core.optimizer.loss_scale import DynamicLossScale

if TYPE_CHECKING:
    from renga_core.link import Link
    from renga_core.serializers import AbstractSerializer

__all__ = ["Optimizer"]


class Optimizer:
    """Changes the parameters of a link so that a loss becomes smaller. A subclass defines `update`.

    Optimizers that take one gradient for each update derive from `GradientMethod` instead, which does most of the work.

    Attributes:
        target: The link, set by `setup`; None before.
        t: Number of updates so far.
        epoch: Number of passes over the data so far; counted by the trainer, or by whoever calls `new_epoch`.
        use_auto_new_epoch: True while an updater calls `new_epoch`; a program then must not.
    """

    target: Link = None  # type: ignore[assignment]  # hooks and extensions run after `setup`, and need not ask
    t: int = 0
    epoch: int = 0
    use_auto_new_epoch: bool = False
    _hooks: UpdateHooks | None = None
    _loss_scale: float | None = None
    _dynamic_loss_scale: DynamicLossScale | None = None
    _is_safe_to_update: bool = True

    def setup(self, link: Link) -> Self:
        """Take charge of a link. Counters start at zero, and hooks of an earlier link are forgotten.

        Returns:
            This optimizer.

        Raises:
            TypeError: `link` is none; nothing has changed then.
        """
        if not callable(getattr(link, "params", None)):
            name, given = type(self).__name__, f"{type(link).__name__} {link!r}"
            raise TypeError(f"{name}.setup takes a Link, whose parameters it updates, not {given}")
        self.target = link
        self.t = 0
        self.epoch = 0
        self._hooks = UpdateHooks(type(self).__name__)
        return self

    def update(self, lossfun: Callable[..., Any] | None = None, *args: Any, **kwds: Any) -> None:
        """Change the parameters once.

        Args:
            lossfun: Function that returns the loss, a Variable with one element; None if gradients are there already.
            args, kwds: Its arguments.
        """
        raise NotImplementedError(f"{type(self).__name__} does not define a `update` method")

    def discard_grads(self) -> None:
        """Forget the gradients of earlier updates: for whoever calls backward before ``update()`` without arguments."""
        self._link("discard_grads").cleargrads()

    def new_epoch(self, auto: bool = False) -> None:
        """Begin a pass over the data.

        Args:
            auto: Whether an updater calls, and not a program.

        Raises:
            RuntimeError: Both an updater and the program count epochs.
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
            hook: Called with this optimizer, or, if it has a true attribute ``call_for_each_param``, with the update
                rule and the parameter, once for each parameter whose rule is enabled.
            name: Name to register it under; ``hook.name``, or that of the function, if None.
            timing: ``"pre"``: after gradients have been computed and before parameters change; ``"post"``: after that;
                ``"auto"``: as ``hook.timing`` says, ``"pre"`` if it has none.

        Raises:
            KeyError: There is a hook of that name.
            RuntimeError: `setup` has not been called.
            TypeError: `hook` is not callable.
            ValueError: `timing` is none of these, or there is no name.
        """
        self._all_hooks("add_hook").add(hook, name, timing)

    def remove_hook(self, name: str) -> None:
        """Take the hook of this name away. Raises KeyError if there is none."""
        self._all_hooks("remove_hook").remove(name)

    def call_hooks(self, timing: str = "pre") -> None:
        """Call the hooks registered for this time."""
        for hook in self._all_hooks("call_hooks").at(timing):
            self.call_hook(hook)

    def call_hook(self, hook: Callable[..., object]) -> None:
        """Call one hook, in the way that it wants."""
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
        """Multiply the loss by a factor before backward, and divide the gradients by it after.

        Without it, small gradients become zero in float16.

        Args:
            interval: Number of updates in which the factor doubles. When gradients are not finite, that update is
                skipped and the factor halved.
            scale: A constant factor instead.
            initial: What the factor is at first, from 1 to 65504. A large one costs some skipped updates at the start;
                with a small one it takes 15 intervals until the factor is as large as it can be.

        Raises:
            ValueError: `interval` is less than 1, `scale` is not positive, or `initial` is out of range.
        """
        if scale is None:
            self._dynamic_loss_scale = DynamicLossScale(interval, initial)
            self._loss_scale = self._dynamic_loss_scale.value
        else:
            self.set_loss_scale(scale)

    def set_loss_scale(self, loss_scale: float) -> None:
        """Multiply the loss by a constant factor before backward, and divide the gradients by it after.

        Raises:
            ValueError: It is not positive.
        """
        if not loss_scale > 0:
            raise ValueError(f"a loss scale must be a positive number, not {loss_scale}")
        self._dynamic_loss_scale = None
        self._loss_scale = float(loss_scale)

    @property
    def loss_scale(self) -> float | None:
        """The factor on the loss for the next update; None without loss scaling.

        Whoever calls backward without the optimizer passes it on: ``loss.backward(loss_scale=optimizer.loss_scale)``.
        """
        return self._loss_scale

    def check_nan_in_grads(self) -> None:
        """Find out whether all gradients are finite, if the loss scale is to follow from that."""
        self._is_safe_to_update = True
        if self._dynamic_loss_scale is not None:
            params = self._link("check_nan_in_grads").params(include_uninit=False)
            self._is_safe_to_update = _all_finite([param.grad for param in params if param.grad is not None])

    def is_safe_to_update(self) -> bool:
        """Whether gradients were finite when `check_nan_in_grads` last looked."""
        return self._is_safe_to_update

    def update_loss_scale(self) -> None:
        """Let a dynamic loss scale grow or shrink, as gradients were finite or not."""
        if self._dynamic_loss_scale is not None:
            self._dynamic_loss_scale.adjust(self._is_safe_to_update)
            self._loss_scale = self._dynamic_loss_scale.value

    # --- saving and loading -------------------------------------------------------------------------------------------

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the counters, a dynamic loss scale, and the update rules' states by parameter; not the target.

        Raises:
            RuntimeError: `setup` has not been called.
        """
        link = self._link("serialize")
        self.t = serializer("t", self.t)
        self.epoch = serializer("epoch", self.epoch)
        if self._dynamic_loss_scale is not None:
            self._loss_scale = serializer("loss_scale", self._dynamic_loss_scale.value)
            self._dynamic_loss_scale.value = self._loss_scale
        for path, param in link.namedparams():
            if param.update_rule is not None:
                param.update_rule.serialize(serializer[path])


def _all_finite(arrays: Sequence[Array]) -> bool:
    """Whether all elements are finite. One answer to wait for from each device, however many arrays there are."""
    answers: dict[Device, list[Array]] = {}
    for array in arrays:
        device = get_device_of(array)
        answers.setdefault(device, []).append(device.xp.isfinite(array).all())
    return all(bool(device.xp.stack(found).all()) for device, found in answers.items())
