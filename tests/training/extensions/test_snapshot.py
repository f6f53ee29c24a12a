import os
import re
import signal

import pytest
from json_format import Saved

from renga_serializers.hdf5 import save_hdf5
from renga_serializers.npz import load_npz, save_npz
from renga_serializers.tensors import save_safetensors
from renga_training.extensions import snapshot, snapshot_object


def names(folder):
    return sorted(os.listdir(folder))


def test_an_object_under_a_name_with_fields(trainer, tmp_path):
    extension = snapshot_object(Saved(5), "at_{.updater.iteration:04}")
    assert (extension.trigger, extension.priority, extension.default_name) == ((1, "epoch"), -100, "snapshot")
    trainer.go_to(12)
    extension(trainer)
    assert names(tmp_path) == ["at_0012"]
    load_npz(tmp_path / "at_0012", loaded := Saved())
    assert loaded.value == 5


def test_the_newest_are_retained_and_nothing_else_is_touched(trainer, tmp_path):
    (tmp_path / "snapshot_iter_x.txt.bak").touch()
    (tmp_path / "other").touch()
    extension = snapshot(target=Saved(), n_retains=2, filename="s_{.updater.iteration}")
    for iteration in (8, 9, 10, 11):
        trainer.go_to(iteration)
        extension(trainer)
    assert names(tmp_path) == ["other", "s_10", "s_11", "snapshot_iter_x.txt.bak"]


NAMES = [
    "snapshot_iter_{.updater.iteration}",
    "{.updater.iteration:05}",
    "epoch{0.updater.epoch}_of_{0.updater.iteration:,}.npz",
    "{0.updater.epoch_detail:.3f}",
]


def test_a_folder_of_such_a_name_is_left_alone(trainer, tmp_path):
    """An unpacked snapshot, for instance."""
    (tmp_path / "snapshot_iter_1").mkdir()
    extension = snapshot(target=Saved(), n_retains=1)
    for iteration in (2, 4):
        trainer.go_to(iteration)
        extension(trainer)
    assert names(tmp_path) == ["snapshot_iter_1", "snapshot_iter_4"]


def set_clock(path, year):
    """As if the clock had been set so when the file was written."""
    stamp = (year - 1970) * 365 * 86400
    os.utime(path, (stamp, stamp))


@pytest.mark.parametrize("filename", NAMES)
@pytest.mark.parametrize("n_retains", [1, 2])
def test_what_was_just_saved_is_never_removed_whatever_the_clock_says(trainer, tmp_path, filename, n_retains):
    """A clock that was set back, or a folder from another machine: old files had a later time, and new ones went."""
    extension = snapshot(target=(target := Saved()), filename=filename, n_retains=n_retains, autoload=True)
    written = []
    for iteration in (8, 9, 10, 11):
        trainer.go_to(iteration)
        target.value = iteration
        extension(trainer)
        written.append(filename.format(trainer))
        set_clock(tmp_path / written[-1], 2040 - iteration)
        assert names(tmp_path) == sorted(written[-n_retains:])
    target.value = 0
    extension.resume(trainer)
    assert target.value == 11
    resumed = snapshot(target=target, filename=filename, n_retains=n_retains)
    trainer.go_to(1000)
    resumed(trainer)
    written.append(filename.format(trainer))
    assert names(tmp_path) == sorted(written[-n_retains:])


def test_what_a_run_has_gone_back_from_does_not_count(trainer, tmp_path):
    """A run that goes on from an earlier file, by hand, or begins anew: its own files are the newest."""
    extension = snapshot(target=(target := Saved()), n_retains=2, autoload=True)
    for iteration in (50, 60):
        trainer.go_to(iteration)
        extension(trainer)
    trainer.go_to(55)
    extension(trainer)
    assert names(tmp_path) == ["snapshot_iter_50", "snapshot_iter_55"]
    assert target.value == 0


def test_an_iteration_that_is_not_in_the_name_is_in_the_file(trainer, tmp_path):
    class TrainerLike:
        def serialize(self, serializer):
            serializer["updater"]("iteration", trainer.updater.iteration)
            target.serialize(serializer)

    target = Saved()
    extension = snapshot(target=TrainerLike(), filename="loss_{.loss}", n_retains=2, autoload=True)
    for iteration, loss in ((8, 3), (9, 1), (10, 2)):
        trainer.go_to(iteration)
        trainer.loss = target.value = loss
        extension(trainer)
        set_clock(tmp_path / f"loss_{loss}", 2040 - iteration)
    assert names(tmp_path) == ["loss_1", "loss_2"]
    target.value = 0
    extension.resume(trainer)
    assert target.value == 2


