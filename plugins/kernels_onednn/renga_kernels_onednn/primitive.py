"""A computation made for certain shapes, and its execution on addresses."""

from __future__ import annotations

import copy
import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from renga_kernels_onednn import threads
from renga_kernels_onednn.cache import scratch, stream
from renga_kernels_onednn.handles import Description, Handle, Layout
from renga_kernels_onednn.library import DST, SCRATCHPAD, SRC, check, library

__all__ = ["Primitive", "reorder"]


class _Argument(ctypes.Structure):
    _fields_ = [("number", ctypes.c_int), ("memory", ctypes.c_void_p)]


class Primitive:
    """A primitive and a memory object for each of its arguments. For one thread.

    Args:
        description: What it computes.
        arguments: Numbers of the arguments, in the order of the addresses that it is called with.

    Attributes:
        scratchpad: Bytes of scratch memory that the computation needs.
        threads: The number of threads that it was made for; some primitives need it when they compute.
    """

    def __init__(self, description: Description, arguments: Sequence[int]) -> None:
        self.description = description
        self._primitive = Handle(
            "dnnl_primitive_create", "dnnl_primitive_destroy", description.kind, description.pointer
        )
        self.scratchpad = description.scratchpad
        self._numbers = [*arguments, SCRATCHPAD] if self.scratchpad else list(arguments)
        self._place = library().quick.dnnl_memory_set_data_handle
        self._execute = library().calls.dnnl_primitive_execute
        self._stream = stream()
        self.threads = threads.count()
        self._remember()

    def twin(self) -> Primitive:
        """Return a copy with its own memory objects: two threads may use both at once."""
        other = copy.copy(self)
        other._remember()
        return other

    def _remember(self) -> None:
        numbers = self._numbers
        self._memories = [self._memory(number) for number in numbers]
        self._pointers = [memory.pointer for memory in self._memories]
        self._arguments = (_Argument * len(numbers))(
            *[_Argument(number, memory.pointer) for number, memory in zip(numbers, self._memories, strict=True)]
        )

    def _memory(self, number: int) -> Handle:
        what = f"argument {number} of {self.description.kind}"
        layout = self.description.layout(number)
        return Handle("dnnl_memory_create", "dnnl_memory_destroy", what, layout, library().engine, None)

    def __call__(self, *addresses: int) -> None:
        """Compute. The arrays at the addresses must live until it returns.

        Raises:
            OneDNNError: It failed.
        """
        self.place(*addresses)
        self.again()

    def place(self, *addresses: int) -> None:
        """Set the addresses of the arrays."""
        for pointer, address in zip(self._pointers, addresses, strict=False):
            self._place(pointer, address)

    def again(self) -> None:
        """Compute with the addresses that were set last; in all other respects like a call."""
        if self.scratchpad:
            self._place(self._pointers[-1], scratch("scratchpad", self.scratchpad))
        before = threads.use(self.threads)
        try:
            status = self._execute(self._primitive.pointer, self._stream.pointer, len(self._arguments), self._arguments)
        finally:
            if before != self.threads:
                threads.use(before)
        check(status, self.description.kind)

    def prepared(self, scratch: int, stream: Handle) -> Callable[[], int]:
        """A function that computes as `again` does, with the current number of threads, and returns the status.

        Args:
            scratch: Address of scratch memory.
            stream: oneDNN's stream, which must live as long as the returned function.
        """
        if self.scratchpad:
            self._place(self._pointers[-1], scratch)
        call = self._primitive.pointer, stream.pointer, len(self._arguments), self._arguments
        return partial(self._execute, *call)


def reorder(source: Any, target: Any) -> Primitive | None:
    """The primitive that copies an array to another layout; None if the layouts are equal.

    Args:
        source, target: `Layout`, or the result of `Description.layout`.
    """
    a, b = [x.pointer if isinstance(x, Layout) else x for x in (source, target)]
    if library().calls.dnnl_memory_desc_equal(a, b):
        return None
    return Primitive(Description("reorder", a, b), (SRC, DST))
