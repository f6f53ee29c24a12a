"""NCCL's functions with their types; their errors as text."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_char, c_char_p, c_int, c_size_t, c_uint, c_void_p
from functools import cache
from typing import Any, Final

from renga_comm_nccl.library import NAMED_HINT, LibraryMissing, load
from renga_core.errors import RengaError

__all__ = [
    "BFLOAT16",
    "DTYPES",
    "IN_PROGRESS",
    "MAX",
    "SUCCESS",
    "SUM",
    "UINT8",
    "Config",
    "Nccl",
    "NcclError",
    "UniqueId",
    "nccl",
    "version_text",
]

SUCCESS: Final = 0
IN_PROGRESS: Final = 7
SUM: Final = 0
MAX: Final = 2
UINT8: Final = 1
BFLOAT16: Final = 9
DTYPES: Final = {
    "int8": 0,
    "uint8": UINT8,
    "int32": 2,
    "uint32": 3,
    "int64": 4,
    "uint64": 5,
    "float16": 6,
    "float32": 7,
    "float64": 8,
    "bfloat16": BFLOAT16,
}
"""NCCL's numbers of the dtypes that it can sum."""


class UniqueId(ctypes.Structure):
    """Unique id of a communicator: 128 bytes, passed by value."""

    _fields_ = (("internal", c_char * 128),)


class Config(ctypes.Structure):
    """``ncclConfig_t`` of NCCL 2.14. Later versions read it, too, because it contains its size and version."""

    _fields_ = (("size", c_size_t), ("magic", c_uint), ("version", c_uint), ("blocking", c_int))

    @classmethod
    def non_blocking(cls) -> Config:
        """Nonblocking mode: calls return at once, so that a call that waits for a dead rank can be aborted."""
        return cls(ctypes.sizeof(cls), 0xCAFEBEEF, 21400, 0)


_COLLECTIVE = (c_int, c_void_p, c_void_p)
"""Last arguments of all collectives: operation, root or peer; communicator; stream."""
_FUNCTIONS: dict[str, tuple[tuple[Any, ...], int]] = {
    "ncclGetVersion": ((POINTER(c_int),), 0),
    "ncclGetUniqueId": ((POINTER(UniqueId),), 0),
    "ncclCommInitRankConfig": ((POINTER(c_void_p), c_int, UniqueId, c_int, POINTER(Config)), 21400),
    "ncclCommFinalize": ((c_void_p,), 21400),
    "ncclCommDestroy": ((c_void_p,), 0),
    "ncclCommAbort": ((c_void_p,), 0),
    "ncclCommGetAsyncError": ((c_void_p, POINTER(c_int)), 0),
    "ncclCommSplit": ((c_void_p, c_int, c_int, POINTER(c_void_p), POINTER(Config)), 21800),
    "ncclCommShrink": ((c_void_p, POINTER(c_int), c_int, POINTER(c_void_p), POINTER(Config), c_int), 22700),
    "ncclCommRevoke": ((c_void_p, c_int), 22807),
    "ncclCommGetUniqueId": ((c_void_p, POINTER(UniqueId)), 22900),
    "ncclCommGrow": ((c_void_p, c_int, POINTER(UniqueId), c_int, POINTER(c_void_p), POINTER(Config)), 22900),
    "ncclRedOpCreatePreMulSum": ((POINTER(c_int), c_void_p, c_int, c_int, c_void_p), 21100),
    "ncclGroupStart": ((), 0),
    "ncclGroupEnd": ((), 0),
    "ncclAllReduce": ((c_void_p, c_void_p, c_size_t, c_int, *_COLLECTIVE), 0),
    "ncclBroadcast": ((c_void_p, c_void_p, c_size_t, c_int, *_COLLECTIVE), 0),
    "ncclReduceScatter": ((c_void_p, c_void_p, c_size_t, c_int, *_COLLECTIVE), 0),
    "ncclAllGather": ((c_void_p, c_void_p, c_size_t, c_int, c_void_p, c_void_p), 0),
    "ncclSend": ((c_void_p, c_size_t, c_int, *_COLLECTIVE), 20700),
    "ncclRecv": ((c_void_p, c_size_t, c_int, *_COLLECTIVE), 20700),
}
"""Argument types of each function, and the first version that has it (2.14.0 is 21400). All return a result code."""


class NcclError(RengaError):
    """NCCL refuses a call, or has failed."""


class Nccl:
    """The functions of one libnccl.

    Attributes:
        version: 23203 for 2.32.3.
        place: Path of the library.

    Raises:
        LibraryMissing: It is another library.
    """

    def __init__(self, library: ctypes.CDLL, place: str) -> None:
        self.place = place
        self._library = library
        if not (self.has("ncclGetVersion") and self.has("ncclGetErrorString")):
            raise LibraryMissing(f"{place} is a library, but not NCCL. Next: {NAMED_HINT}")
        for name, (types, _) in _FUNCTIONS.items():
            if hasattr(library, name):
                function = getattr(library, name)
                function.argtypes, function.restype = types, c_int
        library.ncclGetErrorString.argtypes, library.ncclGetErrorString.restype = (c_int,), c_char_p
        if hasattr(library, "ncclGetLastError"):
            library.ncclGetLastError.argtypes, library.ncclGetLastError.restype = (c_void_p,), c_char_p
        version = c_int()
        self.check("ncclGetVersion", self.call("ncclGetVersion", ctypes.byref(version)), "this process")
        self.version = version.value

    def has(self, name: str) -> bool:
        """Whether this version has a function."""
        return hasattr(self._library, name)

    def call(self, name: str, *args: Any) -> int:
        """Call a function, and return its result code.

        Raises:
            NcclError: This version lacks it.
        """
        if not self.has(name):
            needed = version_text(_FUNCTIONS[name][1])
            raise NcclError(
                f"{name} needs NCCL {needed}, and {self.place} is NCCL {version_text(self.version)}. "
                "Next: pip install -U 'renga[nccl13]' (or nccl12)"
            )
        code: int = getattr(self._library, name)(*args)
        return code

    def check(self, name: str, code: int, who: str, comm: c_void_p | None = None) -> None:
        """Check that a call has succeeded, or is in progress.

        Raises:
            NcclError: It has failed.
        """
        if code not in (SUCCESS, IN_PROGRESS):
            raise NcclError(
                f"{who}: {name} failed: {self.describe(code, comm)}. Next: set NCCL_DEBUG=INFO to see NCCL's log"
            )

    def describe(self, code: int, comm: c_void_p | None = None) -> str:
        """Describe a result code in NCCL's words, with its last error."""
        words = (self._library.ncclGetErrorString(code) or b"unknown").decode(errors="replace")
        last = b""
        if self.has("ncclGetLastError"):
            last = self._library.ncclGetLastError(comm) or b""
        said = " ".join(last.decode(errors="replace").split())
        return f"{words} (result {code})" + (f"; NCCL says: {said}" if said else "")

    def unique_id(self) -> bytes:
        """Return an id for a new communicator."""
        made = UniqueId()
        self.check("ncclGetUniqueId", self.call("ncclGetUniqueId", ctypes.byref(made)), "this process")
        return bytes(made)


def version_text(version: int) -> str:
    """``2.32.3`` for 23203; before 2.9, a version had one digit less."""
    thousand = 10000 if version >= 10000 else 1000
    return f"{version // thousand}.{version % thousand // 100}.{version % 100}"


@cache
def nccl() -> Nccl:
    """Return the NCCL of this process.

    Raises:
        LibraryMissing: There is no library.
    """
    return Nccl(*load())
