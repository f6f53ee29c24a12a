"""Function hooks that need CUDA: ranges for NVIDIA's profilers, and how much memory functions take.

The classes can be imported, and looked at, without CuPy; it is needed to make one.
"""

from __future__ import annotations

import sys
from typing import Any, TextIO

from renga_core.backend import Array
from renga_core.errors import RengaError
from renga_core.graph import FunctionHook, FunctionNode

__all__ = ["CUDAProfileHook", "CupyMemoryProfileHook"]


class CUDAProfileHook(FunctionHook):
    """Marks each function as a range for NVIDIA's profilers (NVTX), so that Nsight shows which kernels it has launched.

    A range is named like ``Linear.forward`` or ``Linear.backward``.

    Raises:
        RengaError: CuPy cannot be imported.
    """

    name = "CUDAProfileHook"

    def __init__(self) -> None:
        self._nvtx = _cupy(type(self).__name__).cuda.nvtx

    def forward_preprocess(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """Begin a range."""
        self._nvtx.RangePush(f"{function.label}.forward")

    def forward_postprocess(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """End it."""
        self._nvtx.RangePop()

    def forward_aborted(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """End it."""
        self._nvtx.RangePop()

    def backward_aborted(
        self, function: FunctionNode, in_data: tuple[Array | None, ...], out_grad: tuple[Array | None, ...]
    ) -> None:
        """End it."""
        self._nvtx.RangePop()

    def backward_preprocess(
        self, function: FunctionNode, in_data: tuple[Array | None, ...], out_grad: tuple[Array | None, ...]
    ) -> None:
        """Begin a range."""
        self._nvtx.RangePush(f"{function.label}.backward")

    def backward_postprocess(
        self, function: FunctionNode, in_data: tuple[Array | None, ...], out_grad: tuple[Array | None, ...]
    ) -> None:
        """End it."""
        self._nvtx.RangePop()


class CupyMemoryProfileHook(FunctionHook):
    """Adds up the memory that each function takes from CuPy's pool, forward and backward, and the pool from CUDA.

    What is given back is not subtracted.

    Attributes:
        call_history: For each function in the order in which they ended, its name, bytes from the pool, and bytes that
            the pool had to take from CUDA for them.

    Raises:
        RengaError: CuPy cannot be imported.
    """

    name = "CupyMemoryProfileHook"

    def __init__(self) -> None:
        self.call_history: list[tuple[str, int, int]] = []
        self._counter = _make_counter(_cupy(type(self).__name__))
        self._running: list[tuple[int, int]] = []
        self._total = (0, 0)

    def added(self, function: FunctionNode | None) -> None:
        """Listen to the pool."""
        self._counter.__enter__()

    def deleted(self, function: FunctionNode | None) -> None:
        """Listen no longer."""
        self._counter.__exit__()

    def forward_preprocess(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """Start."""
        self._start()

    def forward_postprocess(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """Stop."""
        self._stop(function)

    def forward_aborted(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """Forget the call."""
        self._running.pop()

    def backward_preprocess(
        self, function: FunctionNode, in_data: tuple[Array | None, ...], out_grad: tuple[Array | None, ...]
    ) -> None:
        """Start."""
        self._start()

    def backward_postprocess(
        self, function: FunctionNode, in_data: tuple[Array | None, ...], out_grad: tuple[Array | None, ...]
    ) -> None:
        """Stop."""
        self._stop(function)

    def backward_aborted(
        self, function: FunctionNode, in_data: tuple[Array | None, ...], out_grad: tuple[Array | None, ...]
    ) -> None:
        """Forget the call."""
        self._running.pop()

    def total_used_bytes(self) -> int:
        """Bytes that all functions took from the pool."""
        return self._total[0]

    def total_acquired_bytes(self) -> int:
        """Bytes that the pool took from CUDA during this time."""
        return self._total[1]

    def summary(self) -> dict[str, dict[str, int]]:
        """By name, ``used_bytes``, ``acquired_bytes``, and ``occurrence``, the number of calls."""
        found: dict[str, dict[str, int]] = {}
        for name, used, acquired in self.call_history:
            row = found.setdefault(name, {"used_bytes": 0, "acquired_bytes": 0, "occurrence": 0})
            row["used_bytes"] += used
            row["acquired_bytes"] += acquired
            row["occurrence"] += 1
        return found

    def print_report(self, unit: str = "auto", file: TextIO | None = None) -> None:
        """Print the summary as a table.

        Args:
            unit: ``"B"``, ``"KB"``, ``"MB"``, ``"GB"``, ``"TB"`` (of 1024); ``"auto"`` for one that suits the largest,
                and ``"auto_foreach"`` for one that suits each.
            file: Where to; standard output if None.

        Raises:
            ValueError: The unit is unknown.
        """
        if unit not in (*UNITS, "auto", "auto_foreach"):
            raise ValueError(f"unit is {unit!r}; choose from {', '.join(UNITS)}, auto, auto_foreach")
        found = self.summary()
        largest = max([max(row["used_bytes"], row["acquired_bytes"]) for row in found.values()], default=0)

        def text(size: int) -> str:
            chosen = {"auto": _suiting(largest), "auto_foreach": _suiting(size)}.get(unit, unit)
            return f"{size / UNITS[chosen]:.2f}{chosen}"

        rows = [["FunctionName", "UsedBytes", "AcquiredBytes", "Occurrence"]]
        for name, row in found.items():
            rows.append([name, text(row["used_bytes"]), text(row["acquired_bytes"]), str(row["occurrence"])])
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for first, *others in rows:
            cells = [first.ljust(widths[0]), *[cell.rjust(w) for cell, w in zip(others, widths[1:], strict=True)]]
            print("  ".join(cells), file=file or sys.stdout)

    def _start(self) -> None:
        self._running.append((self._counter.used, self._counter.acquired))

    def _stop(self, function: FunctionNode) -> None:
        used, acquired = self._running.pop()
        used, acquired = self._counter.used - used, self._counter.acquired - acquired
        self.call_history.append((function.label, used, acquired))
        if not self._running:
            self._total = self._total[0] + used, self._total[1] + acquired


UNITS = {unit: 1024**power for power, unit in enumerate(("B", "KB", "MB", "GB", "TB"))}


def _suiting(size: int) -> str:
    """The largest unit of which it is at least one."""
    return next((unit for unit in reversed(UNITS) if size >= UNITS[unit]), "B")


def _cupy(asker: str) -> Any:
    try:
        import cupy
    except ImportError as error:
        raise RengaError(
            f"{asker} needs CuPy, which cannot be imported: {error}.\n"
            "Next: pip install 'renga[cuda12]' or 'renga[cuda13]'"
        ) from error
    return cupy


def _make_counter(cupy: Any) -> Any:
    class Counter(cupy.cuda.memory_hook.MemoryHook):  # type: ignore[misc]  # CuPy has no types
        """Bytes taken from the pool, and by the pool, since it was made."""

        name = "renga_backend_cupy"

        def __init__(self) -> None:
            self.used = 0
            self.acquired = 0

        def malloc_preprocess(self, **kwargs: Any) -> None:
            """Called for each allocation from the pool."""
            self.used += kwargs["mem_size"]

        def alloc_preprocess(self, **kwargs: Any) -> None:
            """Called for each allocation of the pool's."""
            self.acquired += kwargs["mem_size"]

    return Counter()
