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
import statistics
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
if __name__ == "__main__":  # in tests, the folder is on the path
    sys.path.insert(0, str(HERE.parent / "support"))

import fake_libnccl  # noqa: E402 - from that folder
import nccl_jobs  # noqa: E402

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
    variables = environment | job.variables()
    variables |= {"RENGA_DISTRIBUTED_TIMEOUT": str(TIMEOUT), "RENGA_OWN_DEVICE": "0,1,2,3,4,5,6,7"}
    options = ["-n", str(job.size), "--communicator", "resilient_nccl", *job.options]
    ended = nccl_jobs.run(options, [str(PROGRAM), str(STEPS), *job.arguments()], variables, LIMIT, wait=2.0)
    problem = "it hangs" if ended.hangs else judge(job, ended.status, ended.written)
    recoveries = [float(found) for found in re.findall(r"recovered (\d+\.\d+(?:e-\d+)?)", ended.written)]
    return Outcome(problem + ended.left, ended.status, ended.seconds, ended.written, recoveries)


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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
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
