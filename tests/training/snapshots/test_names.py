from types import SimpleNamespace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_training.snapshots import SnapshotNames, with_rank

CHECKPOINT = SnapshotNames("run.0.{iteration}", "run.{rank}.{iteration}")


@given(st.integers(0, 10**9), st.integers(0, 500))
def test_what_is_written_is_read(iteration, rank):
    for names in (CHECKPOINT, SnapshotNames("s_{iteration}.npz", "rank{rank}_of_s_{iteration}.npz")):
        assert names.parse(names.of_iteration(iteration, rank)) == (rank, (iteration,))


@given(st.integers(0, 10**9), st.integers(0, 10**4), st.floats(0, 1e6))
@pytest.mark.parametrize(
    ("filename", "progress"),
    [
        ("snapshot_iter_{.updater.iteration}", lambda i, e, d: (i,)),
        ("{.updater.iteration:05}", lambda i, e, d: (i,)),
        ("epoch{0.updater.epoch}_of_{0.updater.iteration:,}.npz", lambda i, e, d: (i,)),
        ("e{.updater.epoch}", lambda i, e, d: (e,)),
        ("{0.updater.epoch_detail}", lambda i, e, d: (d,)),
        ("{0.updater.iteration}_{0.updater.iteration}", lambda i, e, d: (i,)),
        ("{{}}_{iteration}.(x)", lambda i, e, d: (i,)),
        ("latest", lambda i, e, d: ()),
    ],
)
def test_names_of_a_trainer(filename, progress, iteration, epoch, detail):
    updater = SimpleNamespace(iteration=iteration, epoch=epoch, epoch_detail=detail)
    names = SnapshotNames(filename)
    assert names.parse(names.of_trainer(SimpleNamespace(updater=updater))) == (0, progress(iteration, epoch, detail))


@pytest.mark.parametrize(
    "name", ["run.0.0004", "run.0.３０", "run.00.4", "run.1", "arun.0.4", "run.0.4.tmp", "run.0.-1"]
)
def test_what_only_looks_like_one(name):
    assert CHECKPOINT.parse(name) is None


def test_hidden_files_are_none_unless_they_are_meant():
    """What is being written is hidden, and so is the lock of the folder."""
    names = SnapshotNames("{.observation}")
    assert names.parse("x") == (0, ())
    assert names.parse(".x.0123abcd.tmp") is None
    assert names.parse(".run.lock") is None
    assert SnapshotNames(".s_{iteration}").parse(".s_3") == (0, (3,))


def test_where_each_rank_saves_by_itself():
    assert with_rank("s_{.updater.iteration}", 2) == "s_{.updater.iteration}.2"
    assert with_rank(lambda trainer: f"at_{trainer}", 2)("x") == "at_x.2"
