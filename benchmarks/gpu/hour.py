"""An hour with a GPU: the parts in order of importance, each in its own process with a time limit.

Results are written immediately, so an interrupted run loses nothing, and the next run continues with the first
unfinished part.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.environments import ROOT

__all__ = ["NO_GPU", "Part", "end_of", "finished", "load", "run", "run_part", "without_gpu"]

NO_GPU = 77
"""Exit status of a part that needs a GPU if there is none; the last line of its output has the reason."""

_TAIL = 40
"""Lines of a part's output to keep."""


@dataclass(frozen=True)
class Part:
    """A part of the hour.

    Attributes:
        name: Name in files and on the page.
        title: Title on the page.
        command: Arguments of Python. Each line of its output that is a JSON object is a row of results.
        minutes: Time limit.
    """

    name: str
    title: str
    command: tuple[str, ...]
    minutes: float


def load(path: Path) -> list[dict[str, Any]]:
    """The written entries; an incomplete one is ignored."""
    if not path.exists():
        return []
    entries = []
    for line in path.read_text().splitlines():
        try:
            entries.append(json.loads(line))
        except json.JSONDecodeError:
            continue
    return entries


def end_of(entries: Iterable[dict[str, Any]], name: str) -> dict[str, Any] | None:
    """Result of a part's last run; None if there was none."""
    ends = [entry["end"] for entry in entries if entry["part"] == name and "end" in entry]
    return ends[-1] if ends else None


def without_gpu(end: dict[str, Any]) -> bool:
    """Whether a part ended because there is no GPU."""
    return str(end["how"]).startswith("no GPU")


def finished(entries: Iterable[dict[str, Any]], name: str) -> bool:
    """Whether a part need not run again."""
    end = end_of(entries, name)
    return end is not None and end["how"] == "done"


def run(parts: Sequence[Part], folder: Path, minutes: float, fresh: bool = False) -> list[dict[str, Any]]:
    """Run the unfinished parts, until the time is up, or until one finds that there is no GPU.

    Args:
        parts: In the order in which to run them.
        folder: Folder for ``results.jsonl``; created if missing.
        minutes: Total time limit.
        fresh: Delete earlier results.

    Returns:
        All entries: ``{"part": name, "row": {...}}`` and ``{"part": name, "end": {...}}``.
    """
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "results.jsonl"
    if fresh:
        path.unlink(missing_ok=True)
    before = load(path)
    kept = [entry for entry in before if finished(before, entry["part"])]  # interrupted parts run again
    path.write_text("".join(json.dumps(entry) + "\n" for entry in kept))
    until = time.monotonic() + 60 * minutes
    for number, part in enumerate(parts, 1):
        label = f"[{number}/{len(parts)}] {part.name}"
        if finished(kept, part.name):
            print(f"{label}: done before", flush=True)
            continue
        left = until - time.monotonic()
        if left <= 0:
            print(f"{label}: not started, the {minutes:g} minutes are over", flush=True)
            continue
        print(f"{label}: {part.title} …", flush=True)
        end = run_part(part, path, min(60 * part.minutes, left))
        print(f"{label}: {end['how']}, {end['seconds']:.0f} s", flush=True)
        if without_gpu(end):
            break  # each of the others would say the same
    return load(path)


def run_part(part: Part, path: Path, seconds: float) -> dict[str, Any]:
    """Run one part, and append its rows and its end to a file.

    Returns:
        The end: ``how`` (``done``, ``failed``, ``time is up`` or ``no GPU: …``), ``seconds``, ``tail`` of its output.
    """
    started = time.monotonic()
    process = subprocess.Popen(
        [sys.executable, *part.command],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        start_new_session=True,
    )
    tail: list[str] = []
    timer = threading.Timer(seconds, _kill, (process,))
    timer.start()
    assert process.stdout is not None
    with path.open("a") as file, process.stdout as output:

        def write(**entry: Any) -> None:
            file.write(json.dumps({"part": part.name, **entry}) + "\n")
            file.flush()

        try:
            for line in output:
                row = _row(line)
                if row is not None:
                    write(row=row)
                else:
                    tail = [*tail, line.rstrip()][-_TAIL:]
            status = process.wait()
        finally:
            timed_out = not timer.is_alive()
            timer.cancel()
            _kill(process)
        how = "done" if status == 0 else "failed"
        if timed_out:
            how = f"time is up: {seconds:.0f} s"
        elif status == NO_GPU:
            how = next((line for line in reversed(tail) if line), "no GPU")
        end = {"how": how, "seconds": round(time.monotonic() - started, 1), "tail": [] if status == 0 else tail}
        write(end=end)
    return end


def _row(line: str) -> dict[str, Any] | None:
    try:
        row = json.loads(line)
    except json.JSONDecodeError:
        return None
    return row if isinstance(row, dict) else None


def _kill(process: subprocess.Popen[str]) -> None:
    """End a part and all processes that it has started."""
    try:
        os.killpg(process.pid, signal.SIGKILL)
    except ProcessLookupError:
        return
