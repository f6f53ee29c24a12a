"""`ModelSuite`: the kit of models for classification. How to write one: docs/how-to/write-a-model.md."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Device, get_device, to_host
from renga_core.configuration import using_config
from renga_core.graph import Variable
from renga_core.kinds import MODEL
from renga_core.link import Link
from renga_core.serializers import load, save
from renga_testing.saving import saved_state
from renga_testing.suites.comparing import compare
from renga_testing.suites.global_state import start_random
from renga_testing.suites.suite import ProviderSuite

__all__ = ["ModelSuite"]

Host = np.ndarray[Any, Any]


class ModelSuite(ProviderSuite):
    """Tests of a model: a callable that returns a Link, which maps a batch to class scores.

    Attributes:
        example_shape: Shape of one example, without the axis of the batch.
        n_out: Number of classes of the model that `options` give.
        tolerance: Largest difference of scores on a backend from those on the host.
    """

    kind = MODEL
    example_shape: ClassVar[tuple[int, ...]] = (1, 8, 8)
    n_out: ClassVar[int] = 10
    tolerance: ClassVar[float] = 1e-4

    def batch(self, size: int) -> Host:
        """Examples for the model: a float32 array ``(size, *example_shape)`` with values from 0 to 1."""
        x: Host = np.random.default_rng(0).random((size, *self.example_shape), np.float32)
        return x

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Generate tests for devices and numbers of examples."""
        return {**super().parameters(), "size": (1, 2, 5)}

    # --- scores ------------------------------------------------------------------------------------------------------

    def test_scores(self, device: Device, size: int) -> None:
        """A batch of N examples gives finite scores ``(N, n_out)`` in float32, in training and test mode."""
        model = self._make(device)
        for train in (True, False):
            if train and size == 1:
                continue  # a batch of one has no useful statistics
            y = self._scores(model, device, size, train)
            right = (size, self.n_out)
            assert tuple(y.shape) == right, f"{size} examples give scores of shape {tuple(y.shape)}, not {right}"
            host = to_host(y)
            assert host.dtype == np.float32, f"scores have dtype {host.dtype} for examples of float32"
            assert np.isfinite(host).all(), "some scores are not finite"

    def test_batch_is_unchanged(self, device: Device) -> None:
        """Computing scores does not change the batch: it may be memory of the data set."""
        model = self._make(device)
        for train in (True, False):
            x = device.send(self.batch(4))
            self._call(model, x, train)
            compare(x, self.batch(4), f"the batch, after a call with train={train},", exact=True)

    def test_examples_are_independent(self, device: Device) -> None:
        """In test mode, an example's scores do not depend on the others in the batch."""
        model = self._make(device)
        x = self.batch(4)
        together = to_host(self._call(model, device.send(x), train=False))
        alone = to_host(self._call(model, device.send(x[2:3]), train=False))
        compare(alone, together[2:3], "scores of one example alone, compared with those in a batch,", self.tolerance)

    def test_testing_changes_nothing(self, device: Device) -> None:
        """In test mode, the same batch gives the same scores, and parameters and statistics do not change."""
        model = self._make(device)
        first = to_host(self._scores(model, device, 3, train=False)).copy()
        before = saved_state(model)
        again = self._scores(model, device, 3, train=False)
        compare(again, first, "scores of one batch, computed again in test mode,", exact=True)
        for path, value in saved_state(model).items():
            compare(value, before[path], f"{path}, after testing,", exact=True)

    def test_backends_agree(self, device: Device) -> None:
        """Scores on each backend equal those on the host."""
        model = self._make(get_device("numpy"))
        right = to_host(self._scores(model, get_device("numpy"), 3, train=False)).copy()
        model.to_device(device)
        compare(self._scores(model, device, 3, train=False), right, f"scores on {device.name}", self.tolerance)

    def test_seed_decides(self) -> None:
        """The seed determines the parameters, and the random numbers in training."""
        one, same = (to_host(self._scores(self._make(), get_device("numpy"), 3, train=True)).copy() for _ in range(2))
        compare(same, one, "scores of a model made anew from the same seed", exact=True)

    # --- saving and copying ------------------------------------------------------------------------------------------

    def test_saving_and_loading(self, device: Device, tmp_path: Path) -> None:
        """A new model that has not been called gives the same scores after loading a file."""
        model = self._make(device)
        self._scores(model, device, 4, train=True)
        right = to_host(self._scores(model, device, 3, train=False)).copy()
        save(tmp_path / "model.npz", model)
        start_random(1)
        loaded = self.make()
        load(tmp_path / "model.npz", loaded)
        loaded.to_device(device)
        compare(self._scores(loaded, device, 3, train=False), right, "scores of a model loaded from a file", exact=True)

    def test_copying(self, device: Device) -> None:
        """A copy has its own parameters, initially equal to the original's."""
        model = self._make(device)
        right = to_host(self._scores(model, device, 3, train=False)).copy()
        copied = model.copy("copy")
        compare(self._scores(copied, device, 3, train=False), right, "scores of a copy", exact=True)
        for param in copied.params():
            param.array[...] = 0
        compare(self._scores(model, device, 3, train=False), right, "scores after a copy was changed", exact=True)

    # --- training ----------------------------------------------------------------------------------------------------

    def test_every_parameter_learns(self, device: Device) -> None:
        """A loss of the scores gives each parameter a finite gradient; the batch gets none."""
        model = self._make(device)
        model.cleargrads()
        self._loss(model, device).backward()
        for path, param in model.namedparams():
            assert param.is_initialized, f"parameter {path} is never initialized: it is not used"
            assert param.grad is not None, f"parameter {path} gets no gradient: the scores do not depend on it"
            assert np.isfinite(to_host(param.grad)).all(), f"the gradient of {path} is not finite"

    def test_a_step_makes_the_loss_smaller(self, device: Device) -> None:
        """A small step against the gradient makes the loss smaller."""
        model = self._make(device)
        model.cleargrads()
        loss = self._loss(model, device)
        loss.backward()
        before = float(to_host(loss.array))
        squares = sum(float((to_host(p.grad).astype(np.float64) ** 2).sum()) for p in model.params())
        assert squares > 0, "all gradients are zero"
        # A small step lowers the loss by its length times the norm of the gradient.
        lowered = False
        for part in (0.1, 0.01, 0.001):
            for param in model.params():
                param.array[...] = param.array - param.grad * (part * abs(before) / squares)
            after = float(to_host(self._loss(model, device).array))
            lowered = after < before
            if lowered:
                break
            for param in model.params():
                param.array[...] = param.array + param.grad * (part * abs(before) / squares)
        assert lowered, f"a step against the gradient raises the loss from {before:.6g}"

    # --- helpers -----------------------------------------------------------------------------------------------------

    def _make(self, device: Device | None = None) -> Any:
        """A model that has been called, so that its parameters are initialized."""
        start_random()
        model = self.make()
        assert isinstance(model, Link), f"{self.label} makes {model!r}, which is not a Link"
        if device is not None:
            model.to_device(device)
            self._scores(model, device, 4, train=False)
        return model

    def _scores(self, model: Any, device: Device, size: int, train: bool) -> Any:
        return self._call(model, device.send(self.batch(size)), train)

    def _call(self, model: Any, x: Any, train: bool) -> Any:
        with using_config("train", train), using_config("enable_backprop", False):
            y = model(Variable(x))
        assert isinstance(y, Variable), f"the model returns a {type(y).__name__}; expected a Variable with scores"
        return y.array

    def _loss(self, model: Any, device: Device) -> Any:
        """Squared distances of the scores from targets that differ by example and class; without randomness."""
        size = 6
        target = np.cos(np.arange(size * self.n_out, dtype=np.float32)).reshape(size, self.n_out)
        start_random(2)  # so that the same units are dropped each time
        error = model(Variable(device.send(self.batch(size)))) - device.send(target)
        return (error * error).sum()
