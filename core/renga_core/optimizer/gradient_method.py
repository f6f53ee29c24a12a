"""`GradientMethod`: an optimizer that uses one gradient for each update."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Self, dataclass_transform

from renga_core.configuration import config, unusual
from renga_core.optimizer.declaration import complete, hyperparameter
from renga_core.optimizer.groups import Group, prepare_grads, update_in_groups
from renga_core.optimizer.hyperparameter import Hyperparameter
from renga_core.optimizer.optimizer import Optimizer
from renga_core.tracepoints import traced

if TYPE_CHECKING:
    from renga_core.graph import Parameter
    from renga_core.link import Link
    from renga_core.optimizer.update_rule import UpdateRule

__all__ = ["GradientMethod"]


@dataclass_transform(eq_default=False, field_specifiers=(hyperparameter,))
class GradientMethod(Optimizer):
    """An optimizer that computes gradients and lets the update rule of each parameter apply them.

    A subclass declares its hyperparameters and defines `create_update_rule`::

        class SGD(GradientMethod):
            lr: float = hyperparameter(default=0.01, doc="Learning rate.")

            def create_update_rule(self):
                return SGDRule(self.hyperparam)

    The constructor takes them in this order, each is an attribute of the optimizer, and the docstring lists them. A
    subclass may also define its own constructor, which sets `hyperparam`, and use a `HyperparameterProxy` for each.

    A parameter without a gradient or with a disabled update rule is not changed, and neither is the state of its rule.

    Attributes:
        hyperparam: Hyperparameters of all update rules; a rule can override them.
    """

    hyperparam: Hyperparameter
    _use_cleargrads: bool = True
    _use_fp32_update: bool = False

    def __init__(self) -> None:
        self.hyperparam = Hyperparameter()

    def __init_subclass__(cls, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        complete(cls)

    def __post_init__(self) -> None:
        """Called at the end of a generated constructor."""

    def create_update_rule(self) -> UpdateRule:
        """Make the update rule of a parameter."""
        raise NotImplementedError(f"{type(self).__name__} does not define a `create_update_rule` method")

    def setup(self, link: Link) -> Self:
        """Attach to a link: each of its parameters gets a new update rule, which is disabled for frozen parameters.

        Returns:
            This optimizer.
        """
        super().setup(link)
        for param in link.params():
            rule = self.create_update_rule()
            if self._use_fp32_update:
                rule.use_fp32_update()
            rule.enabled = not param.frozen
            param.update_rule = rule
        return self

    def update(self, lossfun: Callable[..., Any] | None = None, *args: Any, **kwds: Any) -> None:
        """Update the parameters once, using their gradients.

        With `lossfun`, compute the loss and its gradients first. The optimizer keeps no reference to the loss or its
        arguments during backward, so that arrays are freed on the way.

        Args:
            lossfun: Function that returns the loss, a Variable with one element; None if the gradients are computed
                already. They are divided by the `loss_scale` passed to `backward`; gradients assigned by the program
                are divided by the loss scale of this optimizer, if it has one.
            args, kwds: Arguments of `lossfun`.

        Raises:
            RuntimeError: `setup` has not been called.
        """
        link = self._link("update")
        if lossfun is not None:
            loss = [lossfun(*args, **kwds)]
            del args, kwds
            self.discard_grads()
            loss.pop().backward(loss_scale=self.loss_scale)
        if unusual and config.tracers:
            traced("update", GradientMethod.update, self)
            return
        self.check_nan_in_grads()
        if self.is_safe_to_update():
            self._prepare_grads(link)
            self.call_hooks("pre")
            self.update_parameters(link.params())
            self.call_hooks("post")
        self.t += 1
        self.update_loss_scale()

    def discard_grads(self) -> None:
        """Clear the gradients of earlier updates, or set them to zeros, depending on `use_cleargrads`."""
        link = self._link("discard_grads")
        if self._use_cleargrads:
            link.cleargrads()
        else:
            link.zerograds()

    def update_parameters(self, params: Iterable[Parameter]) -> None:
        """Let the update rules change parameters, in groups: see `renga_core.optimizer.groups`."""
        update_in_groups(params, self.update_group)

    def update_group(self, group: Group) -> None:
        """Update the parameters of one group in one call. Their rules prepare and finish the update."""
        group.update()

    def _prepare_grads(self, link: Link) -> None:
        """Undo loss scaling before hooks see the gradients."""
        hooks, scale = bool(self._all_hooks("update")), self.loss_scale
        if hooks or self._use_fp32_update or scale is not None:  # else the rules do it
            prepare_grads(link.params(include_uninit=False), scale, hooks)

    def use_cleargrads(self, use: bool = True) -> None:
        """Choose how `update` discards old gradients.

        Args:
            use: Clear them (the default). Otherwise set them to zeros, so that a parameter on which the loss does not
                depend is still updated, with a zero gradient.
        """
        self._use_cleargrads = use

    def use_fp32_update(self, flag: bool = True) -> None:
        """Update half-precision parameters through float32 copies, so that small steps are not lost.

        Call it before `setup`, or later for some parameters: ``param.update_rule.use_fp32_update()``.
        """
        self._use_fp32_update = flag
        if self.target is not None:
            for param in self.target.params():
                if param.update_rule is not None:
                    param.update_rule.use_fp32_update(flag)
