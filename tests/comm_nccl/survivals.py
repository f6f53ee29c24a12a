"""Failures at random moments in jobs of `resilient_nccl`: do the others go on, in time, and with the right results?

python tests/comm_nccl/survivals.py --count 200 --seed 1

Each job is `programs/surviving.py` on 2 to 4 ranks, with 0 or 1 processes to replace the dead, on the stand-in for
libnccl of a random version: with revoke, shrink and grow, with shrink only, or with none. One or two processes fail in
an iteration before the last one: killed, stopped, or by an exception, or NCCL refuses, fails, hangs or dies within a
call.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
PROGRAM = HERE / "programs" / "surviving.py"
KINDS = ("kill", "stop", "raise", "slow", "nccl-kill", "nccl-kill-within", "nccl-hang", "nccl-error", "nccl-refuse")
LOSE = ("kill", "stop", "raise", "nccl-kill", "nccl-kill-within")
"""Kinds by which a process is lost; after the others, all go on."""
STEPS = 8
CALLS = {2: 8, 3: 22, 4: 28}
"""About how many calls of NCCL a rank makes in an iteration, by the number of ranks."""
VERSIONS = (22902, 22703, 22602)
TIMEOUT = 5.0
LIMIT = 90.0
MARK = "RENGA_TEST_SURVIVALS"

_spec = importlib.util.spec_from_file_location("surviving_nccl", PROGRAM)
surviving = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(surviving)


class Fault(NamedTuple):
    kind: str
    iteration: int
    rank: int
    moment: int


class Job(NamedTuple):
    size: int
    faults: tuple[Fault, ...]
    options: tuple[str, ...] = ()
    version: int = VERSIONS[0]

    @classmethod
    def random(cls, seed: int) -> Job:
        dice = random.Random(seed)
        size = dice.choice((2, 3, 4))
        ranks = dice.sample(range(size), min(size - 1, dice.choice((1, 1, 2))))
        faults = tuple(Fault(dice.choice(KINDS), dice.randrange(STEPS - 1), rank, dice.randrange(7)) for rank in ranks)
        options = dice.choice(((), ("--spares", "1"), ("--respawn", "1", "--wait"), ("--respawn", "1")))
        return cls(size, faults, options, dice.choice(VERSIONS))

    def arguments(self) -> list[str]:
        return [":".join(map(str, fault)) for fault in self.faults if not fault.kind.startswith("nccl-")]

    def variables(self) -> dict[str, str]:
        calls = CALLS[self.size]
        planned = [
            f"{fault.rank}:{1 + fault.iteration * calls + fault.moment * calls // 7}:{fault.kind[5:]}"
            for fault in self.faults
            if fault.kind.startswith("nccl-")
        ]
        return {"FAKE_NCCL_FAULTS": " ".join(planned), "FAKE_NCCL_STOPPED": "silent"}


class Outcome(NamedTuple):
    problem: str
    status: int
    seconds: float
    written: str
    recoveries: list[float]


def run(job: Job, environment: dict[str, str]) -> Outcome:
    """Run a job, and say what is wrong with how it ended; "" if nothing is."""
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    variables = os.environ | environment | job.variables()
    variables |= {MARK: mark, "RENGA_DISTRIBUTED_TIMEOUT": str(TIMEOUT), "RENGA_OWN_DEVICE": "0,1,2,3,4,5,6,7"}
    variables |= {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    launch = ["-m", "renga", "launch", "-n", str(job.size), "--communicator", "resilient_nccl", *job.options]
    before = set(os.listdir("/dev/shm"))
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, *launch, sys.executable, str(PROGRAM), str(STEPS), *job.arguments()],
        env=variables,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    problem = ""
    try:
        written, _ = process.communicate(timeout=LIMIT)
    except subprocess.TimeoutExpired:
        problem = "it hangs"
        os.killpg(process.pid, signal.SIGKILL)
        written, _ = process.communicate()
    seconds = time.monotonic() - began
    problem = problem or judge(job, process.returncode, written)
    left = [name for name in set(os.listdir("/dev/shm")) - before if "nccl" in name or "renga" in name]
    if left:
        problem += f"; in /dev/shm it leaves {left}"
    if alive := _alive(mark):
        problem += f"; it leaves processes {alive}"
    recoveries = [float(found) for found in re.findall(r"recovered (\d+\.\d+(?:e-\d+)?)", written)]
    return Outcome(problem, process.returncode, seconds, written, recoveries)


def judge(job: Job, status: int, written: str) -> str:
    """Say what is wrong with how a job ended."""
    ends = re.findall(rf"end (\d+) (\d+) ([0-9a-f]{{16}})((?: \d+){{{STEPS}}})", written)
    lost = sum(fault.kind in LOSE for fault in job.faults)
    if status != 0:
        return f"status {status}"
    if not ends:
        return "no rank has come to the end"
    if len({(digest, sizes) for _, _, digest, sizes in ends}) > 1:
        return f"ranks end differently: {ends}"
    if sorted(int(rank) for rank, *_ in ends) != list(range(int(ends[0][1]))):
        return f"not all ranks of the last group have come to the end: {ends}"
    sizes = [int(size) for size in ends[0][3].split()]
    if ends[0][2] != surviving.expected(sizes):
        return f"the result is wrong, of {sizes}"
    replaced = "--spares" in job.options or "--wait" in job.options
    if min(sizes) < job.size - max(0, lost - replaced):
        return f"more ranks were lost than have failed: {sizes}"
    return ""


def _alive(mark: str) -> list[int]:
    """Processes of a job that are still there, but for zombies; they are killed."""
    for _ in range(40):
        found = []
        for number in filter(str.isdecimal, os.listdir("/proc")):
            with suppress(OSError):
                if f"{MARK}={mark}".encode() in Path(f"/proc/{number}/environ").read_bytes():
                    found.append(int(number))
        if not found:
            return []
        time.sleep(0.05)
    for number in found:
        with suppress(ProcessLookupError):
            os.kill(number, signal.SIGKILL)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    sys.path.insert(0, str(HERE.parent / "support"))
    import fake_libnccl

    path = os.pathsep.join([str(HERE / "fake_site"), os.environ.get("PYTHONPATH", "")])
    kinds: Counter[str] = Counter()
    problems, effective, hung, longest = 0, 0, 0, 0.0
    quick: list[float] = []
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        job = Job.random(seed)
        library = str(fake_libnccl.library(job.version))
        outcome = run(job, {"RENGA_NCCL_LIBRARY": library, "PYTHONPATH": path})
        kinds.update(fault.kind for fault in job.faults)
        effective += any(word in outcome.written for word in ("lost ", "the others go on")) or any(
            fault.kind == "slow" for fault in job.faults
        )
        hung += "hangs" in outcome.problem
        longest = max(longest, outcome.seconds)
        waits = {"stop", "nccl-hang"} & {fault.kind for fault in job.faults} or "--wait" in job.options
        quick += [] if waits else outcome.recoveries
        print(f"{seed} {job} status {outcome.status} in {outcome.seconds:.1f} s {outcome.problem}", flush=True)
        if outcome.problem:
            problems += 1
            print(outcome.written[-3000:], flush=True)
    counts = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    median = f"{statistics.median(quick):.3f} s (largest {max(quick):.3f})" if quick else "none"
    print(
        f"{arguments.count} jobs ({counts}): in {effective} the failure came before the end; {hung} hang, {problems} "
        f"end wrongly; the longest took {longest:.1f} s. From the error to the next iteration, without time-outs and "
        f"new processes, median: {median}"
    )
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
