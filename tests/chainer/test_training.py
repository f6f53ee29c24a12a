"""Training, snapshots and testing as Chainer's. In processes of their own: the import system is global.

What the programs in `programs` show is not tested again: here is what they do not, mostly refusals.
"""

import subprocess
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).parent

START = """
import os, json, warnings, unittest
import renga_chainer
renga_chainer.install()
import chainer, numpy as np
import chainer.links as L
from chainer import serializers, testing, training
from chainer.training import extensions, triggers

def refused(kind, words, call, *args, **kwargs):
    try:
        call(*args, **kwargs)
    except kind as error:
        for word in words:
            assert word in str(error), str(error)
    else:
        raise AssertionError("not refused")

def make(out="result", iterations=4, dtype="f"):
    np.random.seed(0)
    model = L.Classifier(L.Linear(3, 2))
    optimizer = chainer.optimizers.Adam().setup(model)
    rng = np.random.RandomState(0)
    data = chainer.datasets.TupleDataset(rng.randn(8, 3).astype(dtype), rng.randint(0, 2, 8).astype("i"))
    iterator = chainer.iterators.SerialIterator(data, 4)
    trainer = training.Trainer(training.StandardUpdater(iterator, optimizer), (iterations, "iteration"), out=out)
    return trainer, model, optimizer
"""


def run(program, folder):
    return subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=folder,
    )


def passes(program, folder, before=""):
    done = run(before + START + program, folder)
    assert done.returncode == 0, done.stderr
    return done.stdout


def numbers(text):
    return [float(word.strip("[],")) for word in text.split() if word.strip("[],").replace(".", "").isdigit()]


