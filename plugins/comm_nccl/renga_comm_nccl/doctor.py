"""Checks of `renga doctor` for NCCL: library, driver, and connections between GPUs.

A separate process, ``python -m renga_comm_nccl.doctor``, queries the driver, because this creates contexts on all GPUs
and may hang.
"""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
from typing import Any, NamedTuple

from renga_comm_nccl.calls import NcclError, nccl, version_text
from renga_comm_nccl.library import LibraryMissing
from renga_core.plugin import State

__all__ = ["Check", "check"]

_CUDA_OF_DRIVER = 12000
_NEWER = {"ncclCommSplit": "split", "ncclCommShrink": "shrink", "ncclCommRevoke": "revoke", "ncclCommGrow": "grow"}


class Check(NamedTuple):
    """Subject, state and details of a check."""

    what: str
    state: State
    about: str


def check(timeout: float, hosts: str | None = None) -> list[Check]:
    """Check this machine.

    Args:
        timeout: Time in seconds in which the driver must answer.
        hosts: Ignored: run `renga doctor` on each host.
    """
    return [_library(), *_devices(timeout)]


def _library() -> Check:
    try:
        found = nccl()
    except (LibraryMissing, NcclError) as error:
        return Check("nccl library", State.UNAVAILABLE, str(error))
    offers = [word for name, word in _NEWER.items() if found.has(name)]
    having = f"it has {', '.join(offers)}" if offers else "it lacks split, shrink, revoke and grow"
    shrinks = "shrinks its NCCL communicator" if found.has("ncclCommShrink") else "connects all devices anew"
    about = f"NCCL {version_text(found.version)} from {found.place}; {having}. After a death, resilient_nccl {shrinks}"
    return Check("nccl library", State.READY, about)


def _devices(timeout: float) -> list[Check]:
    if importlib.util.find_spec("cupy") is None:
        return [Check("nccl devices", State.UNAVAILABLE, "CuPy is not installed. Next: pip install 'renga[cuda13]'")]
    command = [sys.executable, "-m", "renga_comm_nccl.doctor"]
    try:
        asked = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    except subprocess.TimeoutExpired:
        return [Check("nccl devices", State.BROKEN, f"the driver has not answered in {timeout:g} s. Next: nvidia-smi")]
    lines = asked.stdout.splitlines()
    if asked.returncode or not lines:
        said = (asked.stderr.strip().splitlines() or ["nothing was said"])[-1]
        return [Check("nccl devices", State.BROKEN, f"asking CuPy for devices failed: {said}")]
    return [*(_row(told) for told in json.loads(lines[-1])), *_mig(timeout)]


def _row(told: dict[str, str]) -> Check:
    return Check(told["what"], State(told["state"]), told["about"])


def _mig(timeout: float) -> list[Check]:
    """Check whether GPUs are divided: NCCL cannot connect the parts of a GPU."""
    command = shutil.which("nvidia-smi")
    if command is None:
        return []
    query = [command, "--query-gpu=index,mig.mode.current", "--format=csv,noheader"]
    try:
        said = subprocess.run(query, capture_output=True, text=True, timeout=timeout).stdout
    except (OSError, subprocess.TimeoutExpired):
        return []
    divided = [line.split(",")[0] for line in said.splitlines() if "Enabled" in line]
    if not divided:
        return []
    about = f"GPU {', '.join(divided)}: MIG is on, and NCCL connects no two parts. Next: its owner turns it off"
    return [Check("nccl MIG", State.UNAVAILABLE, about)]


def _ask() -> list[dict[str, str]]:
    """In the separate process: report what CuPy knows about driver and devices."""
    import cupy

    runtime: Any = cupy.cuda.runtime
    try:
        count = int(runtime.getDeviceCount())
    except runtime.CUDARuntimeError as error:
        return [_told("nccl devices", State.UNAVAILABLE, f"there is no GPU here that CuPy can use: {error}")]
    if count == 0:
        return [_told("nccl devices", State.UNAVAILABLE, "there is no GPU here, or CUDA_VISIBLE_DEVICES hides it")]
    driver = int(runtime.driverGetVersion())
    rows = []
    old = driver < _CUDA_OF_DRIVER
    about = f"the driver is for CUDA {driver // 1000}.{driver % 1000 // 10}"
    if old:
        about += ", but NCCL's wheels need 12.0 or newer. Next: a newer driver"
    rows.append(_told("nccl driver", State.UNAVAILABLE if old else State.READY, about))
    plural = "" if count == 1 else "s"
    about = f"{count} device{plural}; each rank needs its own device: at most {count} rank{plural} on this machine"
    rows.append(_told("nccl devices", State.READY, about))
    apart = [(i, j) for i in range(count) for j in range(i) if not runtime.deviceCanAccessPeer(i, j)]
    if apart:
        pairs = ", ".join(f"{j} and {i}" for i, j in apart[:4]) + (", …" if len(apart) > 4 else "")
        about = f"devices {pairs} do not reach each other's memory: NCCL copies through the host there, which is slower"
    else:
        about = "one device: no connections to check" if count == 1 else "all devices reach each other's memory"
    return [*rows, _told("nccl peer access", State.READY, about)]


def _told(what: str, state: State, about: str) -> dict[str, str]:
    return {"what": what, "state": str(state), "about": " ".join(about.split())}


if __name__ == "__main__":
    # Keep CuPy's own output out of the answer.
    answer = os.dup(1)
    os.dup2(2, 1)
    with os.fdopen(answer, "w") as out:
        out.write(json.dumps(_ask()) + "\n")
