"""Ranks, `mpiexec` or `renga launch` are killed: nothing of the job stays in shared memory or the temporary folder."""

import contextlib
import fcntl
import mmap
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("mpi4py")

SHARED = Path("/dev/shm")
TRAINS = """
import os, pathlib, sys
import numpy as np
import renga.functions as F
import renga.links as L
from renga.distributed import create_communicator, create_multi_node_optimizer
from renga.optimizers import SGD

comm = create_communicator("flat")
model = L.Linear(4, 3)
optimizer = create_multi_node_optimizer(SGD(0.01), comm).setup(model)
x = np.ones((2, 4), np.float32)
pathlib.Path(f"{sys.argv[1]}{os.getpid()}").touch()
while not comm.bcast_obj(pathlib.Path("enough").exists()):
    optimizer.update(lambda: F.sum(model(x) ** 2))
print(create_communicator("naive").allreduce(np.ones(1, np.float32)), flush=True)
"""
ALONE = """
import os, pathlib, time
from renga_comm_mpi.mpi import MPI
pathlib.Path(f"alone{os.getpid()}").touch()
while not pathlib.Path("enough").exists():
    time.sleep(0.01)
"""


def wait_until(condition, seconds=60):
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it never came"
        time.sleep(0.02)


def pids(shell, name):
    return [int(file.removeprefix(name)) for file in shell.files() if re.fullmatch(rf"{name}\d+", file)]


def segments(pid):
    """The shared memory of Open MPI's that a rank uses."""
    return set(re.findall(r"/dev/shm/(?:sm|vader)_segment\S+", Path(f"/proc/{pid}/maps").read_text()))


def there(paths):
    return {path for path in paths if os.path.exists(path)}


def mpiexec_of(launcher):
    children = Path(f"/proc/{launcher}/task/{launcher}/children").read_text().split()
    return next(int(pid) for pid in children if b"-n\x002\x00" in Path(f"/proc/{pid}/cmdline").read_bytes())


