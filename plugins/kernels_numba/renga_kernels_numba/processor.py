"""The processor of this machine: what LLVM would say, without LLVM where Linux describes the processor."""

from __future__ import annotations

import functools
import platform
from pathlib import Path

__all__ = ["description", "features"]

_FILE = Path("/proc/cpuinfo")
_IDENTITY = ("vendor_id", "cpu family", "model", "stepping", "flags")


@functools.cache
def description() -> str:
    """Return all that LLVM's choice of instructions depends on."""
    found = _lines()
    if found is not None:
        return "; ".join(found[name] for name in _IDENTITY)
    import llvmlite.binding as llvm

    return f"{llvm.get_host_cpu_name()} {llvm.get_host_cpu_features().flatten()}"


@functools.cache
def features() -> frozenset[str]:
    """Return names of instruction sets that the processor and the system support, such as ``avx512f``."""
    found = _lines()
    if found is not None:
        return frozenset(found["flags"].split())
    import llvmlite.binding as llvm

    return frozenset(name for name, there in llvm.get_host_cpu_features().items() if there)


def _lines() -> dict[str, str] | None:
    """Return Linux's description of the first core; None for other systems and processors."""
    if platform.machine() != "x86_64":
        return None
    try:
        first = _FILE.read_text().partition("\n\n")[0]
    except OSError:
        return None
    pairs = [line.partition(":") for line in first.splitlines()]
    found = {name.strip(): value.strip() for name, _, value in pairs}
    return found if all(name in found for name in _IDENTITY) else None
