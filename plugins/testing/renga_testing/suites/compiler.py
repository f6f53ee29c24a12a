"""`CompilerSuite`: the kit of compilers."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, ClassVar

import numpy as np

from renga_core import random
from renga_core.backend import get_backend
from renga_core.configuration import config, unusual, using_config
from renga_core.graph import Parameter, Variable, as_variable, no_backprop_mode
from renga_core.link.link_hook import get_link_hooks
from renga_testing.suites.compiler_steps import HARD_STEPS, Labels, Training, batch
from renga_testing.suites.suite import ProviderSuite, needs

__all__ = ["CompilerSuite"]

_CALLS = 20  # enough calls for a compiler to record, compare and check again


class CompilerSuite(ProviderSuite):
    """Tests of a compiler: short training runs on NumPy arrays, compared with and without the compiler."""

    kind = "compiler"
    extras: ClassVar[Mapping[str, str]] = {
        "same_bits": "results equal those of the step bit by bit; without this, they may differ by 16 units in the "
        "last place"
    }

    @classmethod
    def parameters(cls) -> Mapping[str, Iterable[Any]]:
        """Steps that are hard to compile."""
        return {"hard": HARD_STEPS}

    def compiled(self, step: Callable[..., Any]) -> Any:
        """Compile a step."""
        return self.target(step, **self.options)

    def test_what_it_returns(self) -> None:
        """The attributes: the step itself, a sentence about the last call, and the program as text."""
        training = Training()
        compiled = self.compiled(training.step)
        compiled(batch(0))
        assert compiled.step == training.step, f"{self.label}: `step` is {compiled.step!r}, not the compiled step"
        self._explained(compiled, "after a call")
        assert isinstance(compiled.source, str), f"{self.label}: `source` is {compiled.source!r}; expected text"

    def test_trains_as_the_step(self) -> None:
        """Losses, parameters, gradients and side effects equal those without the compiler."""
        self._compare(lambda training: [training.step(batch(n)).array for n in range(_CALLS)])

    @needs("same_bits")
    def test_same_bits(self) -> None:
        """Losses, parameters, gradients and side effects are bitwise equal."""
        self._compare(lambda training: [training.step(batch(n)).array for n in range(_CALLS)], ulps=0)

    def test_shapes_in_turn(self) -> None:
        """Batches of several shapes, in turn, give the correct results."""
        self._compare(lambda training: [training.step(batch(n, 2 + n % 3)).array for n in range(2 * _CALLS)])

    def test_memory_order(self) -> None:
        """Arrays with other memory layouts give the correct results."""

        def run(training: Training) -> list[Any]:
            return [
                training.step(np.asfortranarray(batch(n)) if n % 2 else batch(n)[::-1]).array for n in range(_CALLS)
            ]

        self._compare(run)

    def test_hyperparameters_are_read_in_each_call(self) -> None:
        """A changed learning rate takes effect at the next call."""

        def run(training: Training) -> list[Any]:
            losses = []
            for n in range(_CALLS):
                training.optimizer.rate = 0.01 / (n + 1)
                losses.append(training.step(batch(n)).array)
            return losses

        self._compare(run)

    def test_configuration_of_each_call(self) -> None:
        """Training and test mode, with and without graphs, give the correct results."""

        def run(training: Training) -> list[Any]:
            forward = training.network if training.step == training._step else self.compiled(training.network)
            losses = []
            for n in range(_CALLS):
                with using_config("train", n % 2 == 0), using_config("enable_backprop", n % 3 == 0):
                    losses.append(forward(batch(n)).array)
            return losses

        self._compare(run)

    def test_parameters_changed_between_calls(self) -> None:
        """The next call sees changes of parameters between calls."""

        def run(training: Training) -> list[Any]:
            losses = []
            for n in range(_CALLS):
                losses.append(training.step(batch(n)).array)
                training.network.b.array = np.full(3, n, np.float32)
                if n % 3 == 0:
                    training.network.cleargrads()
            return losses

        self._compare(run)

    def test_results_stay_what_they_are(self) -> None:
        """A later call does not change earlier results."""
        w = Parameter(np.ones(4, np.float32))
        step = self.compiled(lambda x: (as_variable(x) * w, x))
        with no_backprop_mode():
            results = [step(batch(n)) for n in range(_CALLS)]
        for n, (y, x) in enumerate(results):
            for name, array in (("a computed array", y.array), ("an argument", x)):
                same = np.array_equal(array, batch(n))
                assert same, f"{self.label}: {name} that call {n} returned was changed by a later call"

    def test_arguments_are_left_alone(self) -> None:
        """It does not write into arrays that it is given."""
        training, x = Training(self.compiled), batch(0)
        for _ in range(_CALLS):
            training.step(x)
        assert np.array_equal(x, batch(0)), f"{self.label} changes an argument of the step"

    def test_arguments_of_all_kinds(self) -> None:
        """Arguments may be numbers, None, texts, Variables, and arrays in tuples and lists."""

        def step(x: Any, pair: Any, factor: Any, *others: Any) -> Any:
            a, (b,) = pair
            y = (as_variable(x) * a + b) * factor
            return [(y.sum() if others[0] is None else y).array, others[1]]

        arguments = [
            (batch(0), (batch(1), [batch(2)]), 2.0, None, "text"),
            (Variable(batch(0)), (batch(1), [batch(2)]), 3, "", True),
            (batch(0), (Variable(batch(1)), [1.5]), 0.5, None, 7),
        ]
        compiled = self.compiled(step)
        for n in range(3 * _CALLS):
            given = arguments[n % 3]
            for mine, right in zip(compiled(*given), step(*given), strict=True):
                self._equal(mine, right, f"call {n}, with arguments {[type(each).__name__ for each in given]}")

    def test_falls_back(self, hard: str) -> None:
        """If the step cannot be compiled, it runs uncompiled, and `explain` gives the reason."""
        mine, right = HARD_STEPS[hard](), HARD_STEPS[hard]()
        compiled = self.compiled(mine)
        for n in range(_CALLS):
            where = f"call {n} of a step with {hard}"
            self._equal_results(compiled(batch(n)), right(batch(n)), where)
            self._explained(compiled, where)

    def test_errors_pass(self) -> None:
        """An error in the step is raised by the call; the next call is correct again."""

        def run(training: Training) -> list[Any]:
            losses: list[Any] = []
            for n in range(_CALLS):
                try:
                    losses.append(training.step(batch(n) * (1000 if n % 4 == 3 else 1)).array)
                except ValueError as error:
                    losses.append(np.asarray(len(str(error))))
            return losses

        self._compare(run)
        self._nothing_left("an error")

    def test_interrupts_pass(self) -> None:
        """Ctrl-C ends any call, and leaves no partial state."""
        w, calls, interrupts = Parameter(np.ones(4, np.float32)), [], {1, 2, 3, 5}

        def step(x: Any) -> Any:
            calls.append(1)
            y = (as_variable(x) * w).sum()
            if len(calls) in interrupts:
                raise KeyboardInterrupt
            return y.array

        compiled, interrupted = self.compiled(step), 0
        for n in range(_CALLS):
            try:
                self._equal(
                    compiled(batch(n)),
                    np.asarray(batch(n).sum()),
                    f"call {n}, after {interrupted} that Ctrl-C has ended",
                )
            except KeyboardInterrupt:
                interrupted += 1
                self._nothing_left("Ctrl-C")
                assert type(w._array) is type(w.array) is np.ndarray, (
                    f"{self.label} leaves its own object in a parameter"
                )
        assert interrupted, f"{self.label}: a KeyboardInterrupt in the step does not end the call"

    def test_hooks_see_functions(self) -> None:
        """A function hook sees the same functions as without a compiler."""
        seen = []
        for compiled in (True, False):
            training = Training(self.compiled) if compiled else Training()
            for n in range(_CALLS):
                training.step(batch(n))
            labels = Labels()
            with labels:
                training.step(batch(0))
            seen.append(labels.seen)
        assert seen[0] == seen[1], f"{self.label}: a function hook sees {seen[0]}; without a compiler it sees {seen[1]}"

    def test_threads(self) -> None:
        """Several threads, with their own steps or a shared one, compute the same as a single thread."""
        shared = Parameter(np.ones(4, np.float32))

        def forward(x: Any) -> Any:
            return (as_variable(x) * shared).sum().array

        one_for_all = self.compiled(forward)
        with using_config("train", False):
            right = [Training().step(batch(0)).array]
        wrong: list[str] = []

        def work(number: int) -> None:
            try:
                config.train = False
                for n in range(_CALLS):
                    training = Training(self.compiled) if number % 2 else Training()
                    for call in range(4):
                        loss = training.step(batch(call)).array
                        if call == 0 and abs(loss - right[0]) > 1e-5 * abs(right[0]):
                            wrong.append(f"a loss is {loss} instead of {right[0]}")
                    with no_backprop_mode():
                        found = one_for_all(batch(n))
                    if abs(found - batch(n).sum()) > 1e-4:
                        wrong.append(f"a sum is {found} instead of {batch(n).sum()}")
            except BaseException as error:
                wrong.append(repr(error))

        threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        unusual.difference_update([entry for entry in unusual if entry[0] in {t.ident for t in threads}])
        assert not wrong, f"{self.label}, in one of four threads: {wrong[0]}"

    # --- comparing ----------------------------------------------------------------------------------------------------

    def _compare(self, run: Callable[[Training], list[Any]], ulps: int = 16) -> None:
        random.generator(get_backend(batch(0)))
        start, outcomes = random.get_state(), []
        for compiled in (True, False):
            with random.replaying(start):
                training = Training(self.compiled) if compiled else Training()
                outcomes.append((run(training), training.state()))
        (losses, state), (right_losses, right_state) = outcomes
        for n, (mine, right) in enumerate(zip(losses, right_losses, strict=True)):
            self._equal(mine, right, f"the result of call {n}", ulps)
        names = ["a parameter"] * 3 + ["a gradient"] * 3 + ["the value that a side effect changes"]
        for name, mine, right in zip(names, state, right_state, strict=True):
            self._equal(mine, right, f"{name} after {len(losses)} calls", ulps)

    def _equal_results(self, mine: Any, right: Any, where: str) -> None:
        if isinstance(right, Variable) and right.creator is not None:
            mine.backward()
            right.backward()
        if isinstance(right, dict):
            assert isinstance(mine, dict), f"{self.label}: {where} returns {mine!r} instead of {right!r}"
            for key, value in right.items():
                self._equal(mine[key], value, where)
        else:
            self._equal(mine, right, where)

    def _equal(self, mine: Any, right: Any, where: str, ulps: int = 16) -> None:
        mine, right = getattr(mine, "array", mine), getattr(right, "array", right)
        if right is None or isinstance(right, (str, bool)):
            assert mine is right or mine == right, f"{self.label}: {where}: {mine!r} instead of {right!r}"
            return
        kinds = np.shape(mine) == np.shape(right) and isinstance(mine, np.ndarray) == isinstance(right, np.ndarray)
        assert kinds, f"{self.label}: {where}: {_described(mine)} instead of {_described(right)}"
        scale = np.abs(right).max(initial=0) if np.ndim(right) else abs(right)
        near = np.abs(np.subtract(mine, right)).max(initial=0) if np.ndim(right) else abs(mine - right)
        allowed = ulps * np.finfo(np.float32).eps * scale
        assert near <= allowed, f"{self.label}: {where} differs by {float(near):.2g} from the value without a compiler"

    def _explained(self, compiled: Any, where: str) -> None:
        said = compiled.explain()
        assert isinstance(said, str), f"{self.label}: explain(), {where}, returns {said!r}; expected a sentence"
        assert said.strip(), f"{self.label}: explain(), {where}, returns an empty text"

    def _nothing_left(self, after: str) -> None:
        left = [
            *vars(config).get("tracers", ()),
            *config.choice_tracers,
            *get_link_hooks(),
            *(config.function_hooks or ()),
        ]
        assert not left, f"{self.label} leaves {left[0]!r} behind after {after}"


def _described(value: Any) -> str:
    return f"{type(value).__name__} of shape {np.shape(value)}"
