"""Whether ranks come back to what their set has saved."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_core.communicator import MismatchError
from renga_core.serializers import FileDamaged
from renga_distributed.extensions import multi_node_snapshot
from renga_distributed.extensions.multi_node_snapshot import _replica_sets
from renga_distributed.threads import launch
from renga_training.extensions import LogReport, snapshot


def run(make_trainer, tmp_path, size, stop, sets=(0,), seed=None, **options):
    """All trainers share a folder. Returns what each rank ends with."""

    def program(comm):
        trainer = make_trainer(comm, tmp_path, stop, seed=seed)
        trainer.out = str(tmp_path)
        if comm.rank == 0:
            trainer.extend(LogReport(filename=None))
        trainer.extend(multi_node_snapshot(comm, snapshot(autoload=True, **options), sets), trigger=(2, "iteration"))
        trainer.run()
        model = trainer.updater.get_optimizer("main").target
        return trainer.updater.iteration, model.w.array.item(), model.calls

    return launch(program, size)


def files(folder):
    return sorted(path.name for path in folder.iterdir())


def test_each_set_saves_once(make_trainer, tmp_path):
    run(make_trainer, tmp_path, 3, (4, "iteration"))
    assert files(tmp_path) == [f"snapshot_iter_{i}.{rank}" for i in (2, 4) for rank in (0, 1)]


def test_the_others_get_what_the_first_of_their_set_has_saved(make_trainer, tmp_path):
    before = run(make_trainer, tmp_path, 3, (4, "iteration"))
    resumed = run(make_trainer, tmp_path, 3, (4, "iteration"))
    assert resumed == [before[0], before[1], before[1]]
    assert before[1] != before[2]


def test_more_ranks_can_go_on(make_trainer, tmp_path):
    before = run(make_trainer, tmp_path, 2, (4, "iteration"))
    assert run(make_trainer, tmp_path, 4, (4, "iteration")) == [before[0], *3 * [before[1]]]


def test_resumed_as_not_interrupted(make_trainer, tmp_path):
    whole, parts = tmp_path / "whole", tmp_path / "parts"
    whole.mkdir()
    parts.mkdir()
    expected = run(make_trainer, whole, 2, (7, "iteration"), [0, 1])
    run(make_trainer, parts, 2, (4, "iteration"), [0, 1])
    assert run(make_trainer, parts, 2, (7, "iteration"), [0, 1]) == expected


def test_old_files_of_ones_own_are_removed(make_trainer, tmp_path):
    run(make_trainer, tmp_path, 2, (8, "iteration"), n_retains=1)
    assert files(tmp_path) == ["snapshot_iter_8.0", "snapshot_iter_8.1"]


def test_all_sets_go_on_from_the_newest_that_all_have(make_trainer, tmp_path):
    run(make_trainer, tmp_path, 2, (6, "iteration"))
    (tmp_path / "snapshot_iter_6.1").unlink()
    (tmp_path / "snapshot_iter_4.0").write_bytes(b"damaged")
    whole = run(make_trainer, tmp_path / "whole", 2, (8, "iteration"), n_retains=1)
    with pytest.warns(UserWarning, match="skipped") as caught:
        assert run(make_trainer, tmp_path, 2, (8, "iteration")) == whole
    said = "\n".join(str(warning.message) for warning in caught)
    for name in ("6.0", "4.0", "4.1"):
        assert f"snapshot_iter_{name}" in said


def test_the_suffix_of_the_name_says_the_format(make_trainer, tmp_path):
    pytest.importorskip("h5py")
    name = "{.updater.iteration}.h5"
    before = run(make_trainer, tmp_path, 2, (4, "iteration"), filename=name)
    assert run(make_trainer, tmp_path, 2, (4, "iteration"), filename=name) == [before[0], before[1]]


def test_sets_that_have_nothing_in_common_do_not_go_on(make_trainer, tmp_path):
    run(make_trainer, tmp_path, 2, (4, "iteration"))
    (tmp_path / "snapshot_iter_4.1").unlink()
    (tmp_path / "snapshot_iter_2.1").unlink()
    with pytest.raises(MismatchError, match="go on after iteration"):
        run(make_trainer, tmp_path, 2, (4, "iteration"))


def test_a_set_whose_files_are_all_damaged_is_told_to_all(make_trainer, tmp_path):
    run(make_trainer, tmp_path, 2, (2, "iteration"))
    (tmp_path / "snapshot_iter_2.1").write_bytes(b"damaged")
    with pytest.raises(FileDamaged, match=r"snapshot_iter_2\.1"):
        run(make_trainer, tmp_path, 2, (4, "iteration"))


def test_interrupted(make_trainer, tmp_path):
    class Stop(Exception):
        pass

    def program(comm):
        trainer = make_trainer(comm, tmp_path)
        trainer.out = str(tmp_path)
        trainer.extend(multi_node_snapshot(comm, snapshot(snapshot_on_error=True), []), trigger=(100, "iteration"))

        def stop(trainer):
            raise Stop

        trainer.extend(stop, trigger=(3, "iteration"))
        with pytest.raises(Stop):
            trainer.run(show_loop_exception_msg=False)

    launch(program, 2)
    assert files(tmp_path) == ["snapshot_iter_3.0"]


@given(st.integers(1, 8), st.data())
def test_sets_divide_the_ranks(size, data):
    ranks = data.draw(st.lists(st.integers(0, size - 1), unique=True))
    cut = data.draw(st.integers(0, len(ranks)))
    sets = _replica_sets([ranks[:cut], *ranks[cut:]], size)
    assert sorted(rank for one in sets for rank in one) == list(range(size))
    assert sets[0] == set(ranks[:cut])


@pytest.mark.parametrize("sets", [[0, 0], [[0, 1], [1, 2]], [3], [-1], [range(4)]])
def test_bad_sets(sets):
    with pytest.raises(ValueError, match="ranks from 0 to 2"):
        _replica_sets(sets, 3)


def test_loading_is_not_asked_for(make_trainer, tmp_path):
    def program(comm):
        trainer = make_trainer(comm, tmp_path, (2, "iteration"))
        trainer.out = str(tmp_path)
        trainer.extend(multi_node_snapshot(comm, snapshot(), [0]), trigger=(2, "iteration"))
        trainer.run()
        return trainer.updater.iteration, np.round(trainer.updater.epoch_detail, 3)

    assert launch(program, 2) == launch(program, 2) == [(2, 0.5)] * 2
