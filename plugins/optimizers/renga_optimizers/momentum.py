"""The base of update rules with a velocity."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from renga_core.backend import Array, get_backend
from renga_core.graph import Parameter
from renga_core.kernel import ListOperation
from renga_core.optimizer import UpdateRule

__all__ = ["MomentumRule"]


class MomentumRule(UpdateRule):
    """Keeps a velocity ``v``, zeros at first; the operation updates the velocity and the parameter.

    Attributes:
        operation: Called with parameters, their gradients, their ``v``, the momentum and the learning rate.
    """

    operation: ClassVar[ListOperation]

    def init_state(self, param: Parameter) -> None:  # noqa: D102 - the protocol's
        self.state["v"] = param.xp.zeros_like(param.array)

    def update_group(  # noqa: D102 - the operation
        self, params: Sequence[Array], grads: Sequence[Array], state: Mapping[str, Sequence[Array]]
    ) -> None:
        h = self.hyperparam
        self.operation(get_backend(params[0]), params, grads, state["v"], h.momentum, h.lr)
