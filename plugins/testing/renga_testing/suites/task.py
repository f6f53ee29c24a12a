"""`TaskSuite`: the kit of tasks. How to write one: docs/how-to/write-a-task.md."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import pytest

from renga_core.backend import Device, get_device, to_host
from renga_core.configuration import using_config
from renga_core.errors import RengaError
from renga_core.graph import Variable
from renga_core.kinds import COMMUNICATOR
from renga_core.link import Link
from renga_core.plugin import registry
from renga_core.plugin.provider import resolve
from renga_core.plugin.state import describe_error
from renga_core.serializers import load, save
from renga_testing.saving import saved_state
from renga_testing.suites.comparing import compare
from renga_testing.suites.examples import difference
from renga_testing.suites.global_state import start_random
from renga_testing.suites.stepwise_run import StepwiseRun
from renga_testing.suites.suite import ProviderSuite
from renga_testing.suites.training_parts import Batches, Descent, Layer, points, supplied

__all__ = ["TaskSuite"]

EXAMPLES = 10
CLASSES = 3
SENTENCE = "the kit's model gives 3 numbers for each point of 4; for another one, define make_model and make_examples"


class TaskSuite(ProviderSuite):
    """Tests of a task: with a small model and 10 examples, trained and evaluated by the parts that the task names.

    Attributes:
        batch_size: How many examples a batch has.
        preprocessing: The data set's preprocessing, passed to the task.
    """

    kind = "task"
    batch_size: ClassVar[int] = 4
    preprocessing: ClassVar[Any] = None

    def make_model(self, seed: int) -> Link:
        """A new model for the task; each seed gives different parameters."""
        return Layer(CLASSES, seed)

    def make_examples(self, task: Any) -> list[Any]:
        """Examples for the task: inputs first, then labels."""
        if task.target_type == "class":
            return [(x, np.int32(number % CLASSES)) for number, (x, _) in enumerate(points(EXAMPLES))]
        return [(x, np.cos(x[:CLASSES])) for x, _ in points(EXAMPLES)]

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self._out = tmp_path

    # --- what it is -------------------------------------------------------------------------------------------------

    def test_what_it_is(self) -> None:
        """It is a `Task`, has figures with one primary figure, and names existing parts."""
        task = self.make()
        base = resolve(registry(self.kind).kind.protocol)
        assert isinstance(task, base), f"{self.label} makes a {type(task).__qualname__}; expected a Task"
        figures = task.figures
        named = not isinstance(figures, str) and all(isinstance(name, str) and name for name in figures)
        assert named, f"figures is {figures!r}; expected names"
        assert task.headline in figures, f"headline is {task.headline!r}, which is not among figures: {list(figures)}"
        for name in ("higher_is_better", "shuffle"):
            value = getattr(task, name)
            assert isinstance(value, bool), f"{name} is {value!r}; expected True or False"
        for kind in ("updater", "converter", "evaluator"):
            try:
                registry(kind).get(getattr(task, kind))
            except Exception as error:
                known = ", ".join(registry(kind).names())
                raise AssertionError(f"{kind} is {getattr(task, kind)!r}; there are: {known}") from error

    def test_what_is_trained(self) -> None:
        """Its target is a link that contains the model."""
        run = self._start()
        assert isinstance(run.target, Link), f"target(model) returns {run.target!r}; expected a Link"
        inside = any(link is run.model for link in run.target.links())
        assert inside, "the model is not in target(model): it would be neither trained nor saved"

    def test_optimized(self) -> None:
        """Each parameter of the model belongs to one of the links that have an optimizer."""
        run = self._start()
        found = run.task.optimized(run.target)
        links = isinstance(found, Mapping) and found and all(isinstance(link, Link) for link in found.values())
        assert links, f"optimized(target) returns {found!r}; expected links by name"
        owners = {id(param): name for name, link in found.items() for param in link.params()}
        for path, param in run.model.namedparams():
            assert id(param) in owners, f"parameter {path} of the model belongs to none of {', '.join(found)}"

    # --- the loss ---------------------------------------------------------------------------------------------------

    def test_loss(self, device: Device) -> None:
        """The loss is one finite floating-point number, with a finite gradient for each parameter of the model."""
        run = self._start(device)
        run.target.cleargrads()
        loss = run.call()
        assert isinstance(loss, Variable), f"the target returns a {type(loss).__name__}; expected a Variable"
        assert loss.shape == (), f"the loss is of shape {loss.shape}; expected one number: ()"
        host = to_host(loss.array)
        assert host.dtype.kind == "f", f"the loss is of {host.dtype}; expected a floating-point number"
        assert np.isfinite(host), f"the loss is {host}"
        loss.backward()
        for path, param in run.model.namedparams():
            assert param.is_initialized, f"parameter {path} of the model is never used"
            assert param.grad is not None, f"parameter {path} of the model gets no gradient: the loss needs none of it"
            assert np.isfinite(to_host(param.grad)).all(), f"the gradient of parameter {path} is not finite"

    def test_batch_is_unchanged(self) -> None:
        """Computing the loss does not change the arrays of a batch: they may be the data set's own memory."""
        run = self._start()
        arguments = run.arguments()
        before = copy.deepcopy(arguments)
        for train in (True, False):
            with using_config("train", train):
                run.call(arguments)
            wrong = difference(arguments, before)
            assert not wrong, f"the arguments of the loss, after it was computed with train={train}: {wrong}"

    # --- training and evaluating ------------------------------------------------------------------------------------

    def test_training(self, device: Device) -> None:
        """Its updater changes everything that has an optimizer; parameters stay finite."""
        run = self._start(device)
        before = {name: saved_state(optimizer.target) for name, optimizer in run.optimizers.items()}
        for _ in range(3):
            run.update()
        for name, values in before.items():
            now = saved_state(run.optimizers[name].target)
            # A parameter may have got its shape in the last update.
            changed = any(path not in values or not np.array_equal(values[path], value) for path, value in now.items())
            assert changed, f"three updates change no parameter of {name!r}"
            finite = all(np.isfinite(value).all() for value in now.values() if value.dtype.kind == "f")
            assert finite, f"after three updates, a parameter of {name!r} is not finite"

    def test_figures(self, device: Device) -> None:
        """Training and evaluation report only its figures; evaluation reports the headline."""
        run = self._start(device)
        trained = run.update()
        evaluated = run.evaluate()
        declared = set(run.task.figures)
        for when, found in (("training", trained), ("evaluating", evaluated)):
            # `ap/cat` belongs to `ap`; values that links of the model report are not checked. The parts of the loss
            # may depend on the model: `rpn_cls_loss`.
            other = sorted(
                name for name in found if "/" not in name and not name.endswith("_loss") and name not in declared
            )
            assert not other, f"{when} reports {other[0]}, which is not among figures: {', '.join(sorted(declared))}"
            for name, value in found.items():
                assert math.isfinite(value) or "/" in name, f"{when} reports {name} as {value}"
        missing = sorted(declared - trained.keys() - evaluated.keys())
        assert not missing, f"figures names {missing[0]}, which neither training nor evaluating reports"
        assert run.task.headline in evaluated, (
            f"evaluating does not report the headline, {run.task.headline}, but {', '.join(sorted(evaluated))}"
        )

    def test_evaluating_changes_nothing(self) -> None:
        """A second evaluation gives the same figures, and does not change parameters and persistent values."""
        run = self._start()
        run.update()
        before = saved_state(run.target)
        first = run.evaluate()
        for name, value in run.evaluate().items():
            same = name in first and np.array_equal(value, first[name], equal_nan=True)
            assert same, f"evaluated again, {name} is {value}; it was {first.get(name, 'not there')}"
        for path, kept in saved_state(run.target).items():
            compare(kept, before[path], f"{path}, after evaluating,", exact=True)

    def test_training_goes_on_after_evaluating(self) -> None:
        """Evaluations during training do not change the resulting parameters, bit by bit."""
        right, run = self._start(), self._start()
        for _ in range(2):
            right.update()
            run.update()
            run.evaluate()
        right.update()
        run.update()
        for path, value in saved_state(right.target).items():
            compare(saved_state(run.target)[path], value, f"{path}, trained with evaluations in between,", exact=True)

    def test_saving_and_loading(self) -> None:
        """A new target with another model gives the same figures after loading a file."""
        run, loaded = self._start(), self._start(seed=1)
        run.update()
        right = run.evaluate()
        for name, optimizer in run.optimizers.items():
            save(self._out / f"{name}.npz", optimizer.target)
            try:
                load(self._out / f"{name}.npz", loaded.optimizers[name].target)
            except Exception as error:
                raise AssertionError(
                    f"the saved state of {name!r} cannot be loaded: {describe_error(error)}"
                ) from error
        for name, value in loaded.evaluate().items():
            same = np.array_equal(value, right[name], equal_nan=True)
            assert same, f"loaded from a file, {name} is {value} instead of {right[name]}"

    # --- using a trained network ------------------------------------------------------------------------------------

    def test_predict(self, device: Device) -> None:
        """For examples without labels, it returns a row for each, which can be written as JSON; or None."""
        run = self._start(device)
        for size in (3, 1):
            rows = run.predict(range(size))
            if rows is None:
                return
            assert isinstance(rows, list), f"predict returns a {type(rows).__name__}; expected a list of rows"
            assert len(rows) == size, f"predict gives {len(rows)} rows for {size} examples"
            for row in rows:
                named = isinstance(row, dict) and all(isinstance(name, str) for name in row)
                assert named, f"a row is {row!r}; expected a dictionary with names of columns"
                assert row, "a row is empty"
                try:
                    json.dumps(row)
                except (TypeError, ValueError) as error:
                    raise AssertionError(f"a row, {row!r}, cannot be written as JSON: {error}") from error

    def test_rows_belong_to_examples(self) -> None:
        """The prediction for an example does not depend on its place in the batch, and is repeatable."""
        run = self._start()
        order = [0, 1, 2, 3]
        rows = run.predict(order)
        if rows is None:
            return
        for others in (order, order[::-1]):
            again = run.predict(others)
            for place, number in enumerate(others):
                same = _alike(again[place], rows[number])
                assert same, (
                    f"the prediction for example {number}, at position {place}, is {again[place]}; it was "
                    f"{rows[number]}"
                )

    def test_samples(self) -> None:
        """`samples` and `generate` return text, images (N, C, H, W) or None; if unsupported, they raise RengaError."""
        run = self._start()
        run.update()
        asked: dict[str, Callable[[], Any]] = {
            "samples(target, examples)": lambda: run.task.samples(run.target, run.examples[:2]),
            "generate(target, None, 3)": lambda: run.task.generate(run.target, None, 3),
        }
        for what, ask in asked.items():
            try:
                with run.testing():
                    made = ask()
            except RengaError:
                continue
            except Exception as error:
                raise AssertionError(f"{what} raises {describe_error(error)}; expected a RengaError") from error
            shape = getattr(made, "shape", ())
            right = made is None or isinstance(made, str) or (isinstance(made, np.ndarray) and len(shape) == 4)
            kind = f"a {type(made).__name__}" + (f" of shape {tuple(shape)}" if shape else "")
            assert right, f"{what} returns {kind}; expected text, or images (N, C, H, W) on the host"

    def test_inference(self, device: Device) -> None:
        """The result of `inference` computes an output for each name, repeatably; or it raises a `RengaError`."""
        run = self._start(device)
        found = run.inference()
        if found is None:
            return
        for name, axes in found.axes.items():
            shape = found.inputs[name].shape if name in found.inputs else None
            assert shape is not None, (
                f"inference: axes are named for input {name!r}; the inputs are {', '.join(found.inputs)}"
            )
            assert max(axes, default=0) < len(shape), f"inference: {name} has shape {shape}, but axes names {axes}"
        with run.testing():
            first, again = (_arrays(found.network(*found.inputs.values())) for _ in range(2))
        names = ", ".join(found.outputs)
        assert len(first) == len(found.outputs), f"inference: {len(first)} outputs, but the names {names}"
        for name, a, b in zip(found.outputs, first, again, strict=True):
            compare(b, a, f"inference: output {name}, computed again,", exact=True)

    # --- helpers ----------------------------------------------------------------------------------------------------

    def _start(self, device: Device | None = None, seed: int = 0) -> _Run:
        return _Run(self, get_device("numpy") if device is None else device, seed)


