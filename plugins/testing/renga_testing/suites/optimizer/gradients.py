"""Gradients are read, but neither changed nor kept; missing gradients have no effect."""

from __future__ import annotations

import tracemalloc
from typing import Any

import numpy as np

from renga_core.backend import Device, get_device
from renga_core.graph import Parameter
from renga_core.link import Link
from renga_testing.suites.comparing import compare
from renga_testing.suites.optimizer.training import SHAPES, Training, on_host

__all__ = ["Gradients"]

WIDTH = 20_000
"""Number of elements of the parameter in the test of memory."""


class Gradients(Training):
    """Tests of an optimizer's use of gradients."""

    def test_gradients_are_unchanged(self, device: Device) -> None:
        """An update does not change gradients: hooks, logs and the next `backward` may still use them."""
        optimizer, link = self.set_up("float64", device)
        for t in range(2):
            self.give_gradients(link, t)
            held = {name: getattr(link, name).grad for name in SHAPES}
            before = {name: np.array(get_device("numpy").send(g)) for name, g in held.items()}
            optimizer.update()
            for name, grad in held.items():
                assert getattr(link, name).grad is grad, f"update replaces the gradient array of a {name} parameter"
                compare(grad, before[name], f"the gradient of a {name} parameter, after an update,", exact=True)

    def test_gradients_may_be_reused(self) -> None:
        """Writing into a gradient's array after an update has no effect: the optimizer does not keep it."""
        right = self.trained()
        optimizer, link = self.set_up("float64")
        for t in range(3):
            self.give_gradients(link, t)
            optimizer.update()
            for name in SHAPES:
                getattr(link, name).grad[...] = 1e6
        compare(link.matrix.array, right, "a parameter whose gradients were overwritten after each update", exact=True)

    def test_memory_does_not_grow(self) -> None:
        """Memory does not grow: thirty updates keep less than the memory of one gradient."""
        link: Any = Link(w=((WIDTH,), np.float64))
        link.w.array[...] = 1.0
        optimizer = self.make().setup(link)
        sizes = []
        tracemalloc.start()
        try:
            for t in range(61):
                link.w.grad = np.full(WIDTH, 0.1 + t % 3)
                optimizer.update()
                link.cleargrads()
                if t in (30, 60):
                    sizes.append(tracemalloc.get_traced_memory()[0])
        finally:
            tracemalloc.stop()
        grown = (sizes[1] - sizes[0]) / (8 * WIDTH)
        assert grown < 2, (
            f"memory grows: after thirty updates, {grown:.0f} more arrays of a gradient's size are in memory"
        )

    # --- missing gradients --------------------------------------------------------------------------------

    def test_missing_gradient(self, device: Device) -> None:
        """A parameter without a gradient does not change, and its rule is not called."""
        optimizer, link = self.set_up("float32", device)
        before = on_host(link.matrix)
        self.train(optimizer, link, 2, skip="matrix")
        compare(link.matrix.array, before, "a parameter without a gradient, after an update", exact=True)
        assert link.matrix.update_rule.t == 0, "the rule of a parameter without a gradient counts updates"

    def test_disabled_parameter(self, device: Device) -> None:
        """A parameter with a disabled rule does not change."""
        optimizer, link = self.set_up("float32", device)
        before = on_host(link.matrix)
        link.matrix.update_rule.enabled = False
        self.train(optimizer, link, 2)
        compare(link.matrix.array, before, "a disabled parameter, after an update", exact=True)

    def test_uninitialized_parameter(self) -> None:
        """A parameter whose shape is not known yet is skipped, and updated as usual when its shape is known."""
        optimizer = self.make()
        _, link = self.set_up("float64")
        with link.init_scope():
            link.later = Parameter(0.5)
        optimizer.setup(link)
        self.train(optimizer, link, 1)
        link.later.initialize((2,))
        self.give_gradients(link, 1)
        link.later.grad = np.ones_like(link.later.array)
        before = on_host(link.later)
        optimizer.update()
        assert not np.array_equal(on_host(link.later), before), "a parameter that got its shape late is not updated"

    def test_gradient_that_comes_late(self, device: Device) -> None:
        """A parameter that gets its first gradient late is treated as if training had begun then."""
        late_optimizer, late = self.set_up("float64", device)
        self.train(late_optimizer, late, 2, skip="matrix")
        self.train(late_optimizer, late, 2)
        optimizer, link = self.set_up("float64", device)
        self.train(optimizer, link, 2)
        if link.matrix.update_rule.t == late.matrix.update_rule.t:
            right = get_device("numpy").send(link.matrix.array)
            compare(late.matrix.array, right, "a parameter whose first gradient came late", 1e-12)

    def test_parameters_are_independent(self) -> None:
        """The state of one parameter, or of one optimizer, does not affect another."""
        optimizer, link = self.set_up("float64")
        self.train(optimizer, link, 3)
        other_optimizer, other = self.set_up("float64")
        self.train(other_optimizer, other, 3, skip="zero_dimensional")
        compare(other.matrix.array, link.matrix.array, "a parameter, when another has no gradient", exact=True)

    # --- losses, loss scaling, hooks ---------------------------------------------------------------------------------

    def test_loss_function(self, device: Device) -> None:
        """``update(lossfun, …)`` calls it with the arguments, and clears older gradients."""
        right_optimizer, right = self.set_up("float64", device)
        optimizer, link = self.set_up("float64", device)
        for t in range(2):
            right.cleargrads()
            (right.matrix * right.matrix * (t + 1)).sum().backward()
            right_optimizer.update()
            self.give_gradients(link, 7)  # from an earlier computation
            given: list[Any] = []

            def lossfun(*args: Any, given: list[Any] = given, **kwargs: Any) -> Any:
                given.append((args, kwargs))
                return (link.matrix * link.matrix * kwargs["factor"]).sum()

            optimizer.update(lossfun, "batch", factor=t + 1)
            assert given, "update(lossfun) does not call lossfun"
            assert given[0] == (("batch",), {"factor": t + 1}), f"update called lossfun with {given[0]}"
        what = (
            "a parameter updated by update(lossfun), compared with backward and update(): are old gradients forgotten?"
        )
        compare(link.matrix.array, on_host(right.matrix), what, 1e-12)

    def test_loss_function_that_fails(self) -> None:
        """An error in the loss reaches the caller, and parameters and counters do not change."""
        optimizer, link = self.set_up("float64")
        self.train(optimizer, link, 1)
        before, error = on_host(link.matrix), RuntimeError("on purpose")

        def lossfun() -> Any:
            raise error

        raised = None
        try:
            optimizer.update(lossfun)
        except BaseException as found:
            raised = found
        assert raised is error, f"a loss function raised {error!r}, but update raised {raised!r}"
        compare(link.matrix.array, before, "a parameter, after a loss function that failed,", exact=True)
        assert optimizer.t == 1, f"t is {optimizer.t} after one update and one that failed"

    def test_loss_scaling(self) -> None:
        """With loss scaling, gradients multiplied by the loss scale give the same updates."""
        right = self.trained()
        optimizer, link = self.set_up("float64")
        optimizer.set_loss_scale(8.0)
        self.train(optimizer, link, 3, change=lambda g: g * 8)
        what = "a parameter whose gradients, and whose loss scale, are 8 times as large,"
        compare(link.matrix.array, right, what, exact=True)

    def test_hooks(self) -> None:
        """Hooks are called once in each update: before parameters change, and after."""
        optimizer, link = self.set_up("float64")
        seen: list[tuple[str, float]] = []
        for timing in ("pre", "post"):

            def hook(opt: Any, timing: str = timing) -> None:
                assert opt is optimizer, "a hook is not called with the optimizer"
                seen.append((timing, float(link.matrix.array[0, 0])))

            optimizer.add_hook(hook, name=timing, timing=timing)
        before = float(link.matrix.array[0, 0])
        self.train(optimizer, link, 1)
        after = float(link.matrix.array[0, 0])
        right = [("pre", before), ("post", after)]
        assert seen == right, f"in one update, hooks and the parameter that they saw were {seen}; expected {right}"