@contextlib.contextmanager
def nobody_cleans_up():
    """Hold the lock of `remove_leftovers`: jobs of other tests remove this one's leftovers, too."""
    lock = os.open(SHARED, os.O_RDONLY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield
    finally:
        os.close(lock)


def start_until(gone, start):
    """Start a job, which cleans up and ends with status 0; another one if a job of another test held the lock."""
    for _ in range(5):
        assert start() == 0
        if gone():
            return
    pytest.fail("five jobs have started, and the leftovers are still there")


def runs(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


@pytest.fixture
def folders(shell, tmp_path):
    """Open MPI's folders of this test's jobs."""
    temporary = tmp_path / "t"
    temporary.mkdir()
    shell.environment["TMPDIR"] = str(temporary)
    return lambda: {path.name for path in temporary.glob("ompi.*") if re.fullmatch(r"ompi\.\d+", path.name)}


@pytest.fixture
def start(shell):
    """Start a command that leads a group; none of its processes is left at the end."""
    started = []

    def start(*argv):
        process = subprocess.Popen(
            [sys.executable, *argv],
            cwd=shell.folder,
            env=shell.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
            start_new_session=True,
        )
        started.append(process)
        return process

    yield start
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=20)


@pytest.mark.parametrize("whom", ["renga launch", "mpiexec", "a rank", "all ranks", "the group"])
def test_nothing_of_a_killed_job_is_left_and_another_goes_on(shell, start, folders, whom):
    shell.write("trains.py", TRAINS)
    other = start("-m", "renga", "launch", "-n", "2", "trains.py", "other")
    wait_until(lambda: len(pids(shell, "other")) == 2)
    kept, kept_folders = segments(pids(shell, "other")[0]), folders()
    assert len(kept) == 2
    assert len(kept_folders) == 1

    job = start("-m", "renga", "launch", "-n", "2", "trains.py", "job")
    wait_until(lambda: len(pids(shell, "job")) == 2)
    ranks, mpiexec = pids(shell, "job"), mpiexec_of(job.pid)
    made = segments(ranks[0])
    assert len(made) == 2
    assert folders() == kept_folders | {f"ompi.{mpiexec}"}
    if whom == "the group":
        os.killpg(job.pid, signal.SIGKILL)
    for pid in {"renga launch": [job.pid], "mpiexec": [mpiexec], "a rank": ranks[:1], "all ranks": ranks}.get(whom, []):
        os.kill(pid, signal.SIGKILL)
    job.communicate(timeout=60)
    assert job.returncode != 0
    if whom in ("renga launch", "the group"):  # otherwise all is done when it ends
        # A job of another test can remove shared memory of a rank that is ending, so ranks are waited for, too.
        wait_until(lambda: not there(made) and folders() == kept_folders and not any(map(runs, ranks)))
    assert not there(made)
    assert folders() == kept_folders
    assert not [pid for pid in ranks if runs(pid)]

    assert there(kept) == kept
    shell.write("enough", "")
    out, _ = other.communicate(timeout=60)
    assert (other.returncode, out) == (0, "[2.]\n[2.]\n")
    assert not there(kept)
    assert not folders()


def test_what_jobs_of_mpiexec_alone_have_left_goes_when_the_next_one_starts(shell, start, folders, tmp_path):
    from renga_comm_mpi.launching import find_mpiexec, launch_command, rank_environment

    shell.write("trains.py", TRAINS)
    shell.environment |= {name: value for name, value in rank_environment(2).items() if name.startswith("OMPI_")}
    command = launch_command(find_mpiexec(), [sys.executable, "trains.py", "job"], 2)
    with subprocess.Popen(command, cwd=shell.folder, env=shell.environment, start_new_session=True) as job:
        wait_until(lambda: len(pids(shell, "job")) == 2)
        ranks = pids(shell, "job")
        left, folder = segments(ranks[0]), tmp_path / "t" / f"ompi.{job.pid}"
        with nobody_cleans_up():
            for pid in [job.pid, *ranks]:
                os.kill(pid, signal.SIGKILL)
            job.wait()
            wait_until(lambda: not any(runs(pid) for pid in ranks))
            assert there(left) == left != set()
            assert folder.is_dir()

    os.utime(folder, (0, 0))  # it has been there for long
    shell.write("enough", "")
    start_until(
        lambda: not there(left) and not folder.exists(),
        lambda: subprocess.run(command, cwd=shell.folder, env=shell.environment, timeout=60).returncode,
    )


def test_what_a_process_without_mpiexec_has_left_goes_when_the_next_one_starts(shell, start, folders):
    shell.write("alone.py", ALONE)
    killed, lives = start("alone.py"), start("alone.py")
    wait_until(lambda: len(pids(shell, "alone")) == 2)
    left, kept = segments(killed.pid), segments(lives.pid)
    with nobody_cleans_up():
        killed.kill()
        killed.wait()
        assert there(left) == left != set()

    shell.write("enough", "")
    start_until(lambda: not there(left), lambda: start("alone.py").wait(60))
    assert lives.wait(60) == 0
    assert not there(kept)


@pytest.fixture
def segment():
    made = []

    def segment(name):
        path = SHARED / name
        path.write_bytes(bytes(4096))
        made.append(path)
        return path

    yield segment
    for path in made:
        path.unlink(missing_ok=True)


def test_only_what_nobody_uses_is_removed(segment):
    from renga_comm_mpi.leftovers import remove_leftovers

    name = f"sm_segment.a.test.{os.geteuid()}"
    opened, mapped, free = (segment(f"{name}.{os.getpid():x}.{rank}") for rank in range(3))
    strange = segment(f"sm_segment-of-mine.{os.getpid()}")
    with open(mapped, "r+b") as file:
        memory = mmap.mmap(file.fileno(), 0)
    with memory, open(opened, "rb"):
        wait_until(remove_leftovers)  # another process may be doing so at the moment
        assert [path.exists() for path in (opened, mapped, free, strange)] == [True, True, False, True]
    wait_until(remove_leftovers)
    assert [path.exists() for path in (opened, mapped, strange)] == [False, False, True]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_what_belongs_to_another_user_stays(segment):
    from renga_comm_mpi.leftovers import remove_leftovers

    path = segment(f"sm_segment.test.65534.{os.getpid():x}.0")
    os.chown(path, 65534, -1)
    wait_until(remove_leftovers)
    assert path.exists()
