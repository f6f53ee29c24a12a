"""Resuming, copying, and a second setup: later updates depend only on the saved state."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

from renga_core.backend import Device, get_device
from renga_core.serializers import load, save
from renga_testing.suites.comparing import compare
from renga_testing.suites.optimizer.training import SHAPES, Training, made_link, on_host

__all__ = ["Saving"]


class Saving(Training):
    """Tests of resuming and copying."""

    def test_resume_is_identical(self, device: Device, dtype: str, tmp_path: Path) -> None:
        """A state that is saved, and loaded in another process, continues with the same numbers."""
        optimizer, link = self.set_up(dtype, device)
        self.train(optimizer, link, 3)
        save(tmp_path / "optimizer.npz", optimizer)
        save(tmp_path / "link.npz", link)
        resumed, loaded = self.set_up(dtype, device)
        load(tmp_path / "link.npz", loaded)
        load(tmp_path / "optimizer.npz", resumed)
        self._go_on_alike(optimizer, link, resumed, loaded, f"of {dtype} after resuming")

    def test_going_back(self, tmp_path: Path) -> None:
        """A saved state can be loaded into an optimizer that has continued after saving."""
        optimizer, link = self.set_up("float64")
        self.train(optimizer, link, 2)
        save(tmp_path / "optimizer.npz", optimizer)
        save(tmp_path / "link.npz", link)
        self.train(optimizer, link, 3, first=2)
        went_on = on_host(link.matrix)
        load(tmp_path / "link.npz", link)
        load(tmp_path / "optimizer.npz", optimizer)
        assert optimizer.t == 2, f"t is {optimizer.t} after loading the state of t = 2"
        self.train(optimizer, link, 3, first=2)
        what = "a parameter, after loading the earlier state and repeating the same steps,"
        compare(link.matrix.array, went_on, what, exact=True)

    def test_saving_changes_nothing(self, tmp_path: Path) -> None:
        """Saving after each step does not change the results."""
        right = self.trained()
        optimizer, link = self.set_up("float64")
        for t in range(3):
            self.train(optimizer, link, 1, first=t)
            save(tmp_path / f"optimizer_{t}.npz", optimizer)
        compare(link.matrix.array, right, "a parameter of a run that was saved after each step,", exact=True)

    def test_copying(self) -> None:
        """A deep copy of optimizer and link continues like the original, and the two are independent."""
        optimizer, link = self.set_up("float64")
        self.train(optimizer, link, 2)
        copied, its = copy.deepcopy((optimizer, link))
        self.train(copied, its, 1, first=9)  # this must not change the original
        copied, its = copy.deepcopy((optimizer, link))
        self._go_on_alike(optimizer, link, copied, its, "of a deep copy", first=2)

    def test_setting_up_anew(self) -> None:
        """After `setup` with a second link, it starts again, and does not change the first link."""
        right = self.trained()
        optimizer, former = self.set_up("float64")
        self.train(optimizer, former, 2)
        held = on_host(former.matrix)
        link = made_link("float64")
        optimizer.setup(link)
        assert optimizer.t == 0, f"t is {optimizer.t} after setup with a second link"
        self.give_gradients(former, 0)
        self.train(optimizer, link, 3)
        compare(link.matrix.array, right, "a parameter of the second link,", exact=True)
        compare(former.matrix.array, held, "a parameter of the first link,", exact=True)

    def test_array_that_is_replaced(self, device: Device) -> None:
        """A parameter with a new array, for example after moving to a device, is updated correctly."""
        right = self.trained()
        optimizer, link = self.set_up("float64")
        self.train(optimizer, link, 2)
        link.matrix.array = link.matrix.array.copy()
        link.to_device(device)
        self.train(optimizer, link, 1, first=2)
        compare(link.matrix.array, right, "a parameter whose array was replaced after two steps,", 1e-12)

    def _go_on_alike(self, optimizer: Any, link: Any, other: Any, its: Any, what: str, first: int = 3) -> None:
        self.train(optimizer, link, 3, first=first)
        self.train(other, its, 3, first=first)
        assert other.t == optimizer.t, (
            f"t is {other.t} after three more steps {what}; uninterrupted it is {optimizer.t}"
        )
        for name in SHAPES:
            right = get_device("numpy").send(getattr(link, name).array)
            whole = f"a {name} parameter {what}, compared with an uninterrupted run,"
            compare(getattr(its, name).array, right, whole, exact=True)
