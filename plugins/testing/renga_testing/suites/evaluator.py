"""`EvaluatorSuite`: the kit of evaluators. How to write one: docs/how-to/write-an-evaluator.md."""

from __future__ import annotations

import copy
import math
from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from renga_core.backend import Device, get_device, to_host
from renga_core.configuration import config
from renga_core.graph import Variable
from renga_core.kinds import COMMUNICATOR
from renga_core.plugin import registry
from renga_core.plugin.state import describe_error
from renga_core.reporter import Reporter, report
from renga_core.training import Extension
from renga_testing.saving import saved_state
from renga_testing.suites.comparing import compare
from renga_testing.suites.examples import difference
from renga_testing.suites.global_state import start_random
from renga_testing.suites.stepwise_run import StepwiseRun
from renga_testing.suites.suite import ProviderSuite
from renga_testing.suites.training_parts import Batches, MeanSquares, OnPurpose, points, stack, supplied

__all__ = ["EvaluatorSuite"]

EXAMPLES = 10
BATCH_SIZE = 4
"""The last batch has 2 of the 10 examples, and must count for 2."""
TOLERANCE = 1e-5


class _Task:
    """A task with the attributes that evaluators use."""

    def evaluating(self, target: Any) -> AbstractContextManager[None]:
        """A context manager without effect."""
        return nullcontext()

    def summarize(self, means: Mapping[str, float]) -> Mapping[str, float]:
        """The means."""
        return means


class _Watch:
    """Records whether an evaluation runs inside `evaluating`; `summarize` computes a figure from the mean loss."""

    def __init__(self, task: Any) -> None:
        self.inside = False
        self._enter, self._summarize = task.evaluating, task.summarize
        task.evaluating, task.summarize = self._evaluating, self._and_root

    @contextmanager
    def _evaluating(self, target: Any) -> Iterator[None]:
        with self._enter(target):
            self.inside = True
            try:
                yield
            finally:
                self.inside = False

    def _and_root(self, means: Mapping[str, float]) -> Mapping[str, float]:
        return {**self._summarize(means), "root": math.sqrt(float(means["loss"]))}


class _Judged(MeanSquares):
    """Reports its loss and the recall of positive numbers, weighted by their count.

    In training mode it updates a running mean. `calls` records the mode of each call: train, enable_backprop, inside
    `evaluating`.
    """

    running: Any

    def __init__(self, watch: _Watch) -> None:
        super().__init__()
        self.watch = watch
        self.calls: list[tuple[bool, bool, bool]] = []
        self.error: Exception | None = None
        self.add_persistent("running", np.zeros((), np.float32))

    def forward(self, x: Any, t: Any) -> Variable:
        """The loss of points and numbers."""
        self.calls.append((config.train, config.enable_backprop, self.watch.inside))
        if self.error is not None:
            raise self.error
        if config.train:
            self.running = self.running + 1
        loss = super().forward(x, t)
        positive = t > 0
        found = positive & (self.predictor(Variable(x)).array > 0)
        number = int(to_host(positive.sum()))
        report({"found": (float(to_host(found.sum())) / max(number, 1), number)}, self)
        return loss


