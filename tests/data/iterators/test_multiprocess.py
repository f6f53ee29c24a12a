"""Few and quick: a process takes long to start. What all prefetching iterators share is tested with threads."""

import copy
import faulthandler
import multiprocessing
import multiprocessing.connection
import os
import pickle
import random as python_random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from renga_core import random
from renga_core.backend import get_backend
from renga_data.datasets import TransformDataset, TupleDataset
from renga_data.iterators import MultiprocessIterator, SerialIterator, StalledDatasetWarning, WorkerDied
from renga_serializers.npz import DictionarySerializer, NpzDeserializer

SHARED = Path("/dev/shm")

pytestmark = [
    pytest.mark.skipif(not SHARED.is_dir(), reason="looks for shared memory where Linux shows it"),
    pytest.mark.filterwarnings("ignore:.*multi-threaded, use of fork.*:DeprecationWarning"),
]


def shared():
    return {name for name in os.listdir(SHARED) if not name.startswith("sm_segment")}  # not MPI's


def left_behind(before):
    return [child.pid for child in multiprocessing.active_children()], shared() - before


@pytest.fixture(autouse=True)
def nothing_left_behind():
    before = shared()
    yield
    children, names = left_behind(before)
    deadline = time.monotonic() + 20
    while names & shared() and time.monotonic() < deadline:  # those of another test, beside this one, go
        time.sleep(0.05)
    assert (children, names & shared()) == ([], set())


class Images:
    """Pairs of an array of varying size and its index."""

    def __init__(self, n=20, least=300):
        self.n = n
        self.least = least

    def __len__(self):
        return self.n

    def __getitem__(self, index):
        return np.full((self.least + 40 * index, 2), index, np.float32), index


def batches_equal(ours, theirs):
    assert [t for _, t in ours] == [t for _, t in theirs]
    for (x, _), (y, _) in zip(ours, theirs, strict=True):
        np.testing.assert_array_equal(x, y)
        assert x.dtype == y.dtype
        x += 1  # arrays are the user's own


def images(n=20, least=300):
    """What `Images` has, of classes that a new process can import: it knows nothing of test modules."""
    source = Images(n, least)
    arrays, indices = zip(*(source[i] for i in range(n)), strict=True)
    return TransformDataset(TupleDataset(arrays, indices), copy.deepcopy)  # examples are changed below


@pytest.mark.parametrize(
    ("start_method", "n_processes", "n_prefetch", "shared_mem"),
    [("fork", 2, 2, None), ("fork", 3, 1, 0), ("fork", 2, 0, 4096), ("spawn", 1, 1, None), ("forkserver", 2, 1, None)],
)
def test_gives_what_a_serial_iterator_gives_and_resumes(start_method, n_processes, n_prefetch, shared_mem):
    def make(seed):
        return MultiprocessIterator(
            images(),
            6,
            n_processes=n_processes,
            n_prefetch=n_prefetch,
            shared_mem=shared_mem,
            start_method=start_method,
            seed=seed,
        )

    reference = SerialIterator(images(), 6, seed=3)
    with make(3) as iterator:
        batches = [next(iterator) for _ in range(9)]
        for batch in batches:
            batches_equal(batch, next(reference))
        assert iterator.epoch_detail == reference.epoch_detail
        serializer = DictionarySerializer()
        serializer.save(iterator)
        with make(4) as resumed:
            next(resumed)
            NpzDeserializer(serializer.target).load(resumed)
            twin = copy.copy(resumed)
            for _ in range(5):
                batches_equal(next(resumed), next(reference))
            batches_equal(next(iterator), next(make_serial_at(serializer)))
        with twin:
            batches_equal(next(twin), next(make_serial_at(serializer)))


def make_serial_at(serializer):
    iterator = SerialIterator(images(), 6, seed=0)
    NpzDeserializer(serializer.target).load(iterator)
    return iterator


def test_one_epoch_reset_and_finalize():
    with MultiprocessIterator(Images(7), 3, repeat=False, shuffle=False, n_processes=2) as iterator:
        for _ in range(2):
            assert [[t for _, t in batch] for batch in iterator] == [[0, 1, 2], [3, 4, 5], [6]]
            iterator.reset()
        next(iterator)
        iterator.finalize()
        assert [[t for _, t in batch] for batch in iterator] == [[3, 4, 5], [6]]


