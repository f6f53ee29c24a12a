"""Lion: Chen et al., Symbolic Discovery of Optimization Algorithms (2023), algorithm 2."""

from __future__ import annotations

from renga import GradientMethod, Parameter, UpdateRule, get_array_module
from renga_core.optimizer import hyperparameter


class LionRule(UpdateRule):
    """How Lion changes one parameter.

    ``w -= alpha * (sign(beta1 * m + (1 - beta1) * g) + weight_decay_rate * w)``, then
    ``m = beta2 * m + (1 - beta2) * g``.
    """

    def init_state(self, param: Parameter) -> None:
        """The momentum starts at zero."""
        self.state["m"] = get_array_module(param.array).zeros_like(param.array)

    def update_core(self, param: Parameter) -> None:
        """One step, in place."""
        hp, m, g, w = self.hyperparam, self.state["m"], param.grad, param.array
        step = get_array_module(w).sign(hp.beta1 * m + (1 - hp.beta1) * g)
        step += hp.weight_decay_rate * w
        step *= hp.alpha
        w -= step
        m *= hp.beta2
        m += (1 - hp.beta2) * g


class Lion(GradientMethod):
    """Steps of constant size in the direction of the sign of a mixed momentum, with decoupled weight decay."""

    alpha: float = hyperparameter(default=1e-4, doc="Size of a step; a third to a tenth of what Adam takes.")
    beta1: float = hyperparameter(default=0.9, doc="Share of the momentum in the step.")
    beta2: float = hyperparameter(default=0.99, doc="Share of the momentum that is kept.")
    weight_decay_rate: float = hyperparameter(default=0.0, doc="Coefficient of the decoupled weight decay.")

    def create_update_rule(self) -> LionRule:
        """The rule for one parameter."""
        return LionRule(self.hyperparam)
