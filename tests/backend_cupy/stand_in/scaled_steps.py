"""Training with a dynamic loss scale on ``cupy:0``, eager and captured, whose gradients overflow in chosen steps."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

import renga.functions as F
import renga.links as L
from renga import Chain, Variable
from renga.optimizers import Adam
from renga_backend_cupy.capture import CapturedStep
from renga_core import random
from renga_core.backend import to_host, using_device
from renga_core.configuration import using_config
from stand_in.steps import DEVICE, made, send


class Network(Chain):
    """Dropout, and a layer in float32 among others in half precision."""

    def __init__(self) -> None:
        super().__init__()
        with self.init_scope():
            self.l1, self.l2 = L.Linear(4, 8), L.Linear(8, 3)
            with using_config("dtype", np.dtype("float32")):
                self.l3 = L.Linear(3, 3)

    def forward(self, x: Any, t: Any) -> Variable:
        h = self.l2(F.dropout(F.relu(self.l1(x)), 0.2))
        return F.softmax_cross_entropy(F.cast(self.l3(F.cast(h, "float32")), h.dtype), t)


class Training:
    """A network, its optimizer, and a step that takes a batch and a factor of the loss.

    Args:
        dtype: Of most parameters.
        optimizer: Not set up yet.
        own_backward: Whether the step calls backward, and not the optimizer.
        hooks: Hooks of the optimizer.
        rate: The learning rate of one parameter, if it has its own.
        updates: How many updates a step makes, each with a backward of its own.
    """

    def __init__(
        self,
        dtype: str = "float16",
        optimizer: Callable[[], Any] = Adam,
        own_backward: bool = True,
        hooks: Sequence[Any] = (),
        rate: float | None = None,
        updates: int = 1,
    ) -> None:
        self.dtype, self.own_backward, self.updates = np.dtype(dtype), own_backward, updates
        self.model: Any = made(dtype, Network)
        self.optimizer = optimizer()
        self.optimizer.use_fp32_update()
        self.optimizer.setup(self.model)
        self.optimizer.loss_scaling(interval=3, initial=100.0)
        for hook in hooks:
            self.optimizer.add_hook(hook)
        if rate is not None:
            self.model.l2.b.update_rule.hyperparam.alpha = rate
        self.t = send(np.array([0, 1, 2, 1]), dtype)
        self.numbers = np.random.default_rng(0)
        random.seed(5)

    def batch(self, overflow: bool = False, size: int = 4) -> tuple[Any, Any]:
        """Arguments of a step: another batch each time, and a factor that makes all gradients infinite, or does not."""
        x = self.numbers.normal(size=(size, 4)), np.asarray(np.inf if overflow else 1.0)
        return send(x[0], str(self.dtype)), send(x[1], str(self.dtype))

    @contextmanager
    def using(self) -> Iterator[None]:
        """The device and the dtype of training."""
        with using_config("dtype", self.dtype), using_device(DEVICE):
            yield

    def step(self, x: Any, factor: Any) -> Any:
        with self.using():
            if not self.own_backward:
                return self.optimizer.update(self.loss, x, factor)
            for _ in range(self.updates):
                loss = self.loss(x, factor)
                self.model.cleargrads()
                loss.backward(loss_scale=self.optimizer.loss_scale)
                self.optimizer.update()
            return loss.array

    def loss(self, x: Any, factor: Any) -> Any:
        return self.model(x, self.t[: len(x)]) * factor

    def captured(self, *batch: Any, warmup: int = 1) -> CapturedStep:
        """The step, captured."""
        return CapturedStep(self.step, *batch, optimizer=self.optimizer, warmup=warmup)

    def found(self) -> dict[str, Any]:
        """All that training has changed, on the host; the scale is read last."""
        found: dict[str, Any] = {"t": self.optimizer.t, "scale": self.optimizer.loss_scale}
        for path, param in sorted(self.model.namedparams()):
            rule = param.update_rule
            found[path], found[f"{path} t"] = to_host(param.array), rule.t
            if rule.t:
                found |= {f"{path} {name}": to_host(value) for name, value in rule.state.items()}
                found[f"{path} copy"] = None if rule._fp32_param is None else to_host(rule._fp32_param.array)
        return found


def require_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    """Raise AssertionError unless all are the same, bit for bit."""
    assert one.keys() == other.keys()
    for name in one:
        np.testing.assert_array_equal(one[name], other[name], err_msg=name)


def both(overflows: Sequence[bool], rates: Sequence[float] = (), warmup: int = 1, **options: Any) -> None:
    """Train with and without a captured step, and compare; the first batch is that of the runs before the capture.

    Args:
        overflows: In which steps gradients are not finite.
        rates: Learning rates of the steps, if they change.
        warmup: How many runs there are before the capture.
        options: See `Training`.
    """
    found = []
    for captured in (False, True):
        training = Training(**options)
        first = training.batch(overflows[0])
        if captured:
            call: Any = training.captured(*first, warmup=warmup)
        else:
            call = training.step
            for _ in range(warmup):
                call(*first)
        results: list[Any] = []
        for number, overflow in enumerate(overflows[1:]):
            if rates:
                training.optimizer.hyperparam.alpha = rates[number % len(rates)]
            result = call(*training.batch(overflow))
            results += [] if result is None else [result.copy()]
        found.append({**training.found(), "losses": [to_host(x) for x in results]})
    require_same(*found)
