import itertools
import json
import warnings
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_training.snapshots import Best, Newest, OneEvery, SnapshotFile


@dataclass(frozen=True)
class File:
    """A snapshot that says of itself what a test wants."""

    number: int
    elapsed_time: float | None = None
    value: float | None = None
    modified: int = 0

    @property
    def observation(self):
        return {} if self.value is None else {"loss": self.value, "accuracy": self.value}


def after_each_save(policy, files):
    """What is kept in the end, if what the policy does not choose is removed after each save."""
    kept = []
    for file in files:
        kept = [each for each in [file, *kept] if each is file or each in policy.choose([file, *kept])]
    return {each.number for each in policy.choose(kept)}


@given(st.integers(1, 9), st.integers(1, 20))
def test_the_newest(n, count):
    files = [File(number) for number in range(count)]
    assert after_each_save(Newest(n), files) == set(range(max(0, count - n), count))


@given(st.integers(1, 5), st.lists(st.integers(0, 6), min_size=1, max_size=20))
@pytest.mark.parametrize(("key", "mode", "sign"), [("loss", "auto", 1), ("accuracy", "auto", -1), ("loss", "max", -1)])
def test_the_best_of_all_that_have_been(key, mode, sign, n, values):
    files = [File(number, value=value) for number, value in enumerate(values)]
    ranked = sorted(range(len(values)), key=lambda i: (sign * values[i], i))
    assert after_each_save(Best(key, n, mode), files) == set(ranked[:n])


def test_what_has_no_value_or_nan_is_never_the_best():
    files = [File(0), File(1, value=float("nan")), File(2, value=3.0)]
    assert after_each_save(Best("loss", 3), files[2:]) == {2}
    assert [each.number for each in Best("loss", 3).choose(files[::-1])] == [2]


def test_a_value_that_nobody_reports_is_told():
    with pytest.warns(UserWarning, match=r"Best\('los'\) keeps no snapshot: .* newest contains accuracy, loss"):
        assert Best("los").choose([File(0, value=1.0)]) == []
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert Best("los").choose([]) == []


@given(st.floats(0.1, 5), st.lists(st.floats(0, 400), min_size=1, max_size=40))
@pytest.mark.parametrize("told", [True, False])
def test_one_every_so_many_minutes(told, minutes, steps):
    seconds = np.cumsum(steps).tolist()
    files = [
        File(i, elapsed_time=second if told else None, modified=0 if told else int(second * 1e9))
        for i, second in enumerate(seconds)
    ]
    kept = sorted(after_each_save(OneEvery(minutes), files))
    assert kept[0] == 0
    apart = 60 * minutes
    times = [seconds[i] if told else files[i].modified / 1e9 for i in range(len(files))]
    for one, other in itertools.pairwise(kept):
        assert times[other] - times[one] >= apart
        assert all(times[between] - times[one] < apart for between in range(one, other))
    assert all(times[i] - times[kept[-1]] < apart for i in range(kept[-1], len(times)))


def test_a_copied_folder_whose_files_have_one_time_keeps_what_was_kept():
    files = [File(i, elapsed_time=60.0 * i, modified=5) for i in range(10)]
    assert after_each_save(OneEvery(3), files) == {0, 3, 6, 9}


def test_what_a_trainer_s_file_says(tmp_path):
    state = {"updater/iteration": 7, "elapsed_time": 2.5, "observation": json.dumps({"loss": 0.5})}
    with open(tmp_path / "s", "wb") as file:
        np.savez(file, **state)
    found = SnapshotFile.at(tmp_path / "s", ())
    assert (found.progress, found.elapsed_time, found.observation) == ((7.0,), 2.5, {"loss": 0.5})
    assert SnapshotFile.at(tmp_path / "s", (3,)).progress == (3,)
    (tmp_path / "s").write_bytes(b"something else")
    found = SnapshotFile.at(tmp_path / "s", ())
    assert (found.progress, found.elapsed_time, dict(found.observation)) == (None, None, {})
    for path in (tmp_path / "not there", tmp_path):
        found = SnapshotFile.at(path, ())
        assert found.progress is None
        with pytest.raises(OSError, match=path.name):
            Best("loss").choose([found])
        with pytest.raises(OSError, match=path.name):
            OneEvery(1).choose([found])
    assert SnapshotFile(Path(tmp_path / "not there"), None).modified == 0


def test_mistakes():
    for make in (Newest, lambda n: Best("loss", n)):
        with pytest.raises(ValueError, match="at least one file, not 0"):
            make(0)
    with pytest.raises(ValueError, match="mode must be 'auto', 'min' or 'max', not 'best'"):
        Best("loss", mode="best")
    for minutes in (0, -1, float("nan")):
        with pytest.raises(ValueError, match="more than 0"):
            OneEvery(minutes)
