"""Measurements in `benchmarks/results/GROUP.json`; a later run of some workloads replaces only their entries."""

from __future__ import annotations

import datetime
import json
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.race import Entry

__all__ = ["RESULTS", "Record", "load", "machine", "record", "store"]

RESULTS = Path(__file__).parent / "results"

Record = dict[str, Any]
"""Record of a workload: ``date``, ``machine``, ``threads``, ``load`` (of the last minute, if recorded), and
``entries``, which maps contestants to `Entry.record()`."""


def record(entries: Mapping[str, Entry], threads: int) -> Record:
    """Measurement of one workload, with date and machine."""
    return {
        "date": datetime.date.today().isoformat(),
        "machine": machine(),
        "threads": threads,
        "load": round(os.getloadavg()[0], 1),
        "entries": {name: entry.record() for name, entry in entries.items()},
    }


def load(group: str, folder: Path) -> dict[str, Record]:
    """The records of a group's workloads, by name."""
    path = folder / f"{group}.json"
    return json.loads(path.read_text()) if path.exists() else {}


def store(group: str, folder: Path, records: Mapping[str, Record]) -> None:
    """Store the records of a group."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{group}.json").write_text(json.dumps(records, indent=1, ensure_ascii=False) + "\n")


def machine() -> str:
    """Name of the processor, and its number of cores."""
    name = platform.machine()
    cpuinfo = Path("/proc/cpuinfo")
    if cpuinfo.exists():
        models = [line.partition(":")[2].strip() for line in cpuinfo.read_text().splitlines() if "model name" in line]
        name = f"{models[0]} ({name})" if models else name
    return f"{name}, {os.cpu_count()} cores"
