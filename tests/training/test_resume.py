"""A run that was stopped anywhere and resumed ends as one that was not."""

import csv
import functools
import json
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import renga_core.random
from renga_core.serializers import FileDamaged, FileMismatched
from renga_serializers.npz import DictionarySerializer, load_npz, save_npz
from renga_training import extensions, triggers
from renga_training import snapshots as snapshots_


class Stop(Exception):
    pass


def files(out):
    """The logs that were written, without times."""
    logs = {}
    for path in sorted(out.glob("*.jsonl")):
        entries = map(json.loads, path.read_text().splitlines())
        logs[path.name] = [{k: v for k, v in entry.items() if k != "elapsed_time"} for entry in entries]
    for path in sorted(out.glob("*.csv")):
        rows = csv.DictReader(path.read_text().splitlines())
        logs[path.name] = [{k: v for k, v in row.items() if k != "elapsed_time"} for row in rows]
    return logs


@pytest.fixture(scope="module")
def uninterrupted(program, tmp_path_factory):
    renga_core.random.seed(3)
    out = tmp_path_factory.mktemp("whole")
    trainer = program.make_trainer(out)
    trainer.run()
    return program.state(trainer), files(out)


# 50 examples in batches of 8: an epoch ends in the middle of iteration 7, and with iteration 25.
@pytest.mark.parametrize("iteration", [1, 6, 7, 8, 16, 25, 36])
def test_resumed_at_any_iteration(program, uninterrupted, tmp_path, iteration):
    renga_core.random.seed(3)
    first = program.make_trainer(tmp_path)

    def save_and_go_on_for_a_while(trainer):
        # What it logs after the snapshot must be taken out again.
        if trainer.updater.iteration == iteration:
            target = DictionarySerializer()
            target.save(trainer)
            saved.update({key: np.copy(value) for key, value in target.target.items()})
        if trainer.updater.iteration == min(iteration + 9, 38):
            raise Stop

    saved = {}
    first.extend(save_and_go_on_for_a_while, name="save", priority=-100)
    with pytest.raises(Stop):
        first.run(show_loop_exception_msg=False)
    np.savez(tmp_path / "state.npz", **saved)

    renga_core.random.seed(99)
    second = program.make_trainer(tmp_path)
    load_npz(tmp_path / "state.npz", second)
    assert second.updater.iteration == iteration
    second.run()
    assert (program.state(second), files(tmp_path)) == uninterrupted


def test_a_refused_snapshot_changes_nothing_at_all(program, uninterrupted, tmp_path):
    """The trainer it was refused by goes on to run as if nothing had happened; so does one that was in mid-run."""
    renga_core.random.seed(3)
    source = program.make_trainer(tmp_path / "source", (20, "iteration"))
    source.run()
    target = DictionarySerializer()
    target.save(source)
    for key in ("updater/iteration", "extensions/often/log", "random", "updater/optimizer:main/w1/m"):
        assert key in target.target, key
        np.savez(tmp_path / "bad.npz", **{k: v for k, v in target.target.items() if k != key})
        renga_core.random.seed(3)
        trainer = program.make_trainer(tmp_path / "run")

        def load(trainer, key=key):
            with pytest.raises(FileMismatched, match=f"{key} is missing"):
                load_npz(tmp_path / "bad.npz", trainer)

        load(trainer)
        trainer.updater.update = call_after(trainer.updater, 11, functools.partial(load, trainer))
        trainer.run()
        assert (program.state(trainer), files(tmp_path / "run")) == uninterrupted


def call_after(updater, iteration, function):
    """The updater's `update`, which calls the function, too, after this iteration."""
    update = updater.update

    def both():
        update()
        if updater.iteration == iteration:
            function()

    return both


def test_the_noise_matters(program, uninterrupted, tmp_path):
    """The comparison above would be worth nothing if runs of other seeds ended alike."""
    renga_core.random.seed(4)
    trainer = program.make_trainer(tmp_path)
    trainer.run()
    assert program.state(trainer) != uninterrupted[0]


def test_early_stopping_goes_on_counting(program, tmp_path):
    """The stop trigger looks at the last observation after the snapshot was made."""

    def make(out):
        renga_core.random.seed(3)
        stop = triggers.EarlyStoppingTrigger((2, "iteration"), "main/loss", patience=3, max_trigger=(20, "epoch"))
        return program.make_trainer(out, stop, extend=False)

    whole = make(tmp_path)
    whole.extend(lambda t: save_npz(tmp_path / f"{t.updater.iteration}.npz", t), priority=-100, name="save")
    whole.run()
    last = whole.updater.iteration
    assert 4 < last < 100
    for iteration in range(1, last + 1):
        again = make(tmp_path)
        again.extend(lambda t: None, name="save")
        load_npz(tmp_path / f"{iteration}.npz", again)
        again.run()
        assert again.updater.iteration == last


