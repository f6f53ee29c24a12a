"""The base of update rules with a velocity."""

from __future__ import annotations

from renga_core.graph import Parameter
from renga_optimizers.update_operation import OperationRule

__all__ = ["MomentumRule"]


class MomentumRule(OperationRule):
    """Keeps a velocity ``v``, zeros at first; the operation updates the velocity and the parameter.

    The operation takes parameters, their gradients, their ``v``, the momentum and the learning rate.
    """

    def init_state(self, param: Parameter) -> None:  # noqa: D102 - the protocol's
        self.state["v"] = param.xp.zeros_like(param.array)

    def numbers(self) -> tuple[float, ...]:  # noqa: D102 - the protocol's
        return self.hyperparam.momentum, self.hyperparam.lr