def test_chainers_snapshot_with_none_in_it_is_gone_on_with(tmp_path):
    program = HERE / "files" / "momentum.py"
    expected = (HERE / "files" / "momentum.txt").read_text()
    ours = tmp_path / "ours.npz"
    for action, file in (("read", HERE / "files" / "momentum.npz"), ("write", ours), ("read", ours)):
        done = subprocess.run(
            [sys.executable, "-W", "ignore", "-m", "renga_chainer", program, action, file],
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.stdout.splitlines()[0] == expected.splitlines()[0], done.stderr
        np.testing.assert_allclose(numbers(done.stdout), numbers(expected), rtol=1e-5)


def test_a_file_has_chainers_keys_and_bytes_for_none(tmp_path):
    """Of None, even the bytes: NumPy 2 would pickle it with names that Chainer's NumPy has not."""
    theirs = HERE / "files" / "momentum.npz"
    subprocess.run(
        [sys.executable, "-m", "renga_chainer", HERE / "files" / "momentum.py", "write", tmp_path / "ours.npz"],
        check=True,
        capture_output=True,
        timeout=120,
    )
    with np.load(theirs, allow_pickle=True) as expected, np.load(tmp_path / "ours.npz", allow_pickle=True) as found:
        assert sorted(expected.files) == sorted(found.files)
        for key in expected.files:
            assert expected[key].dtype.kind == found[key].dtype.kind, key
            assert expected[key].shape == found[key].shape, key
        key = "updater/model:main/predictor/unused/W"
        assert found[key][()] is None
        assert found.zip.read(key + ".npy") == expected.zip.read(key + ".npy")


def test_files_of_another_kind_say_where_to_look(tmp_path):
    passes(
        """
trainer, model, optimizer = make(".")
for name, target in (("s", None), ("m", model), ("o", optimizer)):
    trainer.extend(extensions.snapshot(filename=name, target=target), trigger=(4, "iteration"))
trainer.run()
trainer, model, optimizer = make(".")
before = model.predictor.W.array.copy()
refused(ValueError, ["whole trainer", "Classifier", "path='updater/model:main/'"], serializers.load_npz, "s", model)
refused(ValueError, ["path='updater/model:main/predictor/'"], serializers.load_npz, "s", model.predictor)
refused(ValueError, ["path='updater/optimizer:main/'"], serializers.load_npz, "s", optimizer)
refused(ValueError, ["not a snapshot of a trainer", "load_npz(file, model)"], serializers.load_npz, "m", trainer)
refused(ValueError, ["path='predictor/'"], serializers.load_npz, "m", model.predictor)
refused(ValueError, ["does not contain"], serializers.load_npz, "m", optimizer)
refused(ValueError, ["predictor/W has shape (2, 3)", "(2, 4)"], serializers.load_npz, "m", L.Classifier(L.Linear(4, 2)))
assert (model.predictor.W.array == before).all()
serializers.load_npz("s", model, path="updater/model:main")
assert (model.predictor.W.array != before).any()
serializers.load_npz("m", optimizer, strict=False)
assert optimizer.t == 0
serializers.load_npz("s", trainer)
assert trainer.updater.iteration == 4 and optimizer.t == 4

class More(L.Linear):
    def serialize(self, serializer):
        super().serialize(serializer)
        serializer("more", 1)
refused(KeyError, ["more is not in the file"], serializers.load_npz, "m", More(3, 2), path="predictor/")
""",
        tmp_path,
    )


def test_what_would_be_pickled_is_refused(tmp_path):
    with open(tmp_path / "evil", "wb") as file:
        np.savez(file, W=np.array({1: print}, dtype=object), b=np.zeros(2, "f"))
    passes(
        """
class Odd:
    def __init__(self): self.value = None
    def serialize(self, serializer): self.value = serializer("a/value", self.value)
odd = Odd(); odd.value = {1: 2}
refused(TypeError, ["a/value", "dict"], serializers.save_npz, "odd", odd)
assert not os.path.exists("odd")
refused(ValueError, ["'W'", "pickle"], serializers.load_npz, "evil", L.Linear(3, 2))
for value, start in ((3, 0), (2.5, 0.), ("text", ""), (True, False), ([1, 2], []), (np.float32(2), np.float32(0))):
    odd.value = value
    serializers.save_npz("odd", odd)
    odd.value = start
    serializers.load_npz("odd", odd)
    assert odd.value == value and type(odd.value) is type(start), odd.value
odd.value = 2.5
serializers.save_npz("odd", odd)
odd.value = 1
refused(TypeError, ["a/value is float64", "int"], serializers.load_npz, "odd", odd)
serializers.save_npz("dict", {"x": np.arange(3)}, compression=False)
assert np.load("dict")["x"].tolist() == [0, 1, 2]
""",
        tmp_path,
    )


def test_writers_write_all_that_was_asked_and_keep_the_newest(tmp_path):
    passes(
        """
for name in ("SimpleWriter", "ThreadWriter", "ProcessWriter", "ThreadQueueWriter", "ProcessQueueWriter"):
    trainer, model, optimizer = make(name)
    writer = getattr(extensions.snapshot_writers, name)()
    trainer.extend(extensions.snapshot(writer=writer, n_retains=2), trigger=(1, "iteration"))
    trainer.run()
    assert sorted(os.listdir(name)) == ["snapshot_iter_3", "snapshot_iter_4"], (name, os.listdir(name))
    again = make(name)[0]
    serializers.load_npz(name + "/snapshot_iter_4", again)
    assert again.updater.iteration == 4
""",
        tmp_path,
    )


def test_arguments_that_chainer_refuses(tmp_path):
    passes(
        """
trainer, model, optimizer = make(".")
refused(ValueError, ["invoke_before_training", "initializer="], trainer.extend, print, invoke_before_training=True)
refused(TypeError, ["'trigge'"], trainer.extend, print, trigge=1)
refused(TypeError, ["int is not"], trainer.extend, 3)
refused(ValueError, ["nobody", "none"], trainer.get_extension, "nobody")
refused(TypeError, ["savefun and writer"], extensions.snapshot, savefun=print, writer=print)
refused(TypeError, ["same"], triggers.EarlyStoppingTrigger, patience=1, patients=2)
refused(ValueError, ["'epoch' or 'iteration'"], triggers.IntervalTrigger, 1, "second")
refused(RuntimeError, ["CUDA"], training.StandardUpdater, None, optimizer, device=0)
refused(ValueError, ["models or devices"], training.updaters.ParallelUpdater, None, optimizer)
refused(KeyError, ["main"], training.updaters.ParallelUpdater, None, optimizer, devices={"first": -1})
with testing.assert_warns(UserWarning):
    extensions.Evaluator(chainer.iterators.SerialIterator([1], 1), model)
model.predictor.W.array[0, 0] = np.nan
refused(RuntimeError, ["diverge", "predictor/W"], extensions.FailOnNonNumber(), trainer)
""",
        tmp_path,
    )


def test_parallel_updater_adds_gradients_up(tmp_path):
    """As two devices, the same one twice: each step is twice that of the mean over the batch."""
    passes(
        """
changes = []
for make_updater in (
    lambda i, o: training.StandardUpdater(i, o),
    lambda i, o: training.updaters.ParallelUpdater(i, o, devices={"main": -1, "second": -1}),
):
    np.random.seed(0)
    model = L.Classifier(L.Linear(3, 2))
    before = model.predictor.W.array.copy()
    optimizer = chainer.optimizers.SGD(0.1).setup(model)
    data = [(np.random.RandomState(i).randn(3).astype("f"), np.int32(i % 2)) for i in range(8)]
    make_updater(chainer.iterators.SerialIterator(data, 8, shuffle=False), optimizer).update()
    changes.append(model.predictor.W.array - before)
testing.assert_allclose(changes[1], 2 * changes[0], atol=1e-6, rtol=1e-5)
""",
        tmp_path,
    )


def test_names_of_files_and_the_log(tmp_path):
    passes(
        """
trainer, model, optimizer = make(".", iterations=4)
log = extensions.LogReport(trigger=(2, "iteration"))
trainer.extend(log)
trainer.extend(extensions.LogReport(trigger=(2, "iteration"), filename=None, log_name=None), name="quiet")
trainer.extend(extensions.dump_graph("main/loss", out_name="graph.dot"))
out = open("table", "w")
trainer.extend(extensions.PrintReport(["iteration", "main/loss", "nobody"], log, out=out), trigger=(2, "iteration"))
trainer.run()
out.close()
assert sorted(os.listdir(".")) == ["graph.dot", "log", "table"], os.listdir(".")
assert json.load(open("log")) == log.log == trainer.get_extension("LogReport").log
assert [entry["iteration"] for entry in log.log] == [2, 4]
lines = open("table").read().splitlines()
assert lines[0] == "iteration   main/loss   nobody    ", lines
assert lines[1].startswith("\\033[J2           ") and lines[1].endswith(" " * 12), lines
""",
        tmp_path,
    )


def test_conditions_and_marks_without_pytest(tmp_path):
    out = passes(
        """
from chainer.testing import attr, condition
tries = []

class Test(unittest.TestCase):
    def setUp(self):
        self.fresh = True
    @condition.retry(3)
    def test_retry(self):
        assert self.fresh
        self.fresh = False
        tries.append(1)
        assert tries.count(1) == 2
    @condition.repeat(3)
    def test_repeat(self):
        tries.append(2)
    @condition.repeat_with_success_at_least(3, 2)
    def test_fails(self):
        tries.append(3)
        raise ValueError("on purpose")
    @condition.retry(2)
    def test_skips(self):
        self.skipTest("so")
    @attr.gpu
    def test_gpu(self):
        raise AssertionError
    @attr.multi_gpu(2)
    def test_two(self):
        raise AssertionError
    @attr.slow
    def test_slow(self):
        pass

@attr.ideep
@testing.parameterize({"a": 1}, {"a": 2})
class TestParameters(unittest.TestCase):
    def test_a(self):
        raise AssertionError

assert not attr.is_available()
result = unittest.main(exit=False, argv=["x"]).result
assert not result.errors, result.errors
assert [test.id().split(".")[-1] for test, _ in result.failures] == ["test_fails"]
assert "on purpose" in result.failures[0][1]
print(len(result.skipped), tries.count(1), tries.count(2), tries.count(3))
""",
        tmp_path,
        before="import sys; sys.modules['pytest'] = None  # as where it is not installed",
    )
    assert out.split() == ["5", "2", "3", "2"]


def test_backend_configurations(tmp_path):
    passes(
        """
config = testing.BackendConfig({"use_cudnn": "always", "autotune": True})
assert config.xp is np and config.get_array(np.zeros(2)).shape == (2,)
with config:
    assert chainer.config.use_cudnn == "always" and chainer.config.autotune
assert chainer.config.use_cudnn == "auto"
assert len(testing.BackendConfig({"use_cuda": True, "use_cudnn": "always"}).get_pytest_marks()) == 2
seen = []

@testing.backend.inject_backend_tests(["test_it"], [{}, {"use_cuda": True}, {"use_ideep": "always"},
                                                   {"use_chainerx": True, "chainerx_device": "native:0"}])
class Test(unittest.TestCase):
    def test_it(self, where):
        seen.append(where.device)
    def test_other(self):
        seen.append(None)

result = unittest.main(exit=False, argv=["x"]).result
assert result.wasSuccessful() and len(result.skipped) == 3 and len(seen) == 2, result
refused(TypeError, ["list"], testing.inject_backend_tests, None, {})
trainer = testing.get_trainer_with_mock_updater((2, "epoch"), 3)
fired = []
at = triggers.ManualScheduleTrigger([1, 5], "iteration")
trainer.extend(lambda t: fired.append(t.updater.iteration), name="f", trigger=at)
trainer.run()
assert fired == [1, 5] and trainer.updater.update_core.call_count == 6
""",
        tmp_path,
    )


def test_marks_are_pytests():
    """By them all that cannot run here is left out, so that nothing is skipped."""
    chosen = "not gpu and not cudnn and not ideep and not chainerx and not slow"
    program = str(HERE / "programs" / "unittests.py")
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "pytest",
            "-q",
            "-p",
            "renga_chainer.pytest",
            "-p",
            "no:cacheprovider",
            "-m",
            chosen,
            program,
        ],
        capture_output=True,
        text=True,
        timeout=120,
        cwd=HERE.parents[1],
    )
    assert done.returncode == 0, done.stdout
    assert "34 deselected" in done.stdout
    assert "skipped" not in done.stdout


def test_elapsed_time_and_errors_of_on_error(tmp_path):
    passes(
        """
trainer = make()[0]
refused(RuntimeError, ["training has not been started yet"], lambda: trainer.elapsed_time)
serializers.save_npz("t.npz", trainer)
trainer.run()
assert trainer.elapsed_time > 0

class Handler(training.Extension):
    def __call__(self, trainer):
        raise ValueError("the first")
    def on_error(self, trainer, exc, tb):
        raise KeyError("the other")
trainer = make()[0]
trainer.extend(Handler())
refused(ValueError, ["the first"], trainer.run, show_loop_exception_msg=False)
""",
        tmp_path,
    )
