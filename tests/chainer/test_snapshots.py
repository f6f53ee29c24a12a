"""Files and snapshots under Chainer's names. In processes of their own: the import system is global."""

import subprocess
import sys

import pytest

START = """
import os, sys, warnings
import renga_chainer
renga_chainer.install()
import chainer, numpy as np
import chainer.links as L
from chainer import serializers, training
from chainer.training import extensions

class Updater(training.Updater):
    # Saves nothing.
    iteration = epoch = 0
    epoch_detail = previous_epoch_detail = 0.
    is_new_epoch = False
    def connect_trainer(self, trainer): pass
    def get_optimizer(self, name): return None
    def get_all_optimizers(self): return {}
    def update(self): self.iteration += 1
    def finalize(self): pass
    def serialize(self, serializer): pass

class Counting(Updater):
    def serialize(self, serializer):
        self.iteration = serializer("iteration", self.iteration)

class Named(Counting):
    @property
    def state(self):
        return 10 - self.iteration

def train(iterations, out="result", updater=Counting, **options):
    trainer = training.Trainer(updater(), (iterations, "iteration"), out=out)
    trainer.extend(extensions.snapshot(**options), trigger=(1, "iteration"))
    trainer.run()
    return trainer

def warned(call, *args, **kwargs):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*args, **kwargs)
    return [str(each.message) for each in caught if each.category is UserWarning]

def set_clocks():
    # As if each file had been written before the one before it.
    for name in os.listdir("result"):
        stamp = 2 * 10**9 - int(name.rpartition("_")[2])
        os.utime("result/" + name, (stamp, stamp))
"""


@pytest.fixture
def passes(tmp_path):

    def check(program):
        done = subprocess.run(
            [sys.executable, "-X", "utf8", "-c", START + program],
            capture_output=True,
            text=True,
            timeout=120,
            cwd=tmp_path,
        )
        assert done.returncode == 0, done.stderr
        return done

    return check


def test_age_goes_by_iteration(passes):
    passes(
        """
train(4)
set_clocks()
train(7, n_retains=2, autoload=True)
assert sorted(os.listdir("result")) == ["snapshot_iter_6", "snapshot_iter_7"], os.listdir("result")
assert train(7, autoload=True).updater.iteration == 7
# A new run in the folder of a longer one: what was just written stays.
for make in (extensions.snapshot_writers.SimpleWriter, extensions.snapshot_writers.ProcessQueueWriter):
    writer = make()
    train(3, n_retains=1, writer=writer)
    assert "snapshot_iter_3" in os.listdir("result"), os.listdir("result")
"""
    )


def test_what_is_damaged_is_not_retained_in_the_place_of_what_is_whole(passes):
    passes(
        """
train(4, n_retains=2)
open("result/snapshot_iter_4", "wb").close()
trainer = training.Trainer(Counting(), (9, "iteration"))
trainer.extend(extensions.snapshot(n_retains=2, autoload=True), trigger=(6, "iteration"))
with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    trainer.run()
assert sorted(os.listdir("result")) == ["snapshot_iter_3", "snapshot_iter_6"], os.listdir("result")
"""
    )


def test_names_that_say_no_iteration_and_writers_that_say_no_name(passes):
    passes(
        """
train(4, filename="at_{.updater.state}", n_retains=2, updater=Named)
assert sorted(os.listdir("result")) == ["at_6", "at_7"], os.listdir("result")
assert train(4, filename="at_{.updater.state}", autoload=True, updater=Named).updater.iteration == 4

class Writer(extensions.snapshot_writers.SimpleWriter):
    def save(self, filename, outdir, target, savefun, **kwds):
        savefun(os.path.join(outdir, filename), target)
        for hook in self._post_save_hooks:
            hook()

train(3, out="other", n_retains=1, writer=Writer())
assert os.listdir("other") == ["snapshot_iter_3"], os.listdir("other")
"""
    )


def test_what_is_damaged_leads_to_the_one_before(passes):
    done = passes(
        """
train(4)
content = bytearray(open("result/snapshot_iter_4", "rb").read())
place = content.rindex(b"updater/iteration.npy")
for at in range(place, place + len("updater/iteration.npy")):
    content[at] ^= 1
    open("result/snapshot_iter_4", "wb").write(content)
    content[at] ^= 1
    trainer = training.Trainer(Counting(), (4, "iteration"))
    (said,) = warned(extensions.snapshot(autoload=True).resume, trainer)
    assert "snapshot_iter_4: damaged" in said and "snapshot_iter_3" in said, said
    assert trainer.updater.iteration == 3
os.remove("result/snapshot_iter_4")
for name in os.listdir("result"):
    open("result/" + name, "wb").close()
try:
    train(5, autoload=True)
except Exception as error:
    assert "snapshot_iter_3: damaged" in str(error), error
else:
    raise AssertionError("not refused")
"""
    )
    assert "Going on from" not in done.stdout