class _Run:
    """A task, and the parts that it names."""

    def __init__(self, suite: TaskSuite, device: Device, seed: int) -> None:
        own = type(suite).make_model is not TaskSuite.make_model
        self._label, self._hint, self.device = suite.label, "" if own else f" ({SENTENCE})", device
        start_random(seed)
        self.task = suite.make()
        self.task.preprocessing = suite.preprocessing
        self.examples = suite.make_examples(self.task)
        self.batch_size = suite.batch_size
        self.model: Any = suite.make_model(seed)
        self.converter = registry("converter").load(self.task.converter)()
        with self._told("target(model)"):
            self.target: Any = self.task.target(self.model)
        if not isinstance(self.target, Link):
            return  # a separate test reports this
        self.target.to_device(device)
        with self.testing(), self.task.evaluating(self.target):
            self.call()  # parameters get their shapes
        self.optimizers = {name: Descent().setup(link) for name, link in self.task.optimized(self.target).items()}
        self._trainer: StepwiseRun | None = None
        self._out = str(suite._out)

    def arguments(self) -> Any:
        """A batch, converted."""
        return self.converter(self.examples[: self.batch_size], self.device)

    def call(self, arguments: Any = None) -> Any:
        """The loss of a batch."""
        start_random()
        arguments = self.arguments() if arguments is None else arguments
        with self._told("the target, called with a batch,"):
            if isinstance(arguments, tuple):
                return self.target(*arguments)
            return self.target(**arguments) if isinstance(arguments, Mapping) else self.target(arguments)

    def update(self) -> dict[str, float]:
        """Make one update with the task's updater; return the reported values, without ``main/``."""
        if self._trainer is None:
            given = self.optimizers["main"] if [*self.optimizers] == ["main"] else self.optimizers
            target = registry("updater").load(self.task.updater)
            known = supplied(target, {"device": self.device, "link": self.target})
            batches = Batches(self.examples, self.batch_size)
            with self._told(f"its updater, {self.task.updater},"):
                updater = target(batches, given, converter=self.converter, **known)
                self._trainer = StepwiseRun(self._out, updater=updater)
            self._trainer.reporter.add_observer("main", self.target)
        start_random(self._trainer.updater.iteration)
        with self._told(f"an update by its updater, {self.task.updater},"):
            self._trainer.update()
        return _plain(self._trainer.observation)

    def evaluate(self) -> dict[str, float]:
        """The figures, by the evaluator that the task names."""
        target = registry("evaluator").load(self.task.evaluator)
        offered = {
            "task": self.task,
            "converter": self.converter,
            "device": self.device,
            "train": self.examples,
            "communicator": registry(COMMUNICATOR).load("single")(),
        }
        start_random()
        with self._told(f"an evaluation by its evaluator, {self.task.evaluator},"):
            batches = Batches(self.examples, self.batch_size, repeat=False)
            return _plain(target(batches, self.target, **supplied(target, offered))())

    def predict(self, places: Sequence[int]) -> Any:
        """Return its prediction for examples without labels; None if it predicts nothing."""
        inputs = [self.examples[place] for place in places]
        inputs = [each[0] if isinstance(each, tuple) else each for each in inputs]
        start_random()
        try:
            with self.testing():
                return self.task.predict(self.target, self.converter(inputs, self.device))
        except RengaError:
            return None
        except Exception as error:
            raise AssertionError(
                f"{self._label}: predict, given {len(inputs)} inputs without labels, raises {describe_error(error)}"
            ) from error

    def inference(self) -> Any:
        """Return the result of `inference`; None if it raises RengaError."""
        arguments = self.arguments()
        try:
            with self.testing():
                return self.task.inference(self.target, arguments)
        except RengaError:
            return None
        except Exception as error:
            raise AssertionError(f"{self._label}: inference raises {describe_error(error)}") from error

    @contextmanager
    def testing(self) -> Iterator[None]:
        """Run like a trained network in use: in test mode, without a graph."""
        with using_config("train", False), using_config("enable_backprop", False):
            yield

    @contextmanager
    def _told(self, what: str) -> Iterator[None]:
        try:
            yield
        except Exception as error:
            raise AssertionError(f"{self._label}: {what} raises {describe_error(error)}{self._hint}") from error


def _arrays(results: Any) -> list[Any]:
    """The outputs of a network, on the host."""
    values = results.values() if isinstance(results, Mapping) else results
    return [to_host(getattr(each, "array", each)) for each in ([values] if isinstance(values, Variable) else values)]


def _plain(found: Mapping[str, Any]) -> dict[str, float]:
    """Figures as numbers, without ``main/``."""
    numbers = {}
    for name, value in found.items():
        value = value[0] if isinstance(value, tuple) else value
        value = getattr(value, "array", value)
        numbers[name.removeprefix("main/")] = float(to_host(value) if hasattr(value, "dtype") else value)
    return numbers


def _alike(one: Any, other: Any) -> bool:
    """Whether two values are equal, up to the last digits of numbers."""
    if isinstance(one, float) and isinstance(other, float):
        return math.isclose(one, other, rel_tol=1e-4, abs_tol=1e-5)
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(one[name], other[name]) for name in one)
    if isinstance(one, (list, tuple)) and isinstance(other, (list, tuple)):
        return len(one) == len(other) and all(map(_alike, one, other))
    return bool(one == other)