def test_a_forgotten_iterator_leaves_nothing():
    iterator = MultiprocessIterator(Images(), 4, n_processes=2)
    next(iterator)
    del iterator


def killed():
    os.kill(os.getpid(), signal.SIGKILL)


def left():
    os._exit(0)


def crashed():
    import ctypes

    faulthandler.disable()
    ctypes.string_at(0)


class Dies(Images):
    def __init__(self, marker, how):
        super().__init__()
        self.marker = marker
        self.how = how

    def __getitem__(self, index):
        if index == 7 and not self.marker.exists():
            self.marker.touch()
            self.how()
        return super().__getitem__(index)


@pytest.mark.parametrize("how", [killed, left, crashed])
@pytest.mark.parametrize("shared_mem", [None, 0])
def test_a_dying_worker_is_an_error_and_loses_nothing(tmp_path, how, shared_mem):
    dataset = Dies(tmp_path / "died", how)
    arguments = {"n_processes": 2, "n_prefetch": 2, "shared_mem": shared_mem}
    with MultiprocessIterator(dataset, 4, shuffle=False, **arguments) as iterator:
        seen: list[int] = []

        def see_twelve():
            while len(seen) < 12:
                seen.extend(t for _, t in next(iterator))

        # Depending on how far ahead the worker was, the first call fails, or the second.
        with pytest.raises(WorkerDied, match="examples of a Dies"):
            see_twelve()
        assert len(seen) < 8
        see_twelve()
        assert seen == list(range(12))


@pytest.mark.parametrize("start_method", ["spawn", "forkserver"])
def test_a_worker_that_leaves_is_an_error_however_it_was_started(start_method):
    dataset = TransformDataset([3, 3, 3], os._exit)
    with (
        MultiprocessIterator(dataset, 2, n_processes=2, start_method=start_method) as iterator,
        pytest.raises(WorkerDied, match="examples of a TransformDataset"),
    ):
        next(iterator)


def test_killed_from_outside():
    with MultiprocessIterator(images(), 4, n_processes=2, shuffle=False) as iterator:
        reference = SerialIterator(images(), 4, shuffle=False)
        batches_equal(next(iterator), next(reference))
        for child in multiprocessing.active_children():
            os.kill(child.pid, signal.SIGKILL)
        died = 0
        for batch in (next(reference) for _ in range(5)):
            try:
                ours = next(iterator)
            except WorkerDied:
                died += 1
                ours = next(iterator)
            batches_equal(ours, batch)
        assert died == 1


class DiesWhileItSends(Images):
    """Kills its process when it has sent half of a result: the pool, which reads it, does not see that."""

    def __init__(self, marker):
        super().__init__(least=100_000)
        self.marker = marker

    def __getitem__(self, index):
        if index == 1 and not self.marker.exists():
            self.marker.touch()
            multiprocessing.connection.Connection._send = self.send_half
        return super().__getitem__(index)

    @staticmethod
    def send_half(connection, buffer, write=os.write):
        sent = write(connection.fileno(), bytes(memoryview(buffer)[:30_000]))
        if sent == 30_000:
            os.kill(os.getpid(), signal.SIGKILL)


@pytest.mark.timeout(60)
@pytest.mark.parametrize("then", ["next", "finalize"])
def test_a_worker_that_dies_while_it_sends(tmp_path, then):
    dataset = DiesWhileItSends(tmp_path / "died")
    with MultiprocessIterator(dataset, 2, n_processes=2, shuffle=False, shared_mem=0) as iterator:
        if then == "next":
            with pytest.raises(WorkerDied):
                next(iterator)
        else:
            iterator._order_ahead()
            deadline = time.monotonic() + 20
            while not iterator._pool.has_dead_worker() and time.monotonic() < deadline:
                time.sleep(0.01)
            iterator.finalize()
        assert left_behind(shared()) == ([], set())
        assert [t for _, t in next(iterator)] == [0, 1]


class Unpicklable(Exception):
    def __init__(self, one, two):
        super().__init__(f"{one} and {two}")


class Fails(Images):
    def __getitem__(self, index):
        if index == 2:
            raise Unpicklable("this", "that")
        if index == 5:
            raise KeyError("no such thing")
        return super().__getitem__(index)


