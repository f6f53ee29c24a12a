"""`OptimizerSuite`: the kit of optimizers. How to write one: docs/how-to/write-an-optimizer.md."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Device, get_device
from renga_core.link import Link
from renga_core.optimizer import Optimizer
from renga_core.plugin import OPTIMIZER
from renga_core.serializers import load_npz, save_npz
from renga_core.testing.suites.comparing import compare
from renga_core.testing.suites.suite import ProviderSuite

__all__ = ["OptimizerSuite"]

Host = np.ndarray[Any, Any]

DTYPES = ("float16", "float32", "float64")
TOLERANCES = {"float16": 2e-2, "float32": 2e-6, "float64": 1e-10}
SHAPES = {"matrix": (3, 4), "zero_dimensional": (), "empty": (2, 0)}


class OptimizerSuite(ProviderSuite):
    """Tests of an optimizer.

    A subclass may define `reference`, which the steps are then compared with.

    Attributes:
        tolerances: How far parameters may be from the reference, or from the same steps in float64, by dtype.
        steps: Number of steps to compare.
    """

    kind = OPTIMIZER
    tolerances: ClassVar[Mapping[str, float]] = TOLERANCES
    steps: ClassVar[int] = 4

    def reference(self, w: Host, gradients: list[Host]) -> Host:
        """The parameter after a step for each gradient, from the paper's formulas, in float64, for `options`."""
        raise NotImplementedError

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if cls.reference is OptimizerSuite.reference:
            cls.test_agrees_with_the_reference = None  # type: ignore[assignment,method-assign]  # pytest collects no None

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Dtypes and backends."""
        return {**super().parameters(), "dtype": DTYPES}

    # --- steps -------------------------------------------------------------------------------------------------------

    def test_is_an_optimizer(self) -> None:
        """It can be made, is an `Optimizer`, and `setup` returns it."""
        optimizer = self.make()
        assert isinstance(optimizer, Optimizer), f"{self.label} makes {optimizer!r}, which is no Optimizer"
        link = _link("float32")
        assert optimizer.setup(link) is optimizer, "setup does not return the optimizer"
        assert optimizer.target is link, "target is not the link that setup was given"
        assert optimizer.t == 0, f"t is {optimizer.t} before the first update"

    def test_agrees_with_the_reference(self, device: Device, dtype: str) -> None:
        """After a few steps, parameters are where the formulas put them."""
        for name in ("matrix", "zero_dimensional"):
            optimizer, link = self._set_up(dtype, device)
            start = np.array(get_device("numpy").send(getattr(link, name).array), np.float64)
            gradients = [_gradient(t, SHAPES[name], dtype).astype(np.float64) for t in range(self.steps)]
            self._train(optimizer, link, self.steps)
            right = np.asarray(self.reference(start, gradients)).astype(dtype)
            compare(getattr(link, name).array, right, f"a {name} parameter of {dtype}", self.tolerances[dtype])

    def test_agrees_with_itself_in_double_precision(self, device: Device, dtype: str) -> None:
        """Steps in each dtype are those in float64 but for rounding, on each backend as on the host."""
        optimizer, link = self._set_up(dtype, device)
        self._train(optimizer, link, self.steps)
        precise, wide = self._set_up("float64", get_device("numpy"))
        self._train(precise, wide, self.steps, gradients_in=dtype)
        for name in SHAPES:
            right = getattr(wide, name).array.astype(dtype)
            what = f"a {name} parameter of {dtype} after {self.steps} steps, compared with float64"
            compare(getattr(link, name).array, right, what, self.tolerances[dtype])

    def test_makes_a_loss_smaller(self, device: Device) -> None:
        """Walking down a bowl, it gets lower."""
        optimizer, link = self._set_up("float64", device)
        losses = []
        for _ in range(20):
            optimizer.update(lambda: (link.matrix * link.matrix).sum())
            losses.append(float((link.matrix.array**2).sum()))
        assert losses[-1] < losses[0], f"the loss went from {losses[0]:.6g} to {losses[-1]:.6g} in 20 steps"

    def test_changes_parameters_in_place(self, device: Device, dtype: str) -> None:
        """A parameter keeps its array and its dtype; so does what is remembered of it."""
        optimizer, link = self._set_up(dtype, device)
        arrays = {name: getattr(link, name).array for name in SHAPES}
        self._train(optimizer, link, 2)
        for name, array in arrays.items():
            param = getattr(link, name)
            assert param.array is array, f"update gives a {name} parameter another array"
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
        optimizer, link = self._set_up("float32")
        self._train(optimizer, link, 3)
        assert optimizer.t == 3, f"t is {optimizer.t} after 3 updates"
        assert link.matrix.update_rule.t == 3, f"a rule's t is {link.matrix.update_rule.t} after 3 updates"

    def test_hyperparameters(self) -> None:
        """Each keyword argument is an attribute that can be read, and set for all parameters or for one."""
        optimizer, link = self._set_up("float32")
        taken = inspect.signature(self.target).parameters
        for name, value in optimizer.hyperparam.get_dict().items():
            if name not in taken:
                continue
            assert getattr(optimizer, name, None) == value, f"hyperparameter {name!r} is not an attribute: use a proxy"
            setattr(optimizer, name, value)
            assert getattr(link.matrix.update_rule.hyperparam, name) == value, f"a rule does not see {name!r}"
        for name, value in self.options.items():
            found = optimizer.hyperparam.get_dict().get(name, value)
            assert found == value, f"made with {name}={value!r}, it has {name}={found!r}"

    # --- gradients that are not there --------------------------------------------------------------------------------

    def test_missing_gradient(self, device: Device) -> None:
        """A parameter without a gradient stays as it is, and its rule has done nothing."""
        optimizer, link = self._set_up("float32", device)
        before = np.array(get_device("numpy").send(link.matrix.array))
        self._train(optimizer, link, 2, skip="matrix")
        compare(link.matrix.array, before, "a parameter without a gradient, after an update", exact=True)
        assert link.matrix.update_rule.t == 0, "the rule of a parameter without a gradient counts updates"

    def test_disabled_parameter(self, device: Device) -> None:
        """A parameter whose rule is disabled stays as it is."""
        optimizer, link = self._set_up("float32", device)
        before = np.array(get_device("numpy").send(link.matrix.array))
        link.matrix.update_rule.enabled = False
        self._train(optimizer, link, 2)
        compare(link.matrix.array, before, "a disabled parameter, after an update", exact=True)

    def test_gradient_that_comes_late(self, device: Device) -> None:
        """A parameter that gets its first gradient late is treated as if training had begun then."""
        late_optimizer, late = self._set_up("float64", device)
        self._train(late_optimizer, late, 2, skip="matrix")
        self._train(late_optimizer, late, 2)
        optimizer, link = self._set_up("float64", device)
        self._train(optimizer, link, 2)
        if link.matrix.update_rule.t == late.matrix.update_rule.t:
            right = get_device("numpy").send(link.matrix.array)
            compare(late.matrix.array, right, "a parameter whose first gradient came late", 1e-12)

    def test_parameters_are_independent(self) -> None:
        """What is remembered of one parameter, or by one optimizer, does not touch another."""
        optimizer, link = self._set_up("float64")
        self._train(optimizer, link, 3)
        other_optimizer, other = self._set_up("float64")
        self._train(other_optimizer, other, 3, skip="zero_dimensional")
        compare(other.matrix.array, link.matrix.array, "a parameter, when another has no gradient", exact=True)

    # --- saving and loading ------------------------------------------------------------------------------------------

    def test_resume_is_identical(self, device: Device, dtype: str, tmp_path: Path) -> None:
        """Saved and loaded by another process, it goes on exactly where it was."""
        optimizer, link = self._set_up(dtype, device)
        self._train(optimizer, link, 3)
        save_npz(tmp_path / "optimizer.npz", optimizer)
        save_npz(tmp_path / "link.npz", link)
        resumed, loaded = self._set_up(dtype, device)
        load_npz(tmp_path / "link.npz", loaded)
        load_npz(tmp_path / "optimizer.npz", resumed)
        self._train(optimizer, link, 3, first=3)
        self._train(resumed, loaded, 3, first=3)
        assert resumed.t == optimizer.t, f"t is {resumed.t} after resuming; uninterrupted it is {optimizer.t}"
        for name in SHAPES:
            right = get_device("numpy").send(getattr(link, name).array)
            what = f"a {name} parameter of {dtype} after resuming, compared with an uninterrupted run,"
            compare(getattr(loaded, name).array, right, what, exact=True)

    # --- helpers -----------------------------------------------------------------------------------------------------

    def _set_up(self, dtype: str, device: Device | None = None) -> tuple[Any, Any]:
        optimizer, link = self.make(), _link(dtype)
        if dtype == "float16":
            optimizer.use_fp32_update()  # defaults such as eps=1e-8 are zero in half precision
        if device is not None:
            link.to_device(device)
        return optimizer.setup(link), link

    def _train(
        self, optimizer: Any, link: Any, steps: int, first: int = 0, skip: str = "", gradients_in: str = ""
    ) -> None:
        """Some updates, with gradients that depend on nothing but the number of the step."""
        for t in range(first, first + steps):
            link.cleargrads()
            for name, shape in SHAPES.items():
                param = getattr(link, name)
                if name != skip:
                    dtype = str(param.dtype).rpartition(".")[2]
                    gradient = _gradient(t, shape, gradients_in or dtype).astype(dtype)
                    param.grad = param.device.send(gradient)
            optimizer.update()


def _link(dtype: str) -> Any:
    link = Link(**{name: (shape, np.dtype(dtype)) for name, shape in SHAPES.items()})
    for name, shape in SHAPES.items():
        size = int(np.prod(shape))
        # Values that half precision holds exactly, none of them zero.
        getattr(link, name).array[...] = (np.arange(size, dtype=np.float64).reshape(shape) + 1) / 8
    return link


def _gradient(t: int, shape: tuple[int, ...], dtype: str) -> Host:
    drawn = np.random.default_rng(t).integers(1, 9, shape) / 8
    return np.asarray(drawn * np.random.default_rng(t + 100).choice([-1, 1], shape)).astype(dtype)
