"""An optimizer that is right: the others of this folder derive from it.

`breaks` names the test of the kit that must notice.
"""

from renga_core.optimizer import GradientMethod, HyperparameterProxy, UpdateRule


class RightRule(UpdateRule):
    def init_state(self, param):
        self.state["v"] = param.xp.zeros_like(param.array)

    def update_core(self, param):
        v, array = self.state["v"], param.array
        v *= 0.5
        v -= self.hyperparam.lr * param.grad
        array += v


class Right(GradientMethod):
    """Momentum: the rest of this file derives from it."""

    lr = HyperparameterProxy("lr")
    rule = RightRule

    def __init__(self, lr: float = 0.01) -> None:
        super().__init__()
        self.hyperparam.lr = lr

    def create_update_rule(self):
        return self.rule(self.hyperparam)


class NothingWrong(Right):
    """nothing: the others are this one and a fault"""

    breaks = ""
