"""`ProfileHook`: times of each function, forward and backward, with the calling link and the kernel."""

from __future__ import annotations

import json
import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter_ns
from types import TracebackType
from typing import Any, TextIO
from weakref import WeakKeyDictionary

from renga_core.backend import Array, get_backend
from renga_core.graph import FunctionHook, FunctionNode
from renga_core.kernel import Implementation, Operation
from renga_core.link import ForwardPostprocessCallbackArgs, ForwardPreprocessCallbackArgs, Link, LinkHook
from renga_core.tracer import Tracer
from renga_serializers.atomic import atomic_write

__all__ = ["ProfileHook", "ProfileRow", "Span"]

_Arrays = tuple[Array | None, ...]


@dataclass(slots=True)
class Span:
    """One measured call.

    Attributes:
        name: Name of the function, of the link's class, or of the section.
        kind: ``"forward"``, ``"backward"``, ``"link"`` or ``"section"``.
        path: Path of the link that was computing, ``/predictor/conv1``; empty outside of links. For a backward: the
            link that called the function.
        start: Nanoseconds since the profile began.
        duration, own: Nanoseconds; `own` excludes nested spans.
        size: Bytes of the input arrays or gradients.
        kernel: The implementation: ``reference``, or the full name of the kernel; empty if there is no choice.
    """

    name: str
    kind: str
    path: str
    start: int
    size: int = 0
    duration: int = 0
    own: int = 0
    kernels: list[str] = field(default_factory=list)

    @property
    def kernel(self) -> str:
        """The distinct implementations."""
        return ", ".join(dict.fromkeys(self.kernels))


@dataclass(slots=True)
class ProfileRow:
    """A group of spans.

    Attributes:
        name, kind, kernel: See `Span`; empty if they differ.
        calls: Number of spans.
        own: Nanoseconds without nested spans, so that rows add up to the total.
        size: Bytes of the inputs.
    """

    name: str
    kind: str
    kernel: str
    calls: int = 0
    own: int = 0
    size: int = 0