class EvaluatorSuite(ProviderSuite):
    """Tests of an evaluator: 10 examples in batches of 4, a link that reports its loss, and a task.

    It may report further figures.
    """

    kind = "evaluator"

    def make_task(self) -> Any:
        """A new task, for an evaluator with a parameter `task`; a subclass may add methods to it."""
        return _Task()

    @pytest.fixture(autouse=True)
    def _folder(self, tmp_path: Path) -> None:
        self._out = str(tmp_path)

    def test_what_it_is(self) -> None:
        """It is an `Extension` with a name."""
        made = self._start().evaluator
        assert isinstance(made, Extension), f"{self.label} makes a {type(made).__qualname__}; expected an Extension"
        name = made.default_name
        assert isinstance(name, str), f"its default_name is {name!r}; expected a text"
        assert name, "its default_name is empty"

    # --- figures ----------------------------------------------------------------------------------------------------

    def test_examples(self) -> None:
        """Each example is evaluated once, in each evaluation."""
        run = self._start()
        for time in ("", " for the second time"):
            run.converted.clear()
            run.evaluate()
            got = sorted(run.places())
            assert got == [*range(EXAMPLES)], (
                f"evaluating{time}, it reads the examples {got}; expected each of 0 to 9 once"
            )

    def test_figures(self, device: Device) -> None:
        """Reported values are means over examples, on each backend: a smaller last batch has less weight."""
        run = self._start(device)
        self._compare(run.evaluate(), "main/loss", run.loss(), "the mean over 10 examples")
        asked = "device" not in supplied(self.target, {"device": device}) or run.devices == {device}
        assert asked, f"batches are converted for {', '.join(map(str, run.devices))} instead of {device}"

    def test_weights(self) -> None:
        """A value reported as a pair (value, weight) has that weight in the mean."""
        run = self._start()
        positive, found = run.positive()
        what = f"{found} of {positive} found, where the weights are not the numbers of examples"
        self._compare(run.evaluate(), "main/found", found / positive, what)

    def test_task(self) -> None:
        """If it has a parameter `task`, it evaluates inside `task.evaluating`, and reports the result of
        `summarize`."""
        if "task" not in supplied(self.target, {"task": None}):
            return
        run = self._start()
        found = run.evaluate()
        inside = all(inside for _, _, inside in run.link.calls)
        assert inside, (
            "it calls the link outside of task.evaluating(target): a network with a state would lose its state"
        )
        self._compare(found, "main/root", math.sqrt(run.loss()), "the result of task.summarize for the mean loss")

    def test_names(self) -> None:
        """It returns and reports figures under ``main/``; an evaluator with a name, under that name."""
        run = self._start()
        for name, prefix in ((None, "main/"), ("validation", "validation/main/"), ("other", "other/main/")):
            run.evaluator.name = name
            reporter = Reporter()
            with reporter:
                found = run.evaluate()
            wrong = [key for key in found if not key.startswith(prefix)]
            assert not wrong, f"with the name {name}, it returns {wrong[0]}; expected names that begin with {prefix}"
            assert f"{prefix}loss" in found, f"with the name {name}, it returns no {prefix}loss, but {sorted(found)}"
            assert {*reporter.observation} == {*found}, (
                f"it returns {sorted(found)} and reports {sorted(reporter.observation) or 'nothing'}; expected the same"
            )
            for key, value in found.items():
                plain = not isinstance(value, Variable) and _number(value).ndim == 0
                assert plain, f"{key} is a {type(value).__name__}; expected a number"

    def test_again(self) -> None:
        """A second evaluation gives the same figures."""
        run = self._start()
        first = run.evaluate()
        for key, value in run.evaluate().items():
            same = key in first and np.array_equal(_number(value), _number(first[key]), equal_nan=True)
            assert same, f"evaluating again, {key} is {value}; it was {first.get(key, 'not there')}"

    # --- what it must not change
    # ---------------------------------------------------------------------------------------

    def test_mode(self) -> None:
        """The link is called in test mode, without a graph; the training mode is restored."""
        run = self._start()
        run.evaluate()
        assert run.link.calls, "it does not call the link"
        for train, backprop, _ in run.link.calls:
            assert not train, "it calls the link in training mode: config.train is True"
            assert not backprop, "it calls the link while a graph is built: config.enable_backprop is True"

    def test_changes_nothing(self) -> None:
        """Parameters, gradients, persistent values and examples do not change."""
        run = self._start()
        run.link.cleargrads()
        run.link(*stack(run.examples)).backward()
        before, examples = _kept(run.link), copy.deepcopy(run.examples)
        run.evaluate()
        for path, value in _kept(run.link).items():
            compare(value, before[path], f"{path}, after an evaluation,", exact=True)
        for number, example in enumerate(run.examples):
            wrong = difference(example, examples[number])
            assert not wrong, f"example {number}, after an evaluation: {wrong}"

    # --- in a run ---------------------------------------------------------------------------------------------------

    def test_in_a_run(self) -> None:
        """A trainer calls it, and gets the figures under its name."""
        run = self._start()
        trainer = StepwiseRun(self._out, extension=run.evaluator)
        try:
            run.evaluator.initialize(trainer)
            trainer.update()
            trainer.call()
        except Exception as error:
            raise AssertionError(f"{self.label}, called by a trainer, raises {describe_error(error)}") from error
        key = f"{run.evaluator.name}/main/loss"
        assert key in trainer.observation, f"in a trainer, it reports {sorted(trainer.observation)}, without {key}"
        self._compare(trainer.observation, key, run.loss(), "the mean over 10 examples")

    def test_error(self) -> None:
        """An error of the link is raised; the next evaluation is correct."""
        run = self._start()
        run.link.error = OnPurpose("this batch is damaged")
        try:
            run.evaluate()
        except OnPurpose:
            pass
        else:
            raise AssertionError("the link raises an error, but the evaluator does not")
        run.link.error = None
        self._compare(run.evaluate(), "main/loss", run.loss(), "the mean over 10 examples, after an error")

    def test_finalize(self) -> None:
        """It finalizes its iterator, at any time, and may be finalized twice."""
        for evaluations in (0, 1):
            run = self._start()
            for _ in range(evaluations):
                run.evaluate()
            for time in ("", " a second time"):
                try:
                    run.evaluator.finalize()
                except Exception as error:
                    raise AssertionError(f"finalize(), called{time}, raises {describe_error(error)}") from error
            assert run.iterator.finalized, "finalize() does not finalize the iterator: its processes would stay"

    # --- helpers ----------------------------------------------------------------------------------------------------

    def _start(self, device: Device | None = None) -> _Run:
        return _Run(self, get_device("numpy") if device is None else device)

    def _compare(self, found: Mapping[str, Any], key: str, right: float, what: str) -> None:
        assert key in found, f"it reports {sorted(found) or 'nothing'}, without {key}"
        got = float(_number(found[key]))
        assert got == pytest.approx(right, rel=TOLERANCE), f"{key} is {got:.6g}; {what} is {right:.6g}"