def run_program(program, out, seconds=0.0, epochs=4):
    command = [sys.executable, program.__file__, out, str(epochs), str(seconds)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_interrupted_or_killed_and_resumed(program, tmp_path, number):
    whole = run_program(program, tmp_path / "whole")
    assert whole.communicate()[1] == ""
    assert whole.returncode == 0

    out = tmp_path / "parts"
    for last in (12, 18):
        part = run_program(program, out, 0.02)
        while int(part.stdout.readline()) < last:
            pass
        part.send_signal(number)
        # Not by `communicate`, which loses the lines that `readline` has taken from the pipe beside its own.
        with part:
            rest, errors = part.stdout.read(), part.stderr.read()
        assert not (out / "state.json").exists()
        if number == signal.SIGINT:
            assert "Stopping after this iteration." in errors
            assert errors.endswith("KeyboardInterrupt\n")
            stopped_at = int(rest.split()[-1]) if rest else last
            assert (out / f"snapshot_iter_{stopped_at}").exists()
        else:
            assert part.returncode == -signal.SIGKILL
        assert len(list(out.glob("snapshot_iter_*"))) == 2
    end = run_program(program, out)
    output, errors = end.communicate()
    assert (end.returncode, errors) == (0, "")
    assert int(output.split()[0]) > 10, "it did not begin anew"
    assert json.loads((out / "state.json").read_text()) == json.loads((tmp_path / "whole" / "state.json").read_text())
    assert files(out) == files(tmp_path / "whole")


def snapshots(program, out, **options):
    renga_core.random.seed(3)
    trainer = program.make_trainer(out, (3, "epoch"))
    trainer.extend(extensions.snapshot(**options), trigger=(3, "iteration"))
    return trainer


def test_a_damaged_snapshot_is_skipped_and_named(program, tmp_path):
    snapshots(program, tmp_path).run()
    newest = tmp_path / "snapshot_iter_18"
    newest.write_bytes(newest.read_bytes()[:-100])
    resumed = snapshots(program, tmp_path, autoload=True)
    with pytest.warns(UserWarning, match=r"skipped a snapshot: .*snapshot_iter_18: damaged"):
        resumed.run()
    assert resumed.updater.iteration == 19


def test_all_snapshots_damaged(program, tmp_path):
    snapshots(program, tmp_path).run()
    for path in tmp_path.glob("snapshot_iter_*"):
        path.write_bytes(b"")
    resumed = snapshots(program, tmp_path, autoload=True)
    with pytest.raises(FileDamaged, match="snapshot_iter_18") as caught:
        resumed.run()
    assert len(caught.value.__notes__) == 5
    assert "snapshot_iter_3" in caught.value.__notes__[-1]
    assert resumed.updater.iteration == 0


def test_a_snapshot_of_another_run_is_refused(program, tmp_path):
    snapshots(program, tmp_path).run()
    resumed = snapshots(program, tmp_path, autoload=True)
    resumed.updater.get_optimizer("main").target.w2.array = np.zeros((4, 1), np.float32)
    with pytest.raises(FileMismatched, match=r"updater/model:main/w2 is float32 of shape \(5, 1\) in the file"):
        resumed.run()
    assert resumed.updater.iteration == 0
    assert resumed.updater.get_optimizer("main").target.w2.array.tolist() == [[0]] * 4


def test_no_snapshot_is_a_beginning(program, tmp_path):
    trainer = snapshots(program, tmp_path / "new", autoload=True)
    trainer.run()
    assert trainer.updater.iteration == 19
    assert (Path(trainer.out) / "snapshot_iter_18").exists()


def test_several_policies_keep_each_its_own(program, tmp_path):
    """They go by what trainers have saved, so that a resumed run keeps what the run before did."""
    keep = [snapshots_.Newest(1), snapshots_.Best("main/loss"), snapshots_.OneEvery(minutes=1e9)]
    losses = {}

    def run(epochs):
        trainer = program.make_trainer(tmp_path, (epochs, "epoch"))
        trainer.extend(extensions.snapshot(keep=keep, autoload=True), trigger=(3, "iteration"))

        def note(trainer):
            losses[trainer.updater.iteration] = float(trainer.observation["main/loss"].array)

        trainer.extend(note, trigger=(3, "iteration"), name="note")
        trainer.run()

    renga_core.random.seed(3)
    for epochs in (2, 3):
        run(epochs)
        best = min(losses, key=losses.get)
        kept = {int(path.name.rpartition("_")[2]) for path in tmp_path.glob("snapshot_iter_*")}
        assert kept == {3, best, max(losses)}


def test_the_best_goes_by_a_trainers_file():
    for how in ({"target": object()}, {"filename": "{iteration}.h5"}, {"savefun": print}):
        with pytest.raises(ValueError, match="works only for snapshots of a trainer"):
            extensions.snapshot(keep=[snapshots_.Best("loss")], **how)
