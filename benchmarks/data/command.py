"""`python -m benchmarks data`: pictures decoded, augmented and batched by Renga, and by PyTorch with torchvision.

Both read the same 2,000 JPEG files, in batches of 32: a random part resized to 224 × 224, mirrored or not, normalized.
The ways run in turns, with one thread for arithmetic in each process. Processor time includes
helpers; it depends less on other load than the elapsed time does.
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from benchmarks.data.pictures import make_pictures
from benchmarks.environments import FOLDER, ROOT, interpreter, process_environment
from benchmarks.records import RESULTS, machine

__all__ = ["main"]


class Way(NamedTuple):
    """A way of loading batches, and the way that it is compared with."""

    library: str
    helpers: str
    number: int
    beside: tuple[str, int]

    @property
    def name(self) -> str:
        """For the table."""
        return f"{self.library}, {'no helpers' if self.helpers == 'none' else f'{self.number} {self.helpers}'}"


_HEAD = """\
# data

Measured by `python -m benchmarks data`, {date}, on {machine}, load {load:.1f}.

{pictures:,} JPEG files with sides of 256 to 500 pixels, in batches of 32: a random part resized to 224 × 224, mirrored
or not, normalized. Minima of {rounds} turns of {batches} batches. `processor`: processor time, including helpers.
`waited`: time spent waiting for a batch, if each step sleeps for {use:g} ms like a step on a device. Ratios: to torch
with as many processes.

| | ms a batch | / torch | processor, ms a batch | / torch | waited, ms a step |
|---|---:|---:|---:|---:|---:|"""

WAYS = [
    Way("torch", "none", 0, ("none", 0)),
    Way("renga", "none", 0, ("none", 0)),
    *(
        Way(library, helpers, number, ("processes", number))
        for number in (1, 2)
        for library, helpers in (("torch", "processes"), ("renga", "processes"), ("renga", "threads"))
    ),
]


def main(argv: list[str]) -> int:
    """Measure, print the table, and write it."""
    parser = argparse.ArgumentParser("python -m benchmarks data", description=__doc__.partition("\n")[0])
    parser.add_argument("--pictures", type=int, default=2000, help="how many; default: %(default)s")
    parser.add_argument("--batches", type=int, default=24, help="batches in one turn; default: %(default)s")
    parser.add_argument("--rounds", type=int, default=5, help="number of turns of each way; default: %(default)s")
    parser.add_argument("--use", type=float, default=200.0, help="milliseconds of a step, for the time waited")
    parser.add_argument("--results", type=Path, default=RESULTS, help="folder for the table; default: %(default)s")
    arguments = parser.parse_args(argv)
    torch = interpreter("torch", {})
    if torch is None:
        parser.error("PyTorch and torchvision are not installed. Next: python -m benchmarks.environments torch")
    folder = FOLDER / f"pictures-{arguments.pictures}"
    make_pictures(folder, arguments.pictures)
    rounds: dict[str, list[dict[str, float]]] = {way.name: [] for way in WAYS}
    with ExitStack() as processes:
        ask = {
            library: _loader(processes, python, library, folder)
            for library, python in (("renga", sys.executable), ("torch", torch))
        }
        for _ in range(arguments.rounds):
            for way in WAYS:
                taken = ask[way.library](way, arguments.batches, 0.0)
                if way.helpers != "none":
                    taken["waited"] = ask[way.library](way, arguments.batches // 2, arguments.use)["waited"]
                rounds[way.name].append(taken)
    least = {name: {key: min(one[key] for one in all_) for key in all_[0]} for name, all_ in rounds.items()}
    page = _page(least, arguments)
    print(page)
    (arguments.results / "data.md").write_text(page)
    return 0


def _loader(processes: ExitStack, python: str, library: str, folder: Path) -> Any:
    """Start a library's process; return the function that sends requests."""
    path = os.pathsep.join([str(ROOT), *([p] if (p := os.environ.get("PYTHONPATH")) else [])])
    environment = process_environment(python, 1, {"PYTHONPATH": path} if python == sys.executable else {})
    process = processes.enter_context(
        subprocess.Popen(
            [python, str(Path(__file__).with_name("loader.py")), library, str(folder)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )
    )

    def ask(way: Way, batches: int, use_ms: float) -> dict[str, float]:
        assert process.stdin is not None
        assert process.stdout is not None
        wanted = {"helpers": way.helpers, "number": way.number, "batches": batches, "use_ms": use_ms}
        process.stdin.write(json.dumps(wanted) + "\n")
        process.stdin.flush()
        answer = process.stdout.readline()
        if not answer:
            raise RuntimeError(f"the process of {library} ended; its message is above")
        found: dict[str, float] = json.loads(answer)
        return found

    return ask


def _page(least: dict[str, dict[str, float]], arguments: argparse.Namespace) -> str:
    of_torch = {(way.helpers, way.number): least[way.name] for way in WAYS if way.library == "torch"}
    lines = [
        _HEAD.format(
            date=datetime.date.today().isoformat(), machine=machine(), load=os.getloadavg()[0], **vars(arguments)
        )
    ]
    for way in WAYS:
        mine, peer = least[way.name], of_torch[way.beside]
        ratios = [f"{mine[key] / peer[key]:.2f}" if way.library == "renga" else "" for key in ("ms", "cpu")]
        waited = f"{mine['waited']:.1f}" if way.helpers != "none" else ""
        lines.append(f"| {way.name} | {mine['ms']:.1f} | {ratios[0]} | {mine['cpu']:.1f} | {ratios[1]} | {waited} |")
    return "\n".join(lines) + "\n"
