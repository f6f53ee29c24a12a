"""Kills a run (SIGKILL) at random moments while it saves, many times; it continues in the same folder."""

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
"""Largest number of seconds from the start of a run, or from its first save, to the kill. A save takes some
milliseconds."""
_PATIENCE = 60.0


@dataclass
class Kills:
    """Results of the kills.

    Attributes:
        kills: How often.
        in_the_middle: A file was being written at that moment.
        saved: Total number of saved iterations.
        wrong: The loaded state is not a state that was written.
        lost: The loaded state is older than the last iteration that the run reported as saved.
        refused: Nothing was loaded, or the run did not continue.
        skipped: A file was skipped as damaged.
        left: Hidden files were left after the next save.
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
    """Kill a run a number of times.

    Args:
        folder: Folder of the run; empty at first.
        writer: The way in which it saves.
        times: How often.
        seed: Seed of the moments, and of the sizes of states.
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
    """Let it run for a while, and kill it; return the iterations that it reported as saved."""
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
            # After its first save, files left by earlier kills are removed; only the file being written may be hidden.
            found.left += len(list(folder.glob(".*.tmp"))) > 1
            found.refused += not text
        # Otherwise it may be killed while it searches for snapshots and loads one.
        time.sleep(rng.uniform(0, _LATEST))
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while more := pipe.read(65536):
            text += more
    return [int(line) for line in text.decode().split("\n")[:-1]]
