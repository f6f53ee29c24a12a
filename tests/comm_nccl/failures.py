"""Failures at random calls of the fake libnccl: does each job end in time, with a sentence, and leave nothing behind?

python tests/comm_nccl/failures.py --count 200 --seed 1
"""

from __future__ import annotations

import argparse
import os
import random
import sys
from collections import Counter
from pathlib import Path
from typing import NamedTuple

HERE = Path(__file__).parent
if __name__ == "__main__":  # in tests, the folder is on the path
    sys.path.insert(0, str(HERE.parent / "support"))

import fake_libnccl  # noqa: E402 - from that folder
import nccl_jobs  # noqa: E402

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
    variables = environment | failure.environment() | {"RENGA_DISTRIBUTED_TIMEOUT": str(TIMEOUT)}
    options = ["-n", str(failure.size), "--communicator", "pure_nccl"]
    ended = nccl_jobs.run(options, [str(PROGRAM), str(STEPS)], variables, LIMIT, wait=1.0)
    problem = "it hangs" if ended.hangs else _judge(failure, ended.status, ended.written)
    return Outcome(problem + ended.left, ended.status, ended.seconds, ended.written)


def _judge(failure: Failure, status: int, written: str) -> str:
    reached = written.count("has come to the end") == failure.size
    if failure.kind == "slow":
        return "" if status == 0 and reached else f"status {status}, though nothing has failed"
    if status == 0:  # the failure was to come after the last call of its rank
        return "" if reached else "status 0, and not all ranks have come to the end"
    return "" if any(sentence in written for sentence in SENTENCES) else "it says nothing"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    arguments = parser.parse_args()
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