class ProfileHook(FunctionHook):
    """Measures functions, forward and backward, links, and sections of the program::

        with ProfileHook() as profile:
            for x, t in batches:
                loss = model(x, t)
                model.cleargrads()
                loss.backward()
                with profile.section("update"):
                    optimizer.update()
        profile.print_report()
        profile.save_trace("trace.json")  # for Perfetto, chrome://tracing and speedscope

    It synchronizes the device before and after each function, so that an accelerator's time is measured. The overhead
    of a profile, some microseconds per function, is included: for small arrays the profile shows the order, not the
    absolute times.

    Attributes:
        spans: The measured spans, in the order in which they ended.

    >>> import numpy as np
    >>> from renga_nn.functions import relu
    >>> with ProfileHook() as profile:
    ...     y = relu(np.ones(2))
    >>> [(row.name, row.kind, row.calls) for row in profile.by_function() if row.calls]
    [('ReLU', 'forward', 1)]
    """

    name = "ProfileHook"

    def __init__(self) -> None:
        self.spans: list[Span] = []
        self._open: list[Span] = []
        self._links: list[str] = []
        self._names: dict[int, str] = {}
        self._called_in: WeakKeyDictionary[FunctionNode, str] = WeakKeyDictionary()
        self._began = 0
        self._measured = 0
        self._exits = ExitStack()

    def __enter__(self) -> ProfileHook:
        super().__enter__()
        self._exits.enter_context(_Links(self))
        self._exits.enter_context(_Choices(self))
        self._began = self._began or perf_counter_ns()
        self._entered = perf_counter_ns()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._measured += perf_counter_ns() - self._entered
        self._open.clear()
        self._exits.close()
        super().__exit__(kind, error, traceback)

    # --- measuring --------------------

    @contextmanager
    def section(self, name: str) -> Iterator[None]:
        """Measure a named part of the program, such as the update."""
        self._start(name, "section")
        try:
            yield
        finally:
            self._stop()

    def wrapped(self, name: str, function: Callable[..., Any]) -> Callable[..., Any]:
        """Wrap a function in a `section`."""

        def call(*args: Any, **kwargs: Any) -> Any:
            with self.section(name):
                return function(*args, **kwargs)

        return call

    def forward_preprocess(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """Start."""
        path = self._links[-1] if self._links else ""
        self._called_in[function] = path
        _wait(in_data)
        self._start(function.label, "forward", path, in_data)

    def forward_postprocess(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """Stop."""
        _wait(in_data)
        self._stop()

    def forward_aborted(self, function: FunctionNode, in_data: tuple[Array, ...]) -> None:
        """Discard the call."""
        self._open.pop()

    def backward_preprocess(self, function: FunctionNode, in_data: _Arrays, out_grad: _Arrays) -> None:
        """Start."""
        _wait(out_grad)
        self._start(function.label, "backward", self._called_in.get(function, ""), out_grad)

    def backward_postprocess(self, function: FunctionNode, in_data: _Arrays, out_grad: _Arrays) -> None:
        """Stop."""
        _wait(out_grad)
        self._stop()

    def backward_aborted(self, function: FunctionNode, in_data: _Arrays, out_grad: _Arrays) -> None:
        """Discard the call."""
        self._open.pop()

    def _start(self, name: str, kind: str, path: str = "", arrays: _Arrays = ()) -> None:
        size = sum([array.size * array.dtype.itemsize for array in arrays if array is not None])
        self._open.append(Span(name, kind, path, perf_counter_ns(), size))

    def _stop(self) -> None:
        span = self._open.pop()
        span.duration = perf_counter_ns() - span.start
        span.own += span.duration
        span.start -= self._began
        if self._open:
            self._open[-1].own -= span.duration
        self.spans.append(span)

    def _chosen(self, kernel: str) -> None:
        if self._open:
            self._open[-1].kernels.append(kernel)

    def _enter_link(self, link: Link) -> None:
        if not self._links:
            self._names = {id(each): path for path, each in link.namedlinks()}
        self._links.append(self._names.get(id(link), f"/{type(link).__name__}"))
        self._start(type(link).__name__, "link", self._links[-1])

    def _leave_link(self, link: Link) -> None:
        self._links.pop()
        self._stop()

    # --- telling --------------------

    @property
    def total(self) -> int:
        """Nanoseconds during which the profile was active."""
        return self._measured

    def by_function(self) -> list[ProfileRow]:
        """A row for each function, with separate rows for forward and backward, and for each section; longest first.

        The Python code of links outside of functions is one row, ``links``. The row ``rest`` contains everything else,
        such as traversing the graph in backward and the program's own code.
        """

        def key(span: Span) -> tuple[str, str, str]:
            return ("links", "own code", "") if span.kind == "link" else (span.name, span.kind, span.kernel)

        return self._rows(key)

    def by_link(self) -> list[ProfileRow]:
        """A row for each link path, forward and backward separately; functions outside of links by name."""

        def key(span: Span) -> tuple[str, str, str]:
            kind = "forward" if span.kind == "link" else span.kind
            return (span.path or span.name, kind, "")

        return self._rows(key)

    def print_report(self, by: str = "function", file: TextIO | None = None, steps: int = 1) -> None:
        """Print a table.

        Args:
            by: ``"function"`` or ``"link"``.
            file: Output stream; None: standard output.
            steps: Divide calls, times and bytes by this number of iterations.

        Raises:
            ValueError: `by` is none of these.
        """
        if by not in ("function", "link"):
            raise ValueError(f"by is {by!r}, but must be 'function' or 'link'")
        rows = self.by_function() if by == "function" else self.by_link()
        table = [("share", "ms", "calls", "µs/call", "MB in", by, "", "kernel")]
        for row in rows:
            table.append(
                (
                    f"{row.own / (self.total or 1):.1%}",
                    f"{row.own / steps / 1e6:.3f}",
                    f"{row.calls / steps:g}" if row.calls else "",
                    f"{row.own / row.calls / 1e3:.1f}" if row.calls else "",
                    f"{row.size / steps / 1e6:.2f}" if row.size else "",
                    row.name,
                    row.kind,
                    row.kernel,
                )
            )
        _print_aligned(table, 5, file or sys.stdout)

    def _rows(self, key: Callable[[Span], tuple[str, str, str]]) -> list[ProfileRow]:
        found: dict[tuple[str, str, str], ProfileRow] = {}
        for span in self.spans:
            common = key(span)
            row = found.setdefault(common, ProfileRow(*common))
            row.calls += 1
            row.own += span.own
            row.size += span.size
        rest = ProfileRow("rest", "", "", 0, self.total - sum(row.own for row in found.values()))
        return sorted([*found.values(), rest], key=lambda row: -row.own)

    # --- for other programs --------------------

    def trace(self) -> dict[str, Any]:
        """The spans as a Chrome trace (Trace Event Format, «complete» events): times in microseconds."""
        process, thread = os.getpid(), threading.get_ident()
        events = [
            {
                "name": span.name if span.kind in ("section", "link") else f"{span.name} {span.kind}",
                "cat": span.kind,
                "ph": "X",
                "ts": span.start / 1e3,
                "dur": span.duration / 1e3,
                "pid": process,
                "tid": thread,
                "args": {"link": span.path, "kernel": span.kernel, "bytes in": span.size},
            }
            for span in sorted(self.spans, key=lambda span: (span.start, -span.duration))
        ]
        return {"traceEvents": events, "displayTimeUnit": "ms"}

    def save_trace(self, path: str | Path) -> None:
        """Write `trace` as a JSON file, for Perfetto, chrome://tracing and speedscope."""
        with atomic_write(path) as file:
            file.write(json.dumps(self.trace()).encode())

    def save_stacks(self, path: str | Path) -> None:
        """Write collapsed stacks, one ``a;b;c nanoseconds`` per line, for flamegraph.pl, inferno and speedscope."""
        totals: dict[str, int] = {}
        for span, stack in self._stacks():
            totals[stack] = totals.get(stack, 0) + span.own
        with atomic_write(path) as file:
            file.write("".join(f"{stack} {own}\n" for stack, own in totals.items() if own > 0).encode())

    def _stacks(self) -> Iterator[tuple[Span, str]]:
        """Each span with the names of the enclosing ones. A backward appears under its link's path."""
        around: list[tuple[int, str]] = []
        for span in sorted(self.spans, key=lambda span: (span.start, -span.duration)):
            while around and around[-1][0] <= span.start:
                around.pop()
            names = {"backward": f"backward;{span.path or '/'};{span.name}", "link": span.path}
            stack = ";".join([*([around[-1][1]] if around else []), names.get(span.kind, span.name)])
            around.append((span.start + span.duration, stack))
            yield span, stack


class _Links(LinkHook):
    """Reports links to a profile."""

    name = "ProfileHook"

    def __init__(self, profile: ProfileHook) -> None:
        self._profile = profile

    def forward_preprocess(self, args: ForwardPreprocessCallbackArgs) -> None:
        self._profile._enter_link(args.link)

    def forward_postprocess(self, args: ForwardPostprocessCallbackArgs) -> None:
        self._profile._leave_link(args.link)

    def forward_aborted(self, args: ForwardPreprocessCallbackArgs) -> None:
        self._profile._leave_link(args.link)


class _Choices(Tracer):
    """Reports kernels to a profile."""

    def __init__(self, profile: ProfileHook) -> None:
        self._profile = profile

    def chosen(self, operation: Operation, implementation: Implementation) -> None:
        self._profile._chosen(implementation.name)


def _wait(arrays: _Arrays) -> None:
    """Wait until the device of the arrays has finished."""
    for array in arrays:
        if array is not None:
            get_backend(array).synchronize()
            return


def _print_aligned(table: Sequence[tuple[str, ...]], numbers: int, file: TextIO) -> None:
    """Print rows; the first `numbers` columns are aligned to the right."""
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = [
            cell.rjust(width) if i < numbers else cell.ljust(width)
            for i, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        print("  ".join(cells).rstrip(), file=file)