class _Run:
    """An evaluator with its link and data."""

    def __init__(self, suite: EvaluatorSuite, device: Device) -> None:
        self.examples = points(EXAMPLES)
        self.iterator = Batches(self.examples, BATCH_SIZE, repeat=False)
        task = suite.make_task()
        self.link = _Judged(_Watch(task))
        self.link.to_device(device)
        self.converted: list[Any] = []
        self.devices: set[Any] = set()
        offered = {
            "task": task,
            "converter": self._convert,
            "device": device,
            "train": points(EXAMPLES),
            "communicator": registry(COMMUNICATOR).load("single")(),
        }
        known = supplied(suite.target, offered)
        try:
            self.evaluator: Any = suite.target(self.iterator, self.link, **known, **suite.options)
        except Exception as error:
            raise AssertionError(
                f"{suite.label} cannot be made with an iterator, a link{''.join(f', {name}=' for name in known)} and "
                f"options {dict(suite.options)}: {describe_error(error)}"
            ) from error
        self._label = suite.label
        # An evaluator that converts batches itself shows only which examples it reads.
        assert "converter" in known, f"{suite.label} has no parameter `converter`, which a task needs to set"

    def evaluate(self) -> dict[str, Any]:
        """Evaluate without a trainer; the seed of random numbers is the same each time."""
        start_random()
        try:
            found = self.evaluator()
        except OnPurpose:
            raise
        except Exception as error:
            raise AssertionError(f"{self._label}, called without a trainer, raises {describe_error(error)}") from error
        assert isinstance(found, Mapping), f"{self._label}, called, returns {found!r}; expected the figures by name"
        return dict(found)

    def places(self) -> list[int]:
        """Which examples were converted."""
        numbers = {id(example): place for place, example in enumerate(self.examples)}
        return [numbers[id(example)] for example in self.converted]

    def loss(self) -> float:
        """The mean of the squared errors of all examples."""
        return float(((self._scores() - self._numbers()) ** 2).mean())

    def positive(self) -> tuple[int, int]:
        """Number of positive examples, and number of these that the link finds."""
        positive = self._numbers() > 0
        return int(positive.sum()), int((positive & (self._scores() > 0)).sum())

    def _scores(self) -> Any:
        layer = self.link.predictor
        W, b = (to_host(param.array).astype(np.float64) for param in (layer.W, layer.b))
        return np.stack([x for x, _ in self.examples]).astype(np.float64) @ W + b

    def _numbers(self) -> Any:
        return np.stack([t for _, t in self.examples]).astype(np.float64)

    def _convert(self, batch: list[Any], device: Device | str | None = None) -> tuple[Any, ...]:
        self.converted += batch
        self.devices.add(None if device is None else get_device(device))
        return stack(batch, device)


def _number(value: Any) -> Any:
    return np.asarray(to_host(value) if hasattr(value, "dtype") else value)


def _kept(link: Any) -> dict[str, Any]:
    """Parameters, persistent values, and gradients."""
    gradients = {f"gradient of {path}": to_host(param.grad).copy() for path, param in link.namedparams()}
    return {**saved_state(link), **gradients}