def test_damage_shows_before_anything_is_loaded(passes):
    passes(
        """
model = chainer.Sequential(L.Linear(3, 2), L.Linear(2, 400))
serializers.save_npz("m", model, compression=False)
content = bytearray(open("m", "rb").read())
place = content.rindex(model[1].W.array.tobytes())
content[place] ^= 1
open("m", "wb").write(content)
fresh = chainer.Sequential(L.Linear(3, 2), L.Linear(2, 400))
before = {name: param.array.copy() for name, param in fresh.namedparams()}
for strict in (True, False):
    try:
        serializers.load_npz("m", fresh, strict=strict)
    except Exception as error:
        assert "damaged" in str(error), error
    else:
        raise AssertionError("not refused")
for name, param in fresh.namedparams():
    assert (param.array == before[name]).all(), name
"""
    )


def test_what_is_large_and_does_not_fit_is_not_read(passes):
    passes(
        """
import tracemalloc
np.savez_compressed("m.npz", W=np.zeros((1000, 30000), "f"), b=np.zeros(2, "f"))
model = L.Linear(3, 2)
tracemalloc.start()
try:
    serializers.load_npz("m.npz", model)
except ValueError as error:
    assert "W has shape (1000, 30000) in the file" in str(error), error
else:
    raise AssertionError("not refused")
assert tracemalloc.get_traced_memory()[1] < 30e6, tracemalloc.get_traced_memory()
"""
    )


def test_a_trainer_whose_updater_saves_nothing(passes):
    passes(
        """
train(3, updater=Updater)
trainer = training.Trainer(Updater(), (3, "iteration"))
serializers.load_npz("result/snapshot_iter_3", trainer)

class Holder(chainer.Link):
    updater = None
serializers.save_npz("h", Holder())
serializers.load_npz("h", Holder())
"""
    )


def test_snapshots_of_older_versions(passes):
    passes(
        """
from chainer.training import triggers
np.savez("old.npz", dummy=0)
class Optimizer:
    lr = 1.
for made, words in [
    (triggers.IntervalTrigger(2, "epoch"), ["value of iteration", "value of epoch_detail"]),
    (triggers.ManualScheduleTrigger([2], "epoch"), ["value of iteration", "value of epoch_detail", "flag of finished"]),
    (triggers.OnceTrigger(), ["flag is not saved"]),
    (chainer.DictSummary(), ["names of statistics are not saved"]),
    (chainer.reporter.Summary(), ["previous statistics are not saved"]),
]:
    said = warned(serializers.load_npz, "old.npz", made)
    assert len(said) == len(words), said
    for one, word in zip(said, words):
        assert word in one, said

old = {"avg_mean": np.arange(2, dtype="f"), "avg_projection": 2 * np.eye(2, dtype="f"), "N": np.array(7)}
serializers.save_npz("d.npz", old)
for groups, warnings_ in ((2, 2), (1, 0)):
    link = L.DecorrelatedBatchNormalization(2 * groups, groups=groups)
    assert len(warned(serializers.load_npz, "d.npz", link)) == warnings_
    assert link.avg_mean.tolist() == [[0, 1]] * groups and link.N == 7
    assert link.avg_projection.tolist() == [[[2, 0], [0, 2]]] * groups
    serializers.save_npz("new.npz", link)
    again = L.DecorrelatedBatchNormalization(2 * groups, groups=groups)
    assert warned(serializers.load_npz, "new.npz", again) == []
    assert (again.avg_projection == link.avg_projection).all()
"""
    )


def test_hdf5(passes):
    pytest.importorskip("h5py")
    passes(
        """
import h5py
serializers.save_hdf5("d.h5", {"a/b": np.ones(2, "f"), "/n": 3, "none": np.array(None)})
with h5py.File("d.h5") as file:
    assert file["a/b"][()].tolist() == [1, 1] and file["n"][()] == 3
    reader = serializers.HDF5Deserializer(file)
    child = reader["a"]
    assert type(child) is serializers.HDF5Deserializer and child.group.name == "/a", child
    assert child("b", np.zeros(2, "f")).tolist() == [1, 1] and reader("none", np.zeros(2)) is None
    missing = reader["nobody"]["at all"]
    assert missing.group is None
    try:
        missing("x", 1)
    except KeyError as error:
        assert "nobody/at all/x" in str(error)
    assert serializers.HDF5Deserializer(file, strict=False)["nobody"]("x", 1) == 1
"""
    )


def test_two_programs_in_one_folder_are_told(passes):
    passes(
        """
import subprocess
hold = "from renga_training.out_folder import *; x = hold_folder('result'); x.__enter__(); print(flush=True); input()"
holder = subprocess.Popen([sys.executable, "-c", hold], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
holder.stdout.readline()
(said,) = warned(train, 2)
assert f"in use: process {holder.pid}" in said, said
holder.communicate(b"\\n")
assert warned(train, 2) == []
assert sorted(os.listdir("result")) == ["snapshot_iter_1", "snapshot_iter_2"]
"""
    )