def test_errors_of_the_data_set_arrive():
    with MultiprocessIterator(Fails(), 2, shuffle=False, n_processes=1) as iterator:
        next(iterator)
        with pytest.raises(RuntimeError, match=r"(?s)Unpicklable: this and that.*example 2 of a Fails"):
            next(iterator)
    order = lambda order, _: np.array([4, 5])  # noqa: E731
    with (
        MultiprocessIterator(Fails(), 2, order_sampler=order, n_processes=1) as iterator,
        pytest.raises(KeyError) as caught,
    ):
        next(iterator)
    assert caught.value.__notes__ == ["This was example 5 of a Fails."]


class Slow(Images):
    def __getitem__(self, index):
        time.sleep(0.3)
        return super().__getitem__(index)


def test_a_late_batch_is_warned_of_and_awaited():
    with (
        MultiprocessIterator(Slow(), 1, shuffle=False, n_processes=1, dataset_timeout=0.1) as iterator,
        pytest.warns(StalledDatasetWarning, match=r"for 0\.1 s: a Slow is slow or hangs") as caught,
    ):
        assert next(iterator)[0][1] == 0
    # Python 3.12 and later warn of forks, too.
    assert {w.filename for w in caught if w.category is StalledDatasetWarning} == {__file__}


class Pids(Images):
    def __getitem__(self, index):
        return os.getpid()


def test_processes_are_replaced():
    with MultiprocessIterator(Pids(), 4, n_processes=2, maxtasksperchild=10) as iterator:
        pids = [pid for _ in range(30) for pid in next(iterator)]
    assert os.getpid() not in pids
    assert len(set(pids)) >= 5
    assert max(pids.count(pid) for pid in pids) <= 30


class Noise(Images):
    def __getitem__(self, index):
        return index, float(random.generator(get_backend("numpy")).random()) + python_random.random()


@pytest.fixture
def numpy_backend():
    try:
        return get_backend("numpy")
    except Exception as error:
        pytest.skip(f"needs the NumPy backend: {error}")


def test_random_transforms_are_reproducible_and_differ(numpy_backend):
    def run(n_processes, n_prefetch):
        arguments = {"n_processes": n_processes, "n_prefetch": n_prefetch, "seed": 5}
        with MultiprocessIterator(Noise(10), 4, **arguments) as iterator:
            return [next(iterator) for _ in range(6)]

    first = run(2, 1)
    assert run(1, 0) == first
    draws = [draw for batch in first for _, draw in batch]
    assert len(set(draws)) == len(draws)


def test_random_transforms_resume(numpy_backend):
    original, resumed = (MultiprocessIterator(Noise(10), 4, n_processes=1, seed=seed) for seed in (5, 6))
    with original, resumed:
        next(original)
        serializer = DictionarySerializer()
        serializer.save(original)
        NpzDeserializer(serializer.target).load(resumed)
        assert [next(resumed) for _ in range(4)] == [next(original) for _ in range(4)]


def test_too_little_shared_memory():
    room = os.statvfs(SHARED)
    too_much = room.f_blocks * room.f_frsize * 2
    with (
        MultiprocessIterator(Images(), 1, n_processes=1, shared_mem=too_much) as iterator,
        pytest.raises(OSError, match="No space left"),
    ):
        next(iterator)


def test_a_data_set_that_cannot_be_sent_is_an_error():
    dataset = [lambda: 1]
    with (
        MultiprocessIterator(dataset, 1, n_processes=1, start_method="spawn") as iterator,
        pytest.raises((pickle.PicklingError, AttributeError), match="lambda"),
    ):
        next(iterator)


@pytest.mark.parametrize(
    "arguments",
    [{"n_processes": 0}, {"n_prefetch": -1}, {"shared_mem": -1}, {"maxtasksperchild": 0}, {"batch_size": 0}],
)
def test_bad_arguments(arguments):
    with pytest.raises(ValueError, match=next(iter(arguments))):
        MultiprocessIterator([1, 2], **{"batch_size": 1, **arguments})


