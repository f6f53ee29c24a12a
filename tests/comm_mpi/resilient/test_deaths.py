"""Ranks that die, at moments that are known: the others go on, and end with what they would have had."""

import ast
import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("mpi4py")
from renga_comm_mpi.launching import LaunchError, find_mpiexec
from renga_comm_mpi.resilient.launching import check

try:
    check(find_mpiexec())
except LaunchError as error:
    pytest.skip(str(error), allow_module_level=True)

PROGRAM = Path(__file__).parent / "program.py"
STEPS = 12


class Outcome:
    def __init__(self, folder, ranks, spares, faults, options, environment, meanwhile):
        command = ["launch", "-n", str(ranks), "--fault-tolerant", "--spares", str(spares), *options]
        self.temporary = folder / "tmp"
        self.temporary.mkdir()
        with subprocess.Popen(
            [sys.executable, "-m", "renga", *command, str(PROGRAM), str(STEPS), json.dumps(faults)],
            env={**os.environ, "TMPDIR": str(self.temporary), "OMP_NUM_THREADS": "1", **environment},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            if meanwhile is not None:
                meanwhile(process)
            try:
                self.out, self.err = process.communicate(timeout=50)
            except subprocess.TimeoutExpired:
                process.terminate()  # twice: then all ranks are killed
                time.sleep(0.5)
                process.terminate()
                raise
        self.status = process.returncode
        lines = [line.partition(" ") for line in self.out.splitlines()]
        self.ranks = sorted(rest for first, _, rest in lines if first == "rank")
        self.told = sorted({rest for first, _, rest in lines if first == "told"}, key=lambda line: int(line.split()[0]))
        self.parts = sorted(rest for first, _, rest in lines if first == "parts")


@pytest.fixture
def job(tmp_path):
    def run(ranks, spares=0, options=(), environment=None, meanwhile=None, **faults):
        outcome = Outcome(tmp_path, ranks, spares, faults, options, environment or {}, meanwhile)
        assert list(outcome.temporary.iterdir()) == []
        return outcome

    return run


def undisturbed(sizes):
    """What all ranks must have in the end, given how many there were in each iteration."""
    params = np.zeros(1000)
    for iteration in range(STEPS):
        size = sizes[iteration]
        total = None
        for rank in range(size):
            noise = np.random.default_rng([iteration, rank, size]).standard_normal(1000)
            given = np.sin(params) + noise
            total = given if total is None else total + given
        params = params + (total / size if size > 1 else total)
    return hashlib.sha256(params.tobytes()).hexdigest()[:16]


def ends(size, sizes):
    return [f"{rank} of {size} {undisturbed(sizes)}" for rank in range(size)]


def test_nobody_dies(job):
    outcome = job(3, spares=1)
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(3, [3] * STEPS)
    assert outcome.parts == ["[1, 0] [0, 1]", "[1, 0] [0, 1]", "[2] [0]"]
    assert outcome.told == []
    assert outcome.out.splitlines().count("not needed") == 1
    assert outcome.err == ""


@pytest.mark.parametrize("fault", ["kill", "kill_in_vote"])
@pytest.mark.parametrize("rank", [0, 1])
def test_a_spare_takes_the_place(job, fault, rank):
    outcome = job(3, spares=1, **{fault: [[5, rank]]})
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(3, [3] * STEPS)
    assert outcome.parts == ["[1, 0] [0, 1]", "[1, 0] [0, 1]", "[2] [0]"]
    previous = tuple(None if one == rank else one for one in range(3))
    assert [line.split(maxsplit=1)[1] for line in outcome.told if line.startswith("5")] == [f"{previous} ({rank},) ()"]
    assert outcome.err == ""


@pytest.mark.parametrize("rank", [0, 2])
def test_without_a_spare_fewer_go_on(job, rank):
    outcome = job(3, kill=[[5, rank]])
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(2, [3] * 5 + [2] * (STEPS - 5))
    assert outcome.told == [f"5 {tuple(one for one in range(3) if one != rank)} ({rank},) ()"]


def test_the_last_one_goes_on_alone(job):
    outcome = job(3, kill=[[2, 0], [6, 1]])
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(1, [3] * 2 + [2] * 4 + [1] * (STEPS - 6))
    assert outcome.told == ["2 (1, 2) (0,) ()", "6 (1,) (0,) ()"]


def test_two_at_once(job):
    outcome = job(4, spares=1, kill=[[5, 0], [5, 2]])
    assert outcome.status == 0, outcome.err
    sizes = [int(line.split()[2]) for line in outcome.ranks]
    assert sizes == [3] * 3  # one of the places is taken
    assert outcome.ranks == ends(3, [4] * 5 + [3] * (STEPS - 5))


@pytest.mark.parametrize("moment", ["kill_in_recovery", "kill_at_shrink"])
def test_another_one_dies_during_recovery(job, moment):
    outcome = job(4, spares=2, kill=[[5, 1]], **{moment: [[3, 3]]})
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(4, [4] * STEPS)
    assert outcome.told[0].endswith("(0, None, 2, None) (1, 3) ()")


@pytest.mark.parametrize("rank", [0, 1])
def test_others_wait_for_a_new_process(job, rank):
    outcome = job(2, options=["--respawn", "1", "--wait"], kill=[[5, rank]])
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(2, [2] * STEPS)
    assert outcome.parts == ["[1, 0] [0, 1]"] * 2
    assert f"5 {(0, None) if rank else (None, 1)} ({rank},) ()" in outcome.told


def test_others_go_on_until_a_new_process_comes(job):
    outcome = job(2, options=["--respawn", "1"], kill=[[5, 1]], await_newcomers=[[5, 0]])
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(2, [2] * 5 + [1] + [2] * (STEPS - 6))
    assert outcome.told[-2:] == ["5 (0,) (1,) ()", "6 (0, None) () ()"]


def test_a_new_process_that_dies_in_its_start_is_replaced_after_a_while(job):
    environment = {"DIE_IN_START": "2 3"}
    outcome = job(2, options=["--respawn", "3", "--wait"], environment=environment, kill=[[5, 1]])
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(2, [2] * STEPS)
    assert outcome.err.splitlines() == [
        "renga: 1 new process died soon after the start; the next one starts in 1 s",
        "renga: 2 new processes died soon after the start; the next one starts in 2 s",
    ]


def test_without_any_new_process_fewer_go_on(job):
    outcome = job(2, options=["--respawn", "1", "--wait"], environment={"DIE_IN_START": "2"}, kill=[[5, 1]])
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(1, [2] * 5 + [1] * (STEPS - 5))


def test_no_more_new_processes_than_allowed(job):
    outcome = job(3, options=["--respawn", "1", "--wait"], kill=[[5, 1], [7, 2]])
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(2, [3] * 7 + [2] * (STEPS - 7))


def test_all_die(job):
    outcome = job(2, kill=[[5, 0], [5, 1]])
    assert outcome.status not in (0, None)
    assert outcome.ranks == []


def test_a_job_of_which_all_die_before_the_first_step_is_started_again(job, tmp_path):
    environment = {"DIE_IN_FIRST_STEP": str(tmp_path / "died")}
    outcome = job(2, options=["--respawn", "1"], environment=environment, kill_at_first=[[0, 0], [0, 1]])
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(2, [2] * STEPS)
    assert outcome.err == "renga: all ranks died before the first step; the job is started again\n"


def test_a_spare_cannot_go_on_without_the_state(job):
    outcome = job(1, spares=1, kill=[[5, 0]])
    assert outcome.status not in (0, None)
    assert outcome.ranks == []


def test_fewer_than_the_least(job):
    outcome = job(3, options=["--min", "3"], kill=[[5, 1]])
    assert outcome.status == 1
    assert "2 ranks are left, and the job needs 3 (--min). Next: resume from its last snapshot" in outcome.err
    assert "RanksLost" not in outcome.err


def test_an_exception_ends_its_rank_only(job):
    outcome = job(2, spares=1, throw=[[5, 1]])
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(2, [2] * STEPS)
    assert "nobody caught an exception on rank 1 of 2 (" in outcome.err
    assert "This rank is ended; others go on without it" in outcome.err
    assert outcome.err.rstrip().endswith("KeyError: 'on this rank only'")


def test_a_status_that_all_have(job):
    outcome = job(2, exit_3=[[5, 0], [5, 1]])
    assert outcome.status == 3, outcome.err


def test_who_is_asked_leaves(job):
    outcome = job(3, leave=[[5, 0]])
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(2, [3] * 6 + [2] * (STEPS - 6))
    assert outcome.told == ["6 (1, 2) () (0,)"]
    assert outcome.out.splitlines().count("left") == 1
    assert outcome.err == ""


def test_a_spare_takes_the_place_of_who_leaves(job):
    outcome = job(2, spares=1, leave=[[5, 0]])
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(2, [2] * STEPS)
    assert "6 (None, 1) () (0,)" in outcome.told


@pytest.mark.parametrize("options", [["--spares", "1"], ["--respawn", "1"], ["--max", "2"]])
def test_the_only_rank_hands_over_and_leaves(job, options):
    outcome = job(1, options=options, leave=[[2, 0]], await_newcomers=[] if "--spares" in options else [[3, 0]])
    assert outcome.status == 0, outcome.err
    joins = 3 if "--spares" in options else 4
    assert outcome.told == ["0 (0, None) () ()", f"{joins + 1} (1,) () (0,)"]  # by the one that has joined
    assert outcome.ranks == ends(1, [1] * joins + [2] + [1] * (STEPS - joins - 1))
    assert outcome.out.splitlines().count("left") == 1


def test_from_2_ranks_to_4_to_1_to_3(job):
    def add(process):
        for _ in range(2):
            while process.stdout.readline() != "awaits\n":
                pass
            for _ in range(2):
                process.send_signal(signal.SIGUSR2)
                lines = [process.stderr.readline() for _ in range(2)]
                assert lines == ["\n", "renga: one more rank is asked for; 4 is the maximum (--max)\n"]

    faults = {
        "await_2_requests": [[1, 0]],
        "await_4_requests": [[7, 0]],
        "await_newcomers": [[3, 0], [4, 0], [9, 0], [10, 0]],
        "leave": [[6, None], [6, 1]],
    }
    outcome = job(2, options=["--max", "4"], meanwhile=add, **faults)
    assert outcome.status == 0, outcome.err
    sizes = [2] * STEPS
    for line in outcome.told:  # 0: from one that has joined, and does not know the iteration yet
        iteration, previous = int(line.split()[0]), ast.literal_eval(line[line.index("(") : line.index(")") + 1])
        sizes[iteration or STEPS :] = [len(previous)] * (STEPS - (iteration or STEPS))
    assert [sizes[i] for i in (0, 5, 7, 11)] == [2, 4, 1, 3]
    assert outcome.ranks == ends(3, sizes)
    assert "7 (0,) () (1, 2, 3)" in outcome.told


def test_a_rank_is_added_and_one_leaves(job):
    def add(process):
        assert process.stdout.readline() == "awaits\n"
        process.send_signal(signal.SIGUSR2)

    faults = {"await_request": [[3, 0]], "await_newcomers": [[4, 0]], "leave": [[8, 1]]}
    outcome = job(2, options=["--max", "3"], meanwhile=add, **faults)
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(2, [2] * 5 + [3] * 4 + [2] * (STEPS - 9))
    assert outcome.told[-2:] == ["5 (0, 1, None) () ()", "9 (0, 2) () (1,)"]
    assert outcome.err.split("\n") == ["", "renga: one more rank is asked for; 3 is the maximum (--max)", ""]


def test_a_rank_that_dies_before_mpi_has_connected_all(job, tmp_path):
    marker = tmp_path / "died"
    outcome = job(2, spares=1, environment={"DIES_AT_FIRST": str(marker)})
    assert marker.exists()
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(2, [2] * STEPS)
    assert outcome.err == "renga: rank 1 died before MPI had connected all; the job is started again\n"


def test_who_is_stopped_is_ended(job):
    outcome = job(2, spares=1, environment={"RENGA_DISTRIBUTED_TIMEOUT": "1"}, stop=[[5, 1]])
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(2, [2] * STEPS)
    assert "late: rank 1 (process " in outcome.err
    assert "distributed.timeout, 1 s: these are ended" in outcome.err


def test_who_hangs_is_ended(job):
    outcome = job(3, spares=1, environment={"RENGA_DISTRIBUTED_TIMEOUT": "1"}, hang=[[5, 1]])
    assert outcome.status == 0, outcome.err
    assert outcome.ranks == ends(3, [3] * STEPS)
    assert "late: rank 1 (" in outcome.err
    assert "in hang" in outcome.err
    assert "That is longer than distributed.timeout, 1 s: rank 1 is ended, and the others go on." in outcome.err


def test_ctrl_c_stops_all(job):
    def interrupt(process):
        assert [process.stdout.readline() for _ in range(2)] == ["hangs\n"] * 2
        process.send_signal(signal.SIGINT)

    outcome = job(2, spares=1, hang=[[5, 0], [5, 1]], meanwhile=interrupt)
    assert outcome.status == 130, outcome.err


def test_ranks_that_were_started_otherwise(tmp_path):
    program = "from renga.distributed import create_communicator\ncreate_communicator('resilient')\n"
    (tmp_path / "program.py").write_text(program)
    command = [sys.executable, "-m", "renga", "launch", "-n", "2", str(tmp_path / "program.py")]
    outcome = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert outcome.returncode == 1
    assert (
        "communicator 'resilient': these 2 ranks were started without fault tolerance. "
        "Next: renga launch -n 2 --fault-tolerant PROGRAM"
    ) in outcome.stderr
