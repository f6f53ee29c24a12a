"""`TriggerSuite`: the kit of triggers. How to write one: docs/how-to/write-a-trigger.md."""

from __future__ import annotations

from pathlib import Path
from typing import Any, ClassVar

from renga_core.kinds import TRIGGER
from renga_testing.saving import copy_state
from renga_testing.suites.stepwise_run import StepwiseRun
from renga_testing.suites.suite import ProviderSuite

__all__ = ["TriggerSuite"]


class TriggerSuite(ProviderSuite):
    """Tests of a trigger, in a short run (`stepwise_run`) that calls it once after each iteration.

    Attributes:
        iterations: Length of that run. With its `options`, the trigger must fire in this run at least once.
    """

    kind = TRIGGER
    iterations: ClassVar[int] = 24

    def test_answers(self, tmp_path: Path) -> None:
        """It can be created, returns a bool each iteration, and fires at least once."""
        answers = self._answers(tmp_path, self.make(), 0, self.iterations)
        wrong = [answer for answer in answers if not isinstance(answer, bool)]
        assert not wrong, f"{self.label} returns {wrong[0]!r}; expected True or False"
        assert any(answers), f"{self.label} does not fire in {self.iterations} iterations. {self.other_options}"

    def test_answers_depend_on_the_run_only(self, tmp_path: Path) -> None:
        """Two triggers with the same options fire at the same iterations of the same run."""
        one, other = (self._answers(tmp_path, self.make(), 0, self.iterations) for _ in range(2))
        assert one == other, f"{self.label}, created twice for the same run, fires {_times(one)} and {_times(other)}"

    def test_asked_in_any_iteration(self, tmp_path: Path) -> None:
        """It may be called for the first time in the middle of a run."""
        self._answers(tmp_path, self.make(), self.iterations // 2, self.iterations)

    def test_resume_equals_uninterrupted(self, tmp_path: Path) -> None:
        """A trigger that is saved and loaded at any iteration fires like one that was not."""
        right = self._answers(tmp_path, self.make(), 0, self.iterations)
        for cut in range(1, self.iterations):
            first = self.make()
            self._answers(tmp_path, first, 0, cut)
            resumed = self.make()
            _copy_state(first, resumed)
            got = right[:cut] + self._answers(tmp_path, resumed, cut, self.iterations)
            assert got == right, (
                f"{self.label}, resumed after iteration {cut}, fires {_times(got)}; "
                f"uninterrupted it fires {_times(right)}"
            )

    def test_saving_changes_nothing(self, tmp_path: Path) -> None:
        """Saving after each iteration does not change when it fires."""
        right = self._answers(tmp_path, self.make(), 0, self.iterations)
        saved, run, got = self.make(), StepwiseRun(str(tmp_path)), []
        for _ in range(self.iterations):
            run.update()
            got.append(saved(run))
            _copy_state(saved, self.make())
        assert got == right, (
            f"{self.label}, saved in each iteration, fires {_times(got)}; without saving it fires {_times(right)}"
        )

    def test_going_back(self, tmp_path: Path) -> None:
        """A saved state can be loaded into a trigger that has continued after saving."""
        right = self._answers(tmp_path, self.make(), 0, self.iterations)
        for cut in range(1, self.iterations):
            first, gone_on = self.make(), self.make()
            self._answers(tmp_path, first, 0, cut)
            self._answers(tmp_path, gone_on, 0, self.iterations)
            _copy_state(first, gone_on)
            got = right[:cut] + self._answers(tmp_path, gone_on, cut, self.iterations)
            assert got == right, (
                f"{self.label}, after going back to iteration {cut}, fires {_times(got)}; "
                f"uninterrupted it fires {_times(right)}"
            )

    def test_leaves_the_run_alone(self, tmp_path: Path) -> None:
        """A call does not change the run: only extensions may do so."""
        run, trigger = StepwiseRun(str(tmp_path)), self.make()
        for _ in range(self.iterations):
            run.update()
            observed, held = dict(run.observation), run.observation
            before = _parts(run)
            trigger(run)
            same = run.observation is held and held.keys() == observed.keys()
            same = same and all(held[key] is value for key, value in observed.items())
            assert same, f"{self.label} changes the observation, which other parts read"
            for name, part in _parts(run).items():
                assert part == before[name], f"{self.label} changes {name}, which does not belong to the trigger"

    def test_training_length(self) -> None:
        """As a stop trigger it returns the length of training, or None if it does not know it."""
        length: Any = getattr(self.make(), "get_training_length", lambda: None)()
        if length is not None:
            pair = isinstance(length, tuple) and len(length) == 2
            assert pair, f"get_training_length() is {length!r}; expected a pair, or None"
            assert length[1] in ("epoch", "iteration"), f"get_training_length() is {length!r}: no such unit"

    def _answers(self, out: Path, trigger: Any, first: int, last: int) -> list[Any]:
        """Its results after each iteration from `first` to `last`, without earlier calls."""
        run, answers = StepwiseRun(str(out)), []
        for iteration in range(last):
            run.update()
            if iteration >= first:
                answers.append(trigger(run))
        return answers


def _parts(run: StepwiseRun) -> dict[str, Any]:
    """Objects that a trigger must not change, by their names in messages."""
    return {
        "the number of the iteration": run.updater.iteration,
        "the stop trigger (trainer.stop_trigger)": run.stop_trigger,
        "the run's folder (trainer.out)": run.out,
        "whether the run is to stop": run.stopped,
    }


def _copy_state(source: Any, target: Any) -> None:
    if hasattr(source, "serialize"):
        copy_state(source, target)


def _times(answers: list[Any]) -> str:
    fired = [str(number) for number, answer in enumerate(answers, 1) if answer]
    return f"in {', '.join(fired)}" if fired else "never"
