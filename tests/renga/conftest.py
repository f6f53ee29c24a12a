"""A shell in an empty folder, with a site of its own for fake distributions."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from renga_testing.fake_distribution import write_distribution


@dataclass
class Outcome:
    """How a command ended."""

    status: int
    out: str
    err: str


@dataclass
class Shell:
    """Runs `renga` in a process of its own, in `folder`."""

    folder: Path
    site: Path
    environment: dict[str, str] = field(default_factory=dict)

    def install(self, name: str, plugin: str, **more: Any) -> None:
        """Install a distribution with one plugin: entry point `name`, module `<name>_plugin` with source `plugin`."""
        modules = {f"{name}_plugin": "from renga_core.plugin import *\n" + plugin, **more.pop("modules", {})}
        entry_points = more.pop("entry_points", {name: f"{name}_plugin"})
        distribution = more.pop("distribution", f"{name}-dist")
        write_distribution(self.site, distribution, modules=modules, entry_points=entry_points, **more)

    def write(self, name: str, text: str) -> str:
        """Write a file, and return its name."""
        (self.folder / name).write_text(text, encoding="utf-8")
        return name

    def files(self) -> list[str]:
        """Return what is in the folder, at any depth."""
        return sorted(str(path.relative_to(self.folder)) for path in self.folder.rglob("*"))

    def renga(self, *argv: str, environment: Mapping[str, str] | None = None) -> Outcome:
        """Run the command to its end. Left out of stderr is what the first process that needs a loop says."""
        process = self.start(*argv, environment=environment)
        out, err = process.communicate(timeout=240)
        lines = [line for line in err.splitlines(keepends=True) if not line.startswith("Renga compiles ")]
        return Outcome(process.returncode, out, "".join(lines))

    def start(self, *argv: str, environment: Mapping[str, str] | None = None) -> "subprocess.Popen[str]":
        """Start the command."""
        return subprocess.Popen(
            [sys.executable, "-m", "renga", *argv],
            cwd=self.folder,
            env={**self.environment, **(environment or {})},
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )

    def stop(self, number: signal.Signals, when: Callable[[], bool], *argv: str) -> Outcome:
        """Start the command and send it a signal as soon as `when()` holds."""
        process = self.start(*argv)
        deadline = time.monotonic() + 120
        while not when():
            assert process.poll() is None, f"it ended before it could be stopped: {process.communicate()}"
            assert time.monotonic() < deadline, "the moment to stop it never came"
            time.sleep(0.002)
        process.send_signal(number)
        out, err = process.communicate(timeout=120)
        return Outcome(process.returncode, out, err)


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    environment = {name: value for name, value in os.environ.items() if _is_kept(name)}
    site, folder = tmp_path / "site", tmp_path / "here"
    site.mkdir()
    folder.mkdir()
    # One thread: tests share the machine, and sums over threads may differ in their last bit.
    more = {"PYTHONPATH": str(site), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    return Shell(folder, site, {**environment, **more})


def _is_kept(name: str) -> bool:
    """Settings are not; where compiled loops are is."""
    return name == "RENGA_NUMBA_CACHE" or not name.startswith(("RENGA_", "PYTHON"))
