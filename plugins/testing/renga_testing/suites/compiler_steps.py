"""Steps for the kit of compilers: training of a small network, and steps that are hard to compile."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core import random
from renga_core.backend import get_backend
from renga_core.configuration import config
from renga_core.graph import FunctionHook, FunctionNode, Parameter, Variable, as_variable
from renga_core.link import Chain
from renga_core.optimizer import GradientMethod, HyperparameterProxy, UpdateRule
from renga_core.tracepoints import side_effect

__all__ = ["HARD_STEPS", "Labels", "Training", "batch"]


def batch(number: int, rows: int = 3) -> np.ndarray[Any, Any]:
    """A float32 array `(rows, 4)`; each number gives a different one."""
    return np.random.default_rng(number).normal(size=(rows, 4)).astype(np.float32)


class Noise(FunctionNode):
    """Adds random numbers, in training only."""

    fresh_gradients = False

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """Draw, and add."""
        (x,) = inputs
        if not config.train:
            return (x + 0,)
        drawn = random.generator(get_backend(x)).random(x.shape, dtype=x.dtype)
        return (x + drawn,)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> Any:
        """Return the value unchanged."""
        return grad_outputs


class Bounded(FunctionNode):
    """The identity of small numbers."""

    def forward(self, inputs: tuple[Any, ...]) -> tuple[Any, ...]:
        """Refuse large ones."""
        if abs(inputs[0]).max() > 100:
            raise ValueError("a number is too large")
        return (inputs[0] + 0,)

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: tuple[Any, ...]) -> Any:
        """Return the value unchanged."""
        return grad_outputs


class Network(Chain):
    """Two layers with noise between; as a side effect, it counts the calls."""

    def __init__(self) -> None:
        super().__init__()
        generator = np.random.default_rng(0)
        self.count = np.zeros(1, np.float32)
        with self.init_scope():
            self.W1 = Parameter(generator.normal(size=(4, 5)).astype(np.float32))
            self.W2 = Parameter(generator.normal(size=(5, 3)).astype(np.float32))
            self.b = Parameter(np.zeros(3, np.float32))

    def forward(self, x: Any) -> Variable:
        """The loss of a batch `(rows, 4)`."""
        (h,) = Bounded().apply((as_variable(x),))
        (h,) = Noise().apply((h @ self.W1,))
        side_effect(self._count_one)
        y = h * h @ self.W2 + self.b
        loss: Variable = (y * y).sum() * 1e-3
        return loss

    def _count_one(self) -> None:
        self.count += 1


class Labels(FunctionHook):
    """Records the functions that it sees."""

    name = "labels of the kit"

    def __init__(self) -> None:
        self.seen: list[str] = []

    def forward_postprocess(self, function: FunctionNode, in_data: Any) -> None:
        """Note one."""
        self.seen.append(function.label)


class Rule(UpdateRule):
    """θ ← θ − rate·g."""

    def update_core(self, param: Parameter) -> None:
        """Change it in place."""
        param.array -= self.hyperparam.rate * param.grad


class Descent(GradientMethod):
    """Gradient descent."""

    rate = HyperparameterProxy("rate")

    def __init__(self, rate: float = 1e-2) -> None:
        super().__init__()
        self.hyperparam.rate = rate

    def create_update_rule(self) -> Rule:
        """The same learning rate for all parameters."""
        return Rule(self.hyperparam)


class Training:
    """A network, an optimizer, and the step that trains it.

    Args:
        compiled: Returns the compiled step.
    """

    def __init__(self, compiled: Callable[[Callable[..., Any]], Callable[..., Any]] = lambda step: step) -> None:
        self.network = Network()
        self.optimizer = Descent().setup(self.network)
        self.step = compiled(self._step)

    def _step(self, x: Any) -> Variable:
        loss: Variable = self.network(x)
        self.network.cleargrads()
        loss.backward()
        self.optimizer.update()
        return loss

    def state(self) -> list[Any]:
        """Arrays that must equal those without a compiler: parameters, gradients, the side effect."""
        params = list(self.network.params())
        return [*[p.array for p in params], *[p.grad for p in params], self.network.count]


# --- hard steps: each is created anew, and called with several batches -----------------------------------------


def _branching() -> Callable[..., Any]:
    w = Parameter(np.ones(4, np.float32))
    return lambda x: (as_variable(x) * w * (2 if x.sum() > 0 else 3)).sum().array


def _counting() -> Callable[..., Any]:
    count: list[int] = []
    w = Parameter(np.ones(4, np.float32))

    def step(x: Any) -> Any:
        count.append(1)
        return (as_variable(x) * w * float(len(count))).sum().array

    return step


def _accumulating() -> Callable[..., Any]:
    sums: list[Any] = []
    w = Parameter(np.ones(4, np.float32))

    def step(x: Any) -> Any:
        sums.append((as_variable(x) * w).sum())
        return (sums[0] + sums[-1]).array

    return step


def _computing_beside() -> Callable[..., Any]:
    w = Parameter(np.ones(4, np.float32))
    return lambda x: (Variable(np.exp(x)) * w).sum().array


def _returning_numbers() -> Callable[..., Any]:
    w = Parameter(np.ones(4, np.float32))
    return lambda x: {"loss": float((as_variable(x) * w).sum().array), "rows": len(x)}


def _differentiated_later() -> Callable[..., Any]:
    w = Parameter(np.ones(4, np.float32))
    return lambda x: (as_variable(x) * w * w).sum()


def _adding_up_gradients() -> Callable[..., Any]:
    w = Parameter(np.ones(4, np.float32))

    def step(x: Any) -> Any:
        (as_variable(x) * w).sum().backward()
        return np.array(w.grad)

    return step


def _copying_parameters() -> Callable[..., Any]:
    w, average = Parameter(np.ones(4, np.float32)), Parameter(np.zeros(4, np.float32))

    def step(x: Any) -> Any:
        w.copydata(Variable(x[0]))
        average.copydata(w)
        return (average * 2).array

    return step


HARD_STEPS: dict[str, Callable[[], Callable[..., Any]]] = {
    "a branch on a value": _branching,
    "a counter": _counting,
    "a list of results": _accumulating,
    "arithmetic beside functions": _computing_beside,
    "numbers as results": _returning_numbers,
    "gradients computed in a later call": _differentiated_later,
    "gradients that add up": _adding_up_gradients,
    "parameters copied": _copying_parameters,
}
"""Steps that a compiler may refuse to compile, but must not compute wrongly."""
