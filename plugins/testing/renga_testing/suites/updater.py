"""`UpdaterSuite`: the kit of updaters. How to write one: docs/how-to/write-an-updater.md."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from renga_core.backend import Device, get_device, get_device_of, to_host
from renga_core.link import Link
from renga_core.plugin.state import describe_error
from renga_core.training import Updater
from renga_testing.saving import copy_state, saved_state
from renga_testing.suites.comparing import compare
from renga_testing.suites.global_state import start_random
from renga_testing.suites.stepwise_run import StepwiseRun
from renga_testing.suites.suite import ProviderSuite
from renga_testing.suites.training_parts import Batches, Descent, MeanSquares, OnPurpose, points, stack, supplied

__all__ = ["UpdaterSuite"]

EXAMPLES = 10
BATCH_SIZE = 4
UPDATES = 6
CUTS = (1, 3)


class UpdaterSuite(ProviderSuite):
    """Tests of an updater, in a short run: 10 examples in batches of 4, gradient descent.

    Attributes:
        figures: Names of the values that the link reports in training.
    """

    kind = "updater"
    figures: ClassVar[tuple[str, ...]] = ("loss",)

    def make_link(self, seed: int) -> Link:
        """A new link to train; each seed gives different parameters. It is called with (x, t), and returns the loss."""
        return MeanSquares(seed)

    def optimized(self, link: Link) -> Mapping[str, Link]:
        """The links that have their own optimizer, by its name."""
        return {"main": link}

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self._out = str(tmp_path)

    # --- what it is -------------------------------------------------------------------------------------------------

    def test_what_it_is(self) -> None:
        """It is an `Updater` that has made no update."""
        updater = self._start().updater
        assert isinstance(updater, Updater), f"{self.label} makes a {type(updater).__qualname__}; expected an Updater"
        self._counts(updater, 0, 0, 0)

    def test_optimizers(self) -> None:
        """It returns its optimizers by name, because extensions need them."""
        run = self._start()
        given = run.optimizers
        found = run.updater.get_all_optimizers()
        assert {*found} == {*given}, f"get_all_optimizers() has the names {sorted(found)}; given were {sorted(given)}"
        for name, optimizer in given.items():
            assert found[name] is optimizer, f"get_all_optimizers()[{name!r}] is not the optimizer that it was given"
            assert run.updater.get_optimizer(name) is optimizer, (
                f"get_optimizer({name!r}) is not the optimizer that it was given"
            )

    # --- updates ----------------------------------------------------------------------------------------------------

    def test_counts(self) -> None:
        """After each update, `iteration`, `epoch` and related attributes are correct."""
        run, used = self._start(), 0
        for number in range(1, UPDATES + 1):
            run.update()
            before, used = used, run.iterator.used
            self._counts(run.updater, number, before, used)

    def test_epochs_of_optimizers(self) -> None:
        """It calls `new_epoch` of each optimizer at the end of an epoch: hyperparameters may depend on it."""
        run = self._start()
        for _ in range(UPDATES):
            run.update()
            for name, optimizer in run.optimizers.items():
                epoch = run.iterator.epoch
                assert optimizer.epoch == epoch, (
                    f"after {run.updater.iteration} updates and {epoch} epochs, optimizer {name!r} counts "
                    f"{optimizer.epoch}: call optimizer.new_epoch(auto=True) at the end of an epoch"
                )

    def test_examples(self) -> None:
        """Each update takes examples, and converts each of them once."""
        run = self._start()
        for number in range(1, UPDATES + 1):
            before = run.iterator.used
            run.converted.clear()
            run.update()
            taken = sorted(place % EXAMPLES for place in range(before, run.iterator.used))
            assert taken, f"update {number} takes no examples"
            got = sorted(run.places())
            assert got == taken, f"update {number} takes the examples {taken} and converts {got}"

    def test_each_optimizer_updates(self, device: Device) -> None:
        """In each update, each optimizer changes the parameters of its link; they stay finite."""
        run = self._start(device)
        for number in range(1, 4):
            before = {name: (optimizer.t, saved_state(optimizer.target)) for name, optimizer in run.optimizers.items()}
            run.update()
            for name, optimizer in run.optimizers.items():
                t, values = before[name]
                assert optimizer.t > t, f"update {number} does not call update() of optimizer {name!r}"
                now = saved_state(optimizer.target)
                changed = any((now[path] != value).any() for path, value in values.items())
                assert changed, f"update {number} changes no parameter of optimizer {name!r}"
                finite = all(np.isfinite(value).all() for value in now.values())
                assert finite, f"after update {number}, a parameter of optimizer {name!r} is not finite"

    def test_device(self, device: Device) -> None:
        """If it has a parameter `device`, the link is there afterwards, and batches are converted for it."""
        if "device" not in supplied(self.target, {"device": device}):
            return  # it has its own devices
        run = self._start(device, sent=False)
        run.update()
        for name, optimizer in run.optimizers.items():
            for path, param in optimizer.target.namedparams():
                found = get_device_of(param.array)
                assert found == device, f"parameter {path} of optimizer {name!r} is on {found} instead of {device}"
        asked = [None if each is None else get_device(each) for each, _ in run.converted]
        assert all(each == device for each in asked), f"a batch is converted for {asked[0]} instead of {device}"

    def test_earlier_gradients(self) -> None:
        """Older gradients do not affect an update."""
        clean, full = self._start(), self._start()
        for _ in range(2):
            clean.update()
            for optimizer in full.optimizers.values():
                for param in optimizer.target.params():
                    param.grad = np.full_like(to_host(param.array), 1000)
            full.update()
        self._compare(full, clean, "with older gradients,")

    def test_reports(self) -> None:
        """Values that the link reports in an update are in the observation, as finite numbers without a graph."""
        run = self._start()
        for number in range(1, 3):
            run.update()
            for name in self.figures:
                known = ", ".join(sorted(run.observation)) or "nothing"
                assert f"main/{name}" in run.observation, f"update {number} reports {known}, but not main/{name}"
                value = run.observation[f"main/{name}"]
                value = value[0] if isinstance(value, tuple) else value
                number_ = np.asarray(to_host(getattr(value, "array", value)))
                scalar = number_.ndim == 0 and np.isfinite(number_)
                assert scalar, f"update {number} reports main/{name} as {number_}; expected a finite number"
                free = getattr(value, "creator_node", None) is None
                assert free, f"update {number} reports main/{name} with the graph that it was computed by"

    # --- saving -----------------------------------------------------------------------------------------------------

    def test_resume_equals_uninterrupted(self) -> None:
        """A saved state, loaded into a new updater with other parameters, gives the same parameters, bit by bit."""
        right = self._start()
        for _ in range(UPDATES):
            right.update()
        for cut in CUTS:
            first, resumed = self._start(), self._start(seed=1)
            for _ in range(cut):
                first.update()
            try:
                copy_state(first.updater, resumed.updater)
            except Exception as error:
                raise AssertionError(
                    f"what was saved after update {cut} cannot be loaded: {describe_error(error)}"
                ) from error
            for _ in range(UPDATES - cut):
                resumed.update()
            self._compare(resumed, right, f"resumed after update {cut},")

    def test_saving_changes_nothing(self) -> None:
        """A run that is saved after each update continues like a run that is not."""
        right, saved = self._start(), self._start()
        for _ in range(3):
            right.update()
            saved.update()
            saved_state(saved.updater)
        self._compare(saved, right, "saved after each update,")

    # --- errors, and the end ----------------------------------------------------------------------------------------

    def test_end_of_data(self) -> None:
        """An exhausted iterator raises an error with a message, not StopIteration, which would end a loop."""
        run = self._start(repeat=False)
        try:
            for _ in range(EXAMPLES):
                run.update()
        except StopIteration as error:
            raise AssertionError(
                "at the end of the iterator, it raises StopIteration, which would silently end a loop"
            ) from error
        except Exception as error:
            if str(error).strip():
                return
            raise AssertionError(
                f"at the end of the iterator, it raises {type(error).__name__} without a message"
            ) from error
        raise AssertionError(f"{EXAMPLES} updates from {EXAMPLES} examples without repeat raise no error")

    def test_error_of_a_batch(self) -> None:
        """An error of the converter is raised; the update is not counted, and no parameter changes."""
        run, right = self._start(), self._start()
        run.update()
        right.update()
        run.error = OnPurpose("this batch is damaged")
        try:
            run.update()
        except OnPurpose:
            pass
        except Exception as error:
            raise AssertionError(f"the converter's error became {describe_error(error)}") from error
        else:
            raise AssertionError("the converter raises an error, but the updater does not")
        made = run.updater.iteration
        assert made == 1, f"iteration is {made} after one update and one that failed"
        for path, value in saved_state(run.link).items():
            compare(value, saved_state(right.link)[path], f"{path}, after an update that failed,", exact=True)

    def test_finalize(self) -> None:
        """It finalizes its iterator, at any time, and may be finalized twice."""
        for updates in (0, 1):
            run = self._start()
            for _ in range(updates):
                run.update()
            for time in ("", " a second time"):
                try:
                    run.updater.finalize()
                except Exception as error:
                    raise AssertionError(f"finalize(), called{time}, raises {describe_error(error)}") from error
            assert run.iterator.finalized, "finalize() does not finalize the iterator: its processes would stay"

    # --- helpers ----------------------------------------------------------------------------------------------------

    def _start(self, device: Device | None = None, seed: int = 0, repeat: bool = True, *, sent: bool = True) -> _Run:
        return _Run(self, get_device("numpy") if device is None else device, seed, repeat, sent)

    def _counts(self, updater: Any, iteration: int, before: int, used: int) -> None:
        right = {
            "iteration": iteration,
            "epoch": used // EXAMPLES,
            "epoch_detail": used / EXAMPLES,
            "previous_epoch_detail": before / EXAMPLES,
            "is_new_epoch": used // EXAMPLES > before // EXAMPLES,
        }
        for name, value in right.items():
            got = getattr(updater, name, "missing")
            same = not isinstance(got, str) and got == pytest.approx(value)
            assert same, (
                f"after {iteration} updates and {used} examples of epochs of 10, {name} is {got} instead of {value}"
            )

    def _compare(self, got: _Run, right: _Run, what: str) -> None:
        for path, value in saved_state(right.link).items():
            compare(saved_state(got.link)[path], value, f"{path}, {what}", exact=True)
        self._counts(got.updater, right.updater.iteration, right.iterator.used - right.last_used, right.iterator.used)
        for name, optimizer in right.optimizers.items():
            t = got.optimizers[name].t
            assert t == optimizer.t, f"{what} optimizer {name!r} has made {t} updates instead of {optimizer.t}"


class _Run:
    """An updater in a run that a test runs step by step."""

    def __init__(self, suite: UpdaterSuite, device: Device, seed: int, repeat: bool, sent: bool) -> None:
        self.examples = points(EXAMPLES)
        self.iterator = Batches(self.examples, BATCH_SIZE, repeat)
        self.link = suite.make_link(seed)
        if sent:
            self.link.to_device(device)
        self.optimizers = {name: Descent().setup(link) for name, link in suite.optimized(self.link).items()}
        self.converted: list[tuple[Any, list[Any]]] = []
        self.error: Exception | None = None
        self.last_used = 0
        given = self.optimizers["main"] if [*self.optimizers] == ["main"] else self.optimizers
        known = supplied(suite.target, {"device": device, "link": self.link})
        try:
            self.updater: Any = suite.target(self.iterator, given, converter=self._convert, **known, **suite.options)
        except Exception as error:
            raise AssertionError(
                f"{suite.label} cannot be made with an iterator, optimizers ({', '.join(self.optimizers)}), converter="
                f"{''.join(f', {name}=' for name in known)} and options {dict(suite.options)}: {describe_error(error)}"
            ) from error
        try:
            self._run = StepwiseRun(suite._out, updater=self.updater)
        except Exception as error:
            raise AssertionError(f"{suite.label} cannot be used in a trainer: {describe_error(error)}") from error
        self._run.reporter.add_observer("main", self.link)
        self._label = suite.label

    @property
    def observation(self) -> dict[str, Any]:
        """The values that the last update reported."""
        return self._run.observation

    def update(self) -> None:
        """One update; random numbers depend on its number only."""
        before = self.iterator.used
        start_random(self.updater.iteration)
        self._run.update()
        self.last_used = self.iterator.used - before

    def places(self) -> list[int]:
        """Which examples were converted."""
        batches = [batch for _, batch in self.converted]
        numbers = {id(example): place for place, example in enumerate(self.examples)}
        return [numbers[id(example)] for batch in batches for example in batch]

    def _convert(self, batch: list[Any], device: Device | str | None = None) -> tuple[Any, ...]:
        if self.error is not None:
            raise self.error
        self.converted.append((device, list(batch)))
        return stack(batch, device)
