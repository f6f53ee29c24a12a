"""Hyperparameters can be read, and changed at any time, for all parameters or for one."""

from __future__ import annotations

import inspect
from typing import Any, ClassVar

import numpy as np

from renga_testing.saving import copy_state
from renga_testing.suites.comparing import compare
from renga_testing.suites.optimizer.training import Host, Training, on_host

__all__ = ["Hyperparameters"]


class Hyperparameters(Training):
    """Tests of hyperparameters."""

    read_once: ClassVar[tuple[str, ...]] = ()

    def test_hyperparameters(self) -> None:
        """Each keyword argument is an attribute that can be read, and set for all parameters or for one."""
        optimizer, link = self.set_up("float32")
        taken = inspect.signature(self.target).parameters
        for name, value in optimizer.hyperparam.get_dict().items():
            if name not in taken:
                continue
            assert getattr(optimizer, name, None) == value, f"hyperparameter {name!r} is not an attribute: use a proxy"
            setattr(optimizer, name, value)
            assert getattr(link.matrix.update_rule.hyperparam, name) == value, f"a rule does not have {name!r}"
        for name, value in self.options.items():
            found = optimizer.hyperparam.get_dict().get(name, value)
            assert found == value, f"created with {name}={value!r}, it has {name}={found!r}"

    def test_hyperparameters_changed_later(self) -> None:
        """A hyperparameter that changes between two steps takes effect at once, as in an optimizer resumed with it."""
        for name, value, other in self._numbers():
            never = self._trained_with({}, {})
            if np.array_equal(self._trained_with({name: other}, {}), never):
                continue  # it has no effect with these options
            later = self._trained_with({}, {name: other})
            assert not np.array_equal(later, never), (
                f"{name} changed from {value} to {other} after two steps, but the next three did not use it: read "
                f"hyperparam.{name} in each update, and keep no copy"
            )
            what = f"a parameter, after {name} was changed to {other}, compared with one resumed with that {name},"
            compare(later, self._resumed_with(name, other), what, exact=True)

    def test_hyperparameters_of_one_parameter(self) -> None:
        """A hyperparameter that is set for the rule of one parameter affects only this parameter."""
        for name, _, other in self._numbers():
            plain, set_for_all = (self._both(name, value, for_all=True) for value in (None, other))
            set_for_one = self._both(name, other, for_all=False)
            what = f"when {name} is {other} for the rule of the matrix only"
            compare(set_for_one[0], set_for_all[0], f"the matrix, {what},", exact=True)
            compare(set_for_one[1], plain[1], f"another parameter, {what},", exact=True)

    def test_hyperparameters_of_numpys_types(self) -> None:
        """A hyperparameter may be a NumPy scalar: parameter and state keep their dtype."""
        optimizer, link = self.set_up("float32")
        for name, value, _ in self._numbers():
            setattr(optimizer, name, np.float64(value))
        self.train(optimizer, link, 2)
        state = {key: value for key, value in link.matrix.update_rule.state.items() if hasattr(value, "dtype")}
        for key, value in {"the parameter": link.matrix.array, **state}.items():
            assert value.dtype == np.float32, f"with hyperparameters of numpy.float64, {key} is of {value.dtype}"

    def _numbers(self) -> list[tuple[str, float, float]]:
        """Hyperparameters that are numbers: name, value, and another value."""
        found = self.make().hyperparam.get_dict().items()
        numbers = [(n, v) for n, v in found if isinstance(v, (int, float)) and not isinstance(v, bool)]
        return [(n, v, 0.5 * v if v else 0.125) for n, v in numbers if n not in self.read_once]

    def _trained_with(self, first: dict[str, Any], later: dict[str, Any]) -> Host:
        optimizer, link = self.set_up("float64")
        for t in range(5):
            for name, value in (first if t == 0 else later if t == 2 else {}).items():
                setattr(optimizer.hyperparam, name, value)
            self.train(optimizer, link, 1, first=t)
        return on_host(link.matrix)

    def _resumed_with(self, name: str, value: float) -> Host:
        optimizer, link = self.set_up("float64")
        self.train(optimizer, link, 2)
        resumed, loaded = self.set_up("float64")
        copy_state(link, loaded)
        copy_state(optimizer, resumed)
        setattr(resumed.hyperparam, name, value)
        self.train(resumed, loaded, 3, first=2)
        return on_host(loaded.matrix)

    def _both(self, name: str, value: float | None, for_all: bool) -> tuple[Host, Host]:
        optimizer, link = self.set_up("float64")
        if value is not None:
            setattr((optimizer if for_all else link.matrix.update_rule).hyperparam, name, value)
        self.train(optimizer, link, 3)
        return on_host(link.matrix), on_host(link.zero_dimensional)
