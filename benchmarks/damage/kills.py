"""A run that is killed (SIGKILL) at random moments while it saves, and goes on, in the same folder, again and again."""

from __future__ import annotations

import os
import random
import select
import signal
import time
import warnings
from dataclasses import dataclass
from pathlib import Path

from benchmarks.damage.subject import Writer, make, run_until_killed

__all__ = ["Kills", "kill_again_and_again"]

_LATEST = 0.03
"""Seconds, at most, from the start of a run, or from its first save, to its end. A save takes some thousandths."""
_PATIENCE = 60.0


@dataclass
class Kills:
    """What came of it.

    Attributes:
        kills: How often.
        in_the_middle: A file was being written at that moment.
        saved: Iterations that were saved in all.
        wrong: What was loaded then is not what was written.
        lost: It is of an earlier iteration than the run had told to be saved.
        refused: Nothing was loaded, or the run did not go on.
        skipped: A file was skipped as damaged.
        left: Hidden files were there after the next save.
    """

    kills: int = 0
    in_the_middle: int = 0
    saved: int = 0
    wrong: int = 0
    lost: int = 0
    refused: int = 0
    skipped: int = 0
    left: int = 0

    @property
    def failed(self) -> bool:
        """Whether any result is wrong."""
        return any((self.wrong, self.lost, self.refused, self.skipped, self.left))


def kill_again_and_again(folder: Path, writer: Writer, times: int, seed: int = 0) -> Kills:
    """Kill a run so often.

    Args:
        folder: Of the run; empty at first.
        writer: How it saves.
        times: How often.
        seed: Of the moments, and of how much is saved.
    """
    rng = random.Random(seed)
    rows = rng.choice([40, 4000])
    found, saved = Kills(), 0
    for _ in range(times):
        told = _run_and_kill(folder, rows, writer, rng, found)
        saved = max([saved, *told])
        found.kills += 1
        found.saved += len(told)
        found.in_the_middle += any(path.suffix == ".tmp" for path in folder.glob(".*"))
        _, state, load = make(folder, rows, writer)
        try:
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                load()
        except Exception as error:
            print(f"REFUSED: {error}")
            found.refused += 1
            continue
        found.skipped += len(caught)
        found.wrong += not state.is_right()
        found.lost += state.iteration < saved
    return found


def _run_and_kill(folder: Path, rows: int, writer: Writer, rng: random.Random, found: Kills) -> list[int]:
    """Let it run for a while, and kill it; return of which iterations it has told that they were saved."""
    reader, end = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            run_until_killed(folder, rows, writer, lambda iteration: os.write(end, b"%d\n" % iteration))
        finally:
            os._exit(1)
    os.close(end)
    text = b""
    with open(reader, "rb", buffering=0) as pipe:
        if rng.random() < 0.5:
            ready, _, _ = select.select([pipe], [], [], _PATIENCE)
            text = pipe.read(4096) if ready else b""
            # It has saved once: what was left before is gone, but for what it writes at the moment.
            found.left += len(list(folder.glob(".*.tmp"))) > 1
            found.refused += not text
        # Else it may be killed while it looks for what there is, and loads it.
        time.sleep(rng.uniform(0, _LATEST))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while more := pipe.read(65536):
            text += more
    return [int(line) for line in text.decode().split("\n")[:-1]]