PROGRAM = """
import os, signal, sys, time
import numpy as np
from multiprocessing import active_children
from renga_data.iterators import MultiprocessIterator

class Data:
    def __len__(self):
        return 100
    def __getitem__(self, i):
        return np.zeros(10000)

if __name__ == "__main__":
    iterator = MultiprocessIterator(Data(), 4, n_processes=2, start_method=sys.argv[2])
    for _ in range(4):
        next(iterator)
    assert iterator._slots and all(slot.address.capacity for slot in iterator._slots)
    print(*(child.pid for child in active_children()), flush=True)
    while sys.argv[1] == "all killed":
        next(iterator)
    if sys.argv[1] == "killed":
        os.kill(os.getpid(), signal.SIGKILL)
    if sys.argv[1] == "asked to stop":
        signal.signal(signal.SIGUSR1, signal.default_int_handler)
        try:
            os.killpg(0, signal.SIGUSR1)  # as mpiexec does
            time.sleep(10)
        except KeyboardInterrupt:
            for _ in range(9):  # to the end of the epoch: all workers are there
                next(iterator)
    if sys.argv[1] == "interrupted":
        os.killpg(0, signal.SIGINT)  # as Ctrl-C in a terminal does
        time.sleep(10)
    if sys.argv[1] == "forked":
        pid = os.fork()
        if pid == 0:
            print(len(next(iterator)), flush=True)  # from processes of its own
            iterator.finalize()
            os._exit(0)
        os.waitpid(pid, 0)
        next(iterator)
    if sys.argv[1] == "cyclic":
        iterator.me = iterator
"""


@pytest.mark.parametrize(
    ("end", "start_method"),
    [("normal", "fork"), ("cyclic", "fork"), ("forked", "fork"), ("killed", "fork"), ("killed", "spawn")]
    + [("interrupted", "fork"), ("interrupted", "spawn"), ("asked to stop", "fork"), ("asked to stop", "spawn")],
)
def test_a_program_that_ends_without_finalizing_leaves_nothing(tmp_path, end, start_method):
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [
        sys.executable,
        "-W",
        "error",
        "-W",
        "ignore:.*use of fork:DeprecationWarning",
        program,
        end,
        start_method,
    ]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60, start_new_session=True)
    pids = result.stdout.split("\n")[0].split()
    assert pids, result.stderr
    assert result.stdout.splitlines()[1:] == (["4"] if end == "forked" else [])
    deadline = time.monotonic() + 20
    while any(runs(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [pid for pid in pids if runs(pid)] == []
    if end == "interrupted":
        assert result.stderr.count("Traceback") == 1  # the parent's
        assert "KeyboardInterrupt" in result.stderr
    elif end != "killed":
        assert (result.returncode, result.stderr) == (0, "")


STARTING = """
import os
import signal
if __name__ == "__mp_main__":  # a worker imports this, before anything else
    names = sorted(number.name for number in signal.pthread_sigmask(signal.SIG_BLOCK, []))
    os.write(1, (" ".join(names) + "\\n").encode())  # in one piece: another worker writes, too
import sys
from renga_data.iterators import MultiprocessIterator
if __name__ == "__main__":
    with MultiprocessIterator(range(4), 1, n_processes=2, start_method=sys.argv[1]) as iterator:
        next(iterator)
    print("Ctrl-C", "does nothing" if signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, []) else "works")
"""


@pytest.mark.parametrize("start_method", ["spawn", "forkserver"])
def test_a_worker_that_is_starting_does_not_hear_ctrl_c(tmp_path, start_method):
    program = tmp_path / "program.py"
    program.write_text(STARTING)
    command = [sys.executable, "-W", "error", program, start_method]
    result = subprocess.run(command, capture_output=True, text=True, timeout=60)
    *workers, parent = result.stdout.splitlines()
    assert set(workers) == {"SIGINT SIGUSR1"}, result  # and there are some
    assert (parent, result.stderr) == ("Ctrl-C works", "")


def runs(pid):
    try:
        return "State:\tZ" not in Path("/proc", pid, "status").read_text()
    except (FileNotFoundError, ProcessLookupError):
        return False


@pytest.mark.parametrize("start_method", ["fork", "spawn", "forkserver"])
@pytest.mark.parametrize("delay", [0.0, 0.013, 0.05])
def test_a_program_whose_processes_are_all_killed_at_once_leaves_nothing(tmp_path, start_method, delay):
    """No tracker of Python's is left to remove anything; `nothing_left_behind` looks for what is there then."""
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)
    command = [sys.executable, program, "all killed", start_method]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, start_new_session=True) as process:
        pids = process.stdout.readline().split()
        time.sleep(delay)
        os.killpg(process.pid, signal.SIGKILL)
    assert pids
    deadline = time.monotonic() + 20
    while any(runs(pid) for pid in pids) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert [pid for pid in pids if runs(pid)] == []
