"""Tests of the results of an update."""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Device, get_device
from renga_core.link import Link
from renga_core.optimizer import GradientMethod, Optimizer
from renga_testing.suites.comparing import compare
from renga_testing.suites.optimizer.formulas import FORMULAS
from renga_testing.suites.optimizer.training import SHAPES, Host, Training, gradient, made_link, on_host
from renga_testing.suites.suite import needs

__all__ = ["Steps"]

LARGE = 70_001
"""Number of elements: more than 16 bits can count, and not a multiple of a block size."""

LONG = 60
"""Number of steps: more than the first phase of any optimizer."""

UNUSUAL = {10: 0.0, 20: 1e4}
"""Factors for the gradients of some steps in a long run."""

KERNEL = (2, 3, 1, 2)
"""Shape of a parameter, such as a convolution's."""


class Steps(Training):
    """Tests of the results of an update."""

    extras: ClassVar[Mapping[str, str]] = {
        "bias_corrected": "while the gradient stays the same, each step is as long as the first",
        "reference": "its class has a static method reference(w, gradients, hyperparam) with its formulas in float64",
    }

    def reference(self, w: Host, gradients: list[Host]) -> Host:
        """The parameter after a step for each gradient, from the paper's formulas, in float64, for `options`."""
        raise NotImplementedError

    @property
    def declared(self) -> frozenset[str]:
        """The declared capabilities; and ``reference`` if formulas are known."""
        return super().declared | ({"reference"} if self._formulas() is not None else set())

    def _formulas(self) -> Callable[[Host, list[Host]], Host] | None:
        if type(self).reference is not Steps.reference:
            return self.reference
        hyperparam = getattr(self.make(), "hyperparam", None)
        if "reference" in self.offer.provider.capabilities:
            own = getattr(self.target, "reference", None)
            assert callable(own), (
                f"{self.label} declares reference, but {self.offer.provider.target} has no static method reference(w, "
                f"gradients, hyperparam)"
            )
            return lambda w, gradients: own(w, gradients, hyperparam)
        known = FORMULAS.get(self.offer.name)
        return None if known is None else lambda w, gradients: known(w, gradients, hyperparam)

    # --- steps -------------------------------------------------------------------------------------------------------

    def test_is_an_optimizer(self) -> None:
        """It can be made, is an `Optimizer`, and `setup` returns it."""
        optimizer = self.make()
        assert isinstance(optimizer, Optimizer), f"{self.label} makes {optimizer!r}, which is not an Optimizer"
        link = made_link("float32")
        assert optimizer.setup(link) is optimizer, "setup does not return the optimizer"
        assert optimizer.target is link, "target is not the link that was passed to setup"
        assert optimizer.t == 0, f"t is {optimizer.t} before the first update"

    @needs("reference")
    def test_agrees_with_the_reference(self, device: Device, dtype: str) -> None:
        """After a few steps, parameters agree with the formulas."""
        formulas = self._formulas()
        assert formulas is not None
        for name in ("matrix", "zero_dimensional"):
            optimizer, link = self.set_up(dtype, device)
            start = on_host(getattr(link, name)).astype(np.float64)
            gradients = [gradient(t, SHAPES[name], dtype).astype(np.float64) for t in range(self.steps)]
            self.train(optimizer, link, self.steps)
            right = np.asarray(formulas(start, gradients)).astype(dtype)
            what = f"a {name} parameter of {dtype} after {self.steps} steps, compared with the formulas of its name or "
            what += "of its reference"
            compare(getattr(link, name).array, right, what, self.tolerances[dtype])

    @needs("reference")
    def test_a_long_run_agrees_with_the_reference(self, device: Device) -> None:
        """They also agree after many steps, with one step of zero gradients and one of very large gradients."""
        formulas = self._formulas()
        assert formulas is not None
        gradients = [UNUSUAL.get(t, 1.0) * gradient(t, KERNEL, "float64") for t in range(LONG)]
        got = self._walk(device, gradients)
        for steps in (*(t + 2 for t in UNUSUAL), LONG):
            right = np.asarray(formulas(got[0], gradients[:steps]))
            what = f"a parameter of shape {KERNEL} after {steps} steps, of which number 11 has gradients of zero and "
            what += "number 21 of some 10000, compared with the formulas of its name or of its reference"
            compare(got[steps], right, what, 100 * self.tolerances["float64"])

    @needs("bias_corrected")
    def test_bias_correction(self) -> None:
        """If it declares that its means are corrected, all steps for a constant gradient are equal."""
        optimizer, link = self.set_up("float64")
        places = [on_host(link.matrix)]
        for _ in range(5):
            self.train(optimizer, link, 1)  # always the gradient of step 0
            places.append(on_host(link.matrix))
        steps = np.diff(np.array(places), axis=0)
        for t, step in enumerate(steps, 1):
            what = f"step {t} under a constant gradient, compared with the first: it declares bias_corrected, and step"
            compare(step, steps[0], what, 1e-5 * float(np.abs(steps[0]).max()))

    def test_agrees_with_itself_in_double_precision(self, device: Device, dtype: str) -> None:
        """Steps in each dtype equal those in float64 up to rounding, on each backend and on the host."""
        optimizer, link = self.set_up(dtype, device)
        self.train(optimizer, link, self.steps)
        precise, wide = self.set_up("float64", get_device("numpy"))
        self.train(precise, wide, self.steps, gradients_in=dtype)
        for name in SHAPES:
            right = getattr(wide, name).array.astype(dtype)
            what = f"a {name} parameter of {dtype} after {self.steps} steps, compared with float64"
            compare(getattr(link, name).array, right, what, self.tolerances[dtype])

    def test_makes_a_loss_smaller(self, device: Device) -> None:
        """It lowers a convex loss."""
        optimizer, link = self.set_up("float64", device)
        losses = []
        for _ in range(20):
            optimizer.update(lambda: (link.matrix * link.matrix).sum())
            losses.append(float((link.matrix.array**2).sum()))
        assert losses[-1] < losses[0], f"the loss went from {losses[0]:.6g} to {losses[-1]:.6g} in 20 steps"

    def test_goes_on_moving(self, device: Device) -> None:
        """Parameters of any number of axes move while gradients have one sign."""
        for shape in ((), (5,), (3, 4), (2, 3, 2), KERNEL, (2, 1, 2, 1, 3)):
            got = self._walk(device, [np.abs(gradient(t, shape, "float64")) for t in range(LONG)])
            for first in range(0, LONG, LONG // 3):
                last = first + LONG // 3
                still = got[last] == got[first]
                assert not np.any(still), (
                    f"from step {first + 1} to step {last}, {int(np.sum(still))} of {np.size(still)} elements of a "
                    f"parameter of shape {shape} do not move, although its gradients are not zero"
                )

    def test_changes_parameters_in_place(self, device: Device, dtype: str) -> None:
        """A parameter keeps its array and its dtype; so does its state."""
        optimizer, link = self.set_up(dtype, device)
        arrays = {name: getattr(link, name).array for name in SHAPES}
        self.train(optimizer, link, 2)
        for name, array in arrays.items():
            param = getattr(link, name)
            assert param.array is array, f"update replaces the array of a {name} parameter"
            assert str(param.array.dtype).rpartition(".")[2] == dtype, (
                f"a parameter of {dtype} became {param.array.dtype}"
            )
            for key, value in param.update_rule.state.items():
                if hasattr(value, "dtype"):
                    what = f"state {key!r} of a {name} parameter of {dtype}"
                    # Half precision is updated through a copy in single precision.
                    right = "float32" if dtype == "float16" else dtype
                    assert str(value.dtype).rpartition(".")[2] == right, f"{what} is of {value.dtype}"

    def test_counts_updates(self) -> None:
        """`t` counts updates, of the optimizer and of each rule."""
        optimizer, link = self.set_up("float32")
        self.train(optimizer, link, 3)
        assert optimizer.t == 3, f"t is {optimizer.t} after 3 updates"
        assert link.matrix.update_rule.t == 3, f"a rule's t is {link.matrix.update_rule.t} after 3 updates"

    def test_together_as_alone(self, device: Device) -> None:
        """Parameters updated in groups by one call equal parameters updated alone."""
        optimizer, link = self.set_up("float64", device)
        if not isinstance(optimizer, GradientMethod):
            return  # it has no update rules
        self.train(optimizer, link, 3)
        one_by_one, other = self.set_up("float64", device)
        one_by_one.update_parameters = lambda params: [param.update() for param in params]
        self.train(one_by_one, other, 3)
        for name in SHAPES:
            what = f"a {name} parameter that is updated together with others, compared with one that is updated alone,"
            compare(getattr(link, name).array, on_host(getattr(other, name)), what, 1e-12)

    # --- unusual arrays -----------------------------------------------------------------------------------------

    def test_memory_layouts(self) -> None:
        """Parameters and gradients may have gaps, be transposed or reversed; gradients may be read-only."""
        right = self.trained()
        for name, lay in _LAYOUTS.items():
            optimizer, link = self.set_up("float64")
            array = link.matrix.array = lay(link.matrix.array)
            self.train(optimizer, link, 3)
            compare(array, right, f"a parameter whose array is {name}")
            optimizer, link = self.set_up("float64")
            self.train(optimizer, link, 3, change=lambda g, lay=lay: _read_only(lay(g)))  # type: ignore[misc]
            compare(link.matrix.array, right, f"a parameter whose gradients are read-only and {name}", 1e-12)

    def test_large_parameter(self, device: Device) -> None:
        """All elements of a large parameter are updated: equal values and gradients give equal results."""
        link: Any = Link(w=((LARGE,), np.float32))
        link.w.array[...] = 1.5
        link.to_device(device)
        optimizer = self.make().setup(link)
        for _ in range(2):
            link.w.grad = device.send(np.full(LARGE, 0.25, np.float32))
            optimizer.update()
        host = on_host(link.w)
        compare(host, np.full(LARGE, host[0]), f"a parameter of {LARGE} equal elements", 1e-6)
        assert host[0] != 1.5, f"two updates do not change a parameter of {LARGE} elements"

    def test_zero_gradients(self, device: Device, dtype: str) -> None:
        """Zero gradients from the first step on do not give infinity or NaN."""
        optimizer, link = self.set_up(dtype, device)
        with np.errstate(all="ignore"):
            self.train(optimizer, link, 3, change=np.zeros_like)
        host = on_host(link.matrix)
        assert np.isfinite(host).all(), (
            f"after three gradients of zeros, a parameter of {dtype} holds {host.ravel()[0]}"
        )

    def test_a_gradient_that_is_nan(self) -> None:
        """NaN in a gradient appears in its parameter, so that a failing run is noticed; and in no other parameter."""
        optimizer, link = self.set_up("float64")
        with np.errstate(all="ignore"):
            self.train(optimizer, link, 2)
            self.give_gradients(link, 2)
            link.matrix.grad[1, 2] = np.nan
            optimizer.update()
        host = on_host(link.matrix)
        assert np.isnan(host[1, 2]), f"a gradient of NaN moved the parameter to {host[1, 2]}: the error is hidden"
        other = on_host(link.zero_dimensional)
        assert np.isfinite(other), "NaN in the gradient of one parameter made another one NaN"

    def test_threads(self) -> None:
        """Optimizers in several threads do not disturb each other."""
        right, wrong = self.trained(), []

        def work() -> None:
            try:
                for _ in range(5):
                    compare(self.trained(), right, "a parameter trained in one of four threads", exact=True)
            except BaseException as error:
                wrong.append(error)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not wrong, str(wrong[0])

    def _walk(self, device: Device, gradients: list[Host]) -> list[Host]:
        """A parameter before the first step, and after each, in float64."""
        link: Any = Link(w=(gradients[0].shape, np.float64))
        link.w.array[...] = np.arange(1.0, gradients[0].size + 1).reshape(gradients[0].shape) / 8
        link.to_device(device)
        optimizer = self.make().setup(link)
        places = [on_host(link.w)]
        for g in gradients:
            link.w.grad = device.send(np.array(g))
            optimizer.update()
            places.append(on_host(link.w))
        return places


def _read_only(x: Host) -> Host:
    x = x.view()
    x.flags.writeable = False
    return x


def _with_gaps(x: Host) -> Host:
    wide = np.full((*x.shape[:-1], 3 * x.shape[-1]), 7, x.dtype) if x.ndim else x
    if x.ndim:
        wide[..., ::3] = x
    return wide[..., ::3] if x.ndim else x


_LAYOUTS: dict[str, Callable[[Host], Host]] = {
    "with gaps": _with_gaps,
    "transposed": lambda x: np.asarray(x.T, order="C").T,
    "reversed": lambda x: np.ascontiguousarray(x[::-1])[::-1] if x.ndim else x,
}