def test_where_there_is_nothing_but_the_time_it_is_made_right(trainer, tmp_path):
    (tmp_path / "loss_7").touch()
    set_clock(tmp_path / "loss_7", 2040)
    extension = snapshot(target=(target := Saved()), filename="loss_{.loss}", n_retains=2, autoload=True)
    for loss in (9, 8, 1):
        trainer.loss = target.value = loss
        extension(trainer)
    assert names(tmp_path) == ["loss_1", "loss_8"]
    target.value = 0
    extension.resume(trainer)
    assert target.value == 1


@pytest.mark.parametrize(
    ("save", "library"), [(save_npz, "zlib"), (save_hdf5, "h5py"), (save_safetensors, "safetensors")]
)
def test_in_each_format_what_is_damaged_leads_to_the_one_before(trainer, tmp_path, save, library):
    pytest.importorskip(library)
    extension = snapshot(save, target=(target := Saved()), n_retains=3, autoload=True)
    for iteration in (8, 9, 10, 11):
        trainer.go_to(iteration)
        target.value = iteration
        extension(trainer)
    content = bytearray((tmp_path / "snapshot_iter_11").read_bytes())
    content[len(content) // 3 : len(content) * 2 // 3] = bytes(len(content) * 2 // 3 - len(content) // 3)
    (tmp_path / "snapshot_iter_11").write_bytes(content)
    (tmp_path / "snapshot_iter_10").unlink()
    (tmp_path / "snapshot_iter_10").mkdir()
    target.value = 0
    with pytest.warns(UserWarning, match="skipped a snapshot") as caught:
        extension.resume(trainer)
    assert target.value == 9
    (warning,) = caught
    for part in ("snapshot_iter_11: damaged", "snapshot_iter_10", "Resuming from", "snapshot_iter_9"):
        assert part in str(warning.message)


def test_what_is_damaged_is_not_retained_in_the_place_of_what_is_whole(trainer, tmp_path):
    extension = snapshot(target=Saved(), n_retains=2, autoload=True)
    for iteration in (10, 20):
        trainer.go_to(iteration)
        extension(trainer)
    (tmp_path / "snapshot_iter_20").write_bytes(b"damaged")
    resumed = snapshot(target=Saved(), n_retains=2, autoload=True)
    with pytest.warns(UserWarning, match="snapshot_iter_20: damaged"):
        resumed.resume(trainer)
    trainer.go_to(25)
    resumed(trainer)
    assert names(tmp_path) == ["snapshot_iter_10", "snapshot_iter_25"]


def test_without_autoload_nothing_is_loaded(trainer):
    snapshot(target=Saved(3))(trainer)
    fresh = Saved()
    snapshot(target=fresh).resume(trainer)
    assert fresh.value == 0


def test_condition(trainer, tmp_path):
    snapshot(target=Saved(), condition=lambda: False)(trainer)
    assert names(tmp_path) == []


def test_a_way_of_ones_own_to_save_is_atomic_too(trainer, tmp_path):
    snapshot_object(Saved(3), "s", lambda path, obj: path.write_text(str(obj.value)))(trainer)
    assert (tmp_path / "s").read_text() == "3"

    def fail(path, obj):
        path.write_text("half")
        raise OSError("disk full")

    with pytest.raises(OSError, match="disk full"):
        snapshot_object(Saved(4), "s", fail)(trainer)
    assert (tmp_path / "s").read_text() == "3"
    assert names(tmp_path) == ["s"]


@pytest.mark.parametrize(
    ("make", "options", "on_error", "on_interrupt"),
    [
        (snapshot, {}, False, True),
        (snapshot, {"snapshot_on_error": True, "snapshot_on_interrupt": False}, True, False),
        (lambda **o: snapshot_object(filename="s", **o), {}, False, False),
    ],
)
def test_on_error_and_on_interrupt(trainer, tmp_path, make, options, on_error, on_interrupt):
    extension = make(target=Saved(), **options)
    extension.on_error(trainer, ValueError(), None)
    assert bool(names(tmp_path)) == on_error
    for name in names(tmp_path):
        (tmp_path / name).unlink()
    extension.on_interrupt(trainer)
    assert bool(names(tmp_path)) == on_interrupt


def test_leftovers_of_killed_runs_are_removed_and_nothing_is_hidden_twice(trainer, tmp_path):
    def kill(path, obj):
        save_npz(path, obj)
        os.kill(os.getpid(), signal.SIGKILL)

    trainer.go_to(7)
    child = os.fork()
    if child == 0:
        snapshot(kill, target=Saved())(trainer)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    left = names(tmp_path)
    assert [re.sub("[0-9a-f]{8}", "*", name) for name in left] == [
        ".snapshot_iter_7.*.tmp",
        ".snapshot_iter_7.*.tmp.lock",
    ]
    (tmp_path / ".snapshot_iter_7").touch()
    snapshot(target=Saved()).resume(trainer)
    assert names(tmp_path) == [".snapshot_iter_7"]
