"""Workers that hang: one Ctrl-C stops the run within seconds, saves it, and leaves nothing behind."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

RUN = """
[run]
epochs = 4
seed = 3

[model]
use = "lenet_like"

[data]
use = "hanging"
batch_size = 10

[optimizer]
use = "adam"

[iterator]
use = "{iterator}"
"""
PLUGIN = """
@hookimpl
def renga_models():
    return [Provider(name="lenet_like", target="hanging_target:model", revision=1, summary="for tests")]

@hookimpl
def renga_datasets():
    return [Provider(name="hanging", target="hanging_target:get", revision=1, summary="for tests")]
"""
TARGET = """
    import os, pathlib, signal, time
    import numpy as np
    import renga.links as L

    def model():
        return L.Linear(4, 3)

    class Hanging:
        def __init__(self, n, how):
            self.n, self.how = n, how

        def __len__(self):
            return self.n

        def __getitem__(self, i):
            if self.how and pathlib.Path("hang").exists():
                pathlib.Path("hangs").touch()
                if self.how == "stops":
                    os.kill(os.getpid(), signal.SIGSTOP)
                while self.how != "slow":
                    time.sleep(0.1 if self.how == "sleeps" else 0)
                time.sleep(1.0)
            return np.full(4, i, "f"), np.int32(i % 3)

    def get(how: str = "sleeps"):
        return Hanging(95, how), Hanging(10, "")
"""


@pytest.fixture
def shell(shell):
    shell.install("hanging", PLUGIN, modules={"hanging_target": TARGET})
    return shell


def wait_until(condition, process=None):
    deadline = time.monotonic() + 120
    while not condition():
        assert process is None or process.poll() is None, process.communicate()
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.01)


def shared():
    """The shared memory of Python programs."""
    return {name for name in os.listdir("/dev/shm") if name.startswith("psm_")}


def group(leader):
    """The processes of a group."""
    listed = subprocess.run(["ps", "-eo", "pid=,pgid="], capture_output=True, text=True, check=True).stdout
    pairs = [tuple(map(int, line.split())) for line in listed.splitlines()]
    return [child for child, group in pairs if group == leader]


@pytest.fixture
def start(shell):
    """Start a process that leads a group; at the end nothing of it is left, nor in shared memory."""
    before = shared()
    started = []

    def start(*argv):
        process = subprocess.Popen(
            [sys.executable, *argv],
            cwd=shell.folder,
            env=shell.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        ended = process.poll() is not None
        if not ended:
            os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
        assert ended
        # Python's tracker of shared memory ends a moment later; and another test, beside this one, may have some.
        wait_until(lambda pid=process.pid: group(pid) == [])
    there = shared() - before
    wait_until(lambda: not there & shared())


def log(folder):
    lines = (folder / "log.jsonl").read_text().splitlines()
    return [{k: v for k, v in json.loads(line).items() if k != "elapsed_time"} for line in lines]


@pytest.mark.parametrize(
    ("iterator", "how", "whole_group"),
    [
        ("multiprocess", "sleeps", True),
        ("multiprocess", "sleeps", False),
        ("multiprocess", "spins", True),
        ("multiprocess", "stops", False),
        ("multithread", "sleeps", True),
        ("multiprocess", "slow", True),
    ],
)
def test_one_ctrl_c_saves_and_ends(shell, start, iterator, how, whole_group):
    more = 'n_processes = 2\nstart_method = "fork"\n' if iterator == "multiprocess" else "n_threads = 2\n"
    text = RUN.format(iterator=iterator).replace('use = "hanging"', f'use = "hanging"\nhow = "{how}"')
    shell.write("run.toml", text + more)
    process = start("-m", "renga", "train", "run.toml")
    wait_until((shell.folder / "result" / "snapshot_iter_10.npz").exists, process)
    (shell.folder / "hang").touch()
    wait_until((shell.folder / "hangs").exists, process)
    (os.killpg if whole_group else os.kill)(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 130, (out, err)
    assert "Traceback" not in err
    (said,) = [line for line in err.splitlines() if line.startswith("renga: interrupted")]
    assert f"To continue from result/snapshot_iter_{said.split()[-1]}.npz" in err
    (shell.folder / "hang").unlink()
    assert shell.renga("train", "result/run.toml", "--resume").status == 0
    assert shell.renga("train", "run.toml", "--out", "whole").status == 0
    assert log(shell.folder / "result") == log(shell.folder / "whole")


PROGRAM = """
import os, signal, sys, time
from renga.iterators import MultiprocessIterator, MultithreadIterator

class Hanging(list):
    def __getitem__(self, i):
        if i >= 4:
            open("hangs", "w").close()
            time.sleep(1000)
        return i

make, keep, finalize = sys.argv[1:]
if make == "threads":
    iterator = MultithreadIterator(Hanging(range(9)), 2, shuffle=False)
else:
    iterator = MultiprocessIterator(Hanging(range(9)), 2, shuffle=False, n_processes=2, start_method="fork")
batches = []
try:
    if keep == "waits":
        for batch in iterator:
            batches.append(batch)
            if batch[-1] == 3:
                open("waits", "w").close()
    else:
        batches = [next(iterator), next(iterator)]
        while not os.path.exists("hangs"):
            time.sleep(0.01)
except KeyboardInterrupt:
    print("interrupted")
print(batches)
if finalize == "finalize":
    iterator.finalize()
"""


@pytest.mark.parametrize("make", ["threads", "processes"])
@pytest.mark.parametrize("keep", ["waits", "ends"])
@pytest.mark.parametrize("finalize", ["finalize", "forget"])
def test_a_program_of_ones_own_ends(shell, start, make, keep, finalize):
    """Interrupted once, or come to its end, while a worker hangs: with and without `finalize`."""
    shell.write("program.py", PROGRAM)
    process = start("program.py", make, keep, finalize)
    wait_until((shell.folder / "hangs").exists, process)
    if keep == "waits":
        wait_until((shell.folder / "waits").exists, process)
        os.killpg(process.pid, signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert (process.returncode, err) == (0, "")
    assert out.endswith("[[0, 1], [2, 3]]\n")
