"""`GradientMethod`: an optimizer that takes one gradient for each update."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Any, Self, dataclass_transform

from renga_core.configuration import config, unusual
from renga_core.optimizer.declaration import complete, hyperparameter
from renga_core.optimizer.groups import Group, update_in_groups
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
    """An optimizer that computes the gradient and lets the update rule of each parameter use it.

    A subclass declares its hyperparameters and defines `create_update_rule`::

        class SGD(GradientMethod):
            lr: float = hyperparameter(default=0.01, doc="Learning rate.")

            def create_update_rule(self):
                return SGDRule(self.hyperparam)

    Its constructor takes them in this order, each is an attribute of the optimizer, and they stand in the docstring. A
    subclass may also have a constructor of its own, which sets `hyperparam`, with a `HyperparameterProxy` for each.

    A parameter without a gradient (nothing depended on it) is left alone, and so is its update rule's state; so is one
    whose update rule is disabled.

    Attributes:
        hyperparam: Hyperparameters of all update rules, where a rule has none of its own.
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
        """Called at the end of a constructor that was made of declared hyperparameters."""

    def create_update_rule(self) -> UpdateRule:
        """Make the update rule of one parameter."""
        raise NotImplementedError(f"{type(self).__name__} does not define a `create_update_rule` method")

    def setup(self, link: Link) -> Self:
        """Take charge of a link: each of its parameters gets a new update rule, disabled where it is frozen.

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
        """Change the parameters once, by their gradients.

        With `lossfun`, compute the loss and its gradients first. The optimizer itself holds neither the loss nor its
        arguments while it walks backwards, so that arrays are freed on the way.

        Args:
            lossfun: Function that returns the loss, a Variable with one element; None if gradients are there already.
                They are divided by the `loss_scale` that `backward` was given; those that a program has assigned, by
                that of this optimizer if it has one.
            args, kwds: Its arguments.

        Raises:
            RuntimeError: `setup` has not been called.
        """
        link = self._link("update")
        if lossfun is not None:
            loss = [lossfun(*args, **kwds)]
            del args, kwds
            self.discard_grads()
            loss.pop().backward(loss_scale=self._loss_scale)
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
        """Forget the gradients of earlier updates, or make them zeros, as `use_cleargrads` says."""
        link = self._link("discard_grads")
        if self._use_cleargrads:
            link.cleargrads()
        else:
            link.zerograds()

    def update_parameters(self, params: Iterable[Parameter]) -> None:
        """Let update rules change parameters, in groups: see `renga_core.optimizer.groups`."""
        update_in_groups(params, self.update_group)

    def update_group(self, group: Group) -> None:
        """Compute for parameters that are updated in one call. Before and after it, their rules do the rest."""
        group.update()

    def _prepare_grads(self, link: Link) -> None:
        """Undo loss scaling, before hooks see the gradients."""
        if self._loss_scale is None and not self._use_fp32_update and not self._all_hooks("update").at("pre"):
            return  # the rules do it where a backward has had a scale of its own
        for param in link.params(include_uninit=False):
            if param.update_rule is not None:
                param.update_rule.prepare_grad(param, self._loss_scale)

    def use_cleargrads(self, use: bool = True) -> None:
        """Choose how `update` discards old gradients.

        Args:
            use: Forget them (the default). Otherwise set them to zeros, so that a parameter on which the loss does not
                depend is updated with a gradient of zero.
        """
        self._use_cleargrads = use

    def use_fp32_update(self, flag: bool = True) -> None:
        """Update half-precision parameters through copies in float32, in which small steps are not lost.

        To be called before `setup`, or for some parameters afterwards as ``param.update_rule.use_fp32_update()``.
        """
        self._use_fp32_update = flag
        if self.target is not None:
            for param in self.target.params():
                if param.update_rule is not None:
                    param.update_rule.use_fp32_update(flag)
