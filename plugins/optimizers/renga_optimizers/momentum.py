"""What the rules with a velocity share."""

from __future__ import annotations

from typing import ClassVar

from renga_core.backend import get_backend
from renga_core.graph import Parameter
from renga_core.kernel import Operation
from renga_core.optimizer import UpdateRule

__all__ = ["MomentumRule"]


class MomentumRule(UpdateRule):
    """The state is a velocity ``v``, zeros at first; the operation changes it and the parameter.

    Attributes:
        operation: Called with the parameter's array, its gradient, ``v``, the momentum and the learning rate.
    """

    operation: ClassVar[Operation]

    def init_state(self, param: Parameter) -> None:  # noqa: D102 - the protocol's
        self.state["v"] = param.xp.zeros_like(param.array)

    def update_core(self, param: Parameter) -> None:  # noqa: D102 - the operation
        h = self.hyperparam
        args = param.array, param.grad, self.state["v"], h.momentum, h.lr
        self.operation.select(get_backend(param.array), *args).forward(*args)
