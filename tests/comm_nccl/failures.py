"""Failures at random calls of the fake libnccl: does each job end in time, with a sentence, and leave nothing behind?

python tests/comm_nccl/failures.py --count 200 --seed 1
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
PROGRAM = HERE / "programs" / "failing.py"
KINDS = ("refuse", "error", "hang", "kill", "kill-within", "slow", "stop")
STEPS = 3
CALLS = {2: 48, 3: 115, 4: 130}
"""About how many calls of NCCL the program makes on a rank in so many steps, by the number of ranks."""
TIMEOUT = 2.0
"""Seconds that ranks wait for each other, as they are told."""
LIMIT = 60.0
"""Seconds for a job; to start it takes some of them on a busy machine."""
SENTENCES = ("renga: rank", "RankFailed", "NcclError")
MARK = "RENGA_TEST_FAILURES"


class Failure(NamedTuple):
    kind: str
    size: int
    rank: int
    call: int

    @classmethod
    def random(cls, seed: int) -> Failure:
        dice = random.Random(seed)
        size = dice.choice((2, 3, 4))
        return cls(dice.choice(KINDS), size, dice.randrange(size), dice.randrange(1, CALLS[size]))

    def environment(self) -> dict[str, str]:
        if self.kind == "stop":
            return {"RENGA_TEST_STOP": f"{self.rank}:{self.call % STEPS}"}
        argument = ":300" if self.kind == "slow" else ""
        return {"FAKE_NCCL_FAULTS": f"{self.rank}:{self.call}:{self.kind}{argument}"}


class Outcome(NamedTuple):
    problem: str
    status: int
    seconds: float
    written: str


def run(failure: Failure, environment: dict[str, str]) -> Outcome:
    """Run the program with a failure, and say what is wrong with how it ended; "" if nothing is."""
    mark = f"{os.getpid()}-{time.monotonic_ns()}"
    variables = {
        **os.environ,
        **environment,
        **failure.environment(),
        MARK: mark,
        "RENGA_DISTRIBUTED_TIMEOUT": str(TIMEOUT),
        "OMP_NUM_THREADS": "1",
        "OPENBLAS_NUM_THREADS": "1",
    }
    launch = ["-m", "renga", "launch", "-n", str(failure.size), "--communicator", "pure_nccl"]
    before = set(os.listdir("/dev/shm"))
    began = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, *launch, sys.executable, str(PROGRAM), str(STEPS)],
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
    problem = problem or _judge(failure, process.returncode, written)
    left = [name for name in set(os.listdir("/dev/shm")) - before if "nccl" in name or "renga" in name]
    alive = _alive(mark)
    if left:
        problem += f"; in /dev/shm it leaves {left}"
    if alive:
        problem += f"; it leaves processes {alive}"
        for number in alive:
            with suppress(ProcessLookupError):
                os.kill(number, signal.SIGKILL)
    return Outcome(problem, process.returncode, seconds, written)


def _judge(failure: Failure, status: int, written: str) -> str:
    reached = written.count("has come to the end") == failure.size
    if failure.kind == "slow":
        return "" if status == 0 and reached else f"status {status}, though nothing has failed"
    if status == 0:  # the failure was to come after the last call of its rank
        return "" if reached else "status 0, and not all ranks have come to the end"
    return "" if any(sentence in written for sentence in SENTENCES) else "it says nothing"


def _alive(mark: str) -> list[int]:
    """Processes of a job that are still there, but for zombies."""
    found = []
    for _ in range(20):
        found = []
        for number in filter(str.isdecimal, os.listdir("/proc")):
            with suppress(OSError):
                if f"{MARK}={mark}".encode() in Path(f"/proc/{number}/environ").read_bytes():
                    found.append(int(number))
        if not found:
            break
        time.sleep(0.05)
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
    sys.path.insert(0, str(HERE.parent / "support"))
    import fake_libnccl

    path = os.pathsep.join([str(HERE / "fake_site"), os.environ.get("PYTHONPATH", "")])
    environment = {"RENGA_NCCL_LIBRARY": str(fake_libnccl.library()), "PYTHONPATH": path}
    kinds: Counter[str] = Counter()
    problems, failed, longest, injected = 0, 0, 0.0, 0
    for seed in range(arguments.seed, arguments.seed + arguments.count):
        failure = Failure.random(seed)
        outcome = run(failure, environment)
        kinds[failure.kind] += 1
        failed += outcome.status != 0
        injected += outcome.status != 0 or failure.kind == "slow"
        longest = max(longest, outcome.seconds)
        print(f"{seed} {failure} status {outcome.status} in {outcome.seconds:.1f} s {outcome.problem}", flush=True)
        if outcome.problem:
            problems += 1
            print(outcome.written[-3000:], flush=True)
    counts = ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items()))
    print(
        f"{arguments.count} jobs ({counts}): in {injected} the failure came before the end; {failed} have failed, "
        f"{problems} wrongly; the longest took {longest:.1f} s"
    )
    return bool(problems)


if __name__ == "__main__":
    sys.exit(main())
