"""`Loop`: a compiled loop, for kernels."""

from __future__ import annotations

import ctypes
import struct
from collections.abc import Callable
from threading import Lock
from typing import Any, ClassVar

from renga_core.errors import RengaError
from renga_kernels_numba import threads
from renga_kernels_numba.compiling import load

__all__ = ["Loop", "NumbaError"]

_compiling = Lock()


class NumbaError(RengaError):
    """A loop cannot be compiled here."""


class Loop:
    """A function of `renga_kernels_numba.loops`. The first call compiles it, or loads its machine code.

    Args:
        source: ``module:function`` in `renga_kernels_numba.loops`.
        signature: Types of its arguments after the piece, separated by spaces: pointers ``f4*``, ``f8*``, ``i4*``,
            ``i8*``, ``u1*`` …, integers ``i8``, floating-point numbers ``f8``.
        alone: Largest number of pieces that run in the calling thread only. Sharing work with other threads takes 10
            µs, and more on a busy machine: choose the number that takes some 40 µs.
    """

    known: ClassVar[dict[str, Loop]] = {}
    """All loops of the modules imported so far, by source and signature."""

    def __init__(self, source: str, signature: str, alone: int = 1) -> None:
        self.source = source
        self.signature = signature
        self.alone = alone
        self._pack = struct.Struct("qq" + "".join("d" if t == "f8" else "q" for t in signature.split())).pack
        self._data = ctypes.c_char * (16 + 8 * len(signature.split()))
        self._quick: Callable[[Any], None] | None = None
        Loop.known[f"{source} {signature}"] = self

    def __call__(self, pieces: int, *arguments: float) -> None:
        """Run all pieces: a few in this thread, which holds the GIL meanwhile; more in all threads.

        Args:
            pieces: Number of pieces.
            arguments: Addresses of arrays, and numbers, in the order of the signature. The caller keeps the arrays
                alive, and has checked their sizes.

        Raises:
            NumbaError: It cannot be compiled.
        """
        quick = self._quick or self.prepare()
        data = self._data.from_buffer_copy(self._pack(0, pieces, *arguments))
        if pieces > self.alone:
            threads.in_parallel(self._function, data, pieces)
        elif pieces:
            quick(data)

    def prepare(self) -> Callable[[Any], None]:
        """Compile it, or load its machine code. Return the function for one piece.

        Raises:
            NumbaError: It cannot be compiled.
        """
        with _compiling:
            if self._quick is None:
                try:
                    address = load(self.source, self.signature)
                except Exception as error:
                    raise NumbaError(
                        f"loop {self.source}: numba cannot compile it: {type(error).__name__}: {error}. Next: set "
                        "plugins.disable = ['numba'] to use other kernels."
                    ) from error
                self._function = ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)
                self._quick = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(address)
            return self._quick
