"""Loads object files without LLVM, which would take 80 MB of memory and 70 ms.

The files are relocatable ELF files for x86-64 (System V Application Binary Interface, AMD64 supplement, chapter 4). In
the large code model, which numba's compiler uses, code refers to constants and functions by absolute addresses of 64
bits. So there is one kind of relocation.
"""

from __future__ import annotations

import ctypes
import functools
import mmap
import struct
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Unsupported", "function_address"]

_PROGRAM, _SYMBOLS, _RELOCATIONS = 1, 2, 4  # types of sections
_UNWINDING = 0x70000001
_OCCUPIES_MEMORY = 2
_UNDEFINED, _FIRST_RESERVED = 0, 0xFF00  # section numbers of symbols
_ABSOLUTE_64 = 1  # R_X86_64_64
_READ_AND_EXECUTE = mmap.PROT_READ | mmap.PROT_EXEC

_loaded: list[mmap.mmap] = []
"""Machine code, kept for the life of the process."""


class Unsupported(Exception):
    """This is not an object file for x86-64, or it needs a loader that can do more."""


class _Section(NamedTuple):
    name: int
    kind: int
    flags: int
    address: int
    offset: int
    size: int
    link: int
    info: int
    alignment: int
    entry: int


def function_address(code: bytes, name: str) -> int:
    """Load an object file, and return the address of its function of that name.

    Raises:
        Unsupported: Another loader is necessary.
        OSError: The system does not allow new machine code.
    """
    if code[:6] != b"\x7fELF\x02\x01" or struct.unpack_from("<HH", code, 16) != (1, 62):
        raise Unsupported("not a relocatable ELF file for x86-64")
    sections = list(_sections(code))
    begins, size = _placed(sections)
    memory = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    base = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    for number, begin in begins.items():
        section = sections[number]
        memory[begin : begin + section.size] = code[section.offset : section.offset + section.size]
    begins = {number: base + begin for number, begin in begins.items()}
    for section in sections:
        if section.kind == _RELOCATIONS and section.info in begins:
            at = begins[section.info] - base
            for offset, kind, symbol, addend in _relocations(code, section):
                if kind != _ABSOLUTE_64:
                    raise Unsupported(f"a relocation of type {kind}")
                target = _address(code, sections, sections[section.link], symbol, begins)
                struct.pack_into("<Q", memory, at + offset, (target + addend) % (1 << 64))
    library = ctypes.CDLL(None, use_errno=True)
    if library.mprotect(ctypes.c_void_p(base), ctypes.c_size_t(size), _READ_AND_EXECUTE):
        raise OSError(ctypes.get_errno(), "machine code cannot be executed")
    _loaded.append(memory)
    table = next(section for section in sections if section.kind == _SYMBOLS)
    for symbol in range(table.size // table.entry):
        if _name(code, sections, table, symbol) == name:
            return _address(code, sections, table, symbol, begins)
    raise Unsupported(f"no function {name}")


def _sections(code: bytes) -> Iterator[_Section]:
    (start,) = struct.unpack_from("<Q", code, 40)
    size, number = struct.unpack_from("<HH", code, 58)
    for place in range(number):
        yield _Section(*struct.unpack_from("<IIQQQQIIQQ", code, start + place * size))


def _placed(sections: list[_Section]) -> tuple[dict[int, int], int]:
    """Return where in memory each section begins, by number, and the size of the memory."""
    begins, size = {}, 0
    for number, section in enumerate(sections):
        if section.flags & _OCCUPIES_MEMORY and section.kind != _UNWINDING:
            if section.kind != _PROGRAM:
                raise Unsupported(f"a section of type {section.kind}")
            size += -size % max(section.alignment, 1)
            begins[number] = size
            size += section.size
    return begins, size + -size % mmap.PAGESIZE


def _relocations(code: bytes, section: _Section) -> Iterator[tuple[int, int, int, int]]:
    """Yield the place, type, symbol and addend of each."""
    for at in range(section.offset, section.offset + section.size, section.entry):
        offset, info, addend = struct.unpack_from("<QQq", code, at)
        yield offset, info & 0xFFFFFFFF, info >> 32, addend


def _address(code: bytes, sections: list[_Section], table: _Section, symbol: int, begins: dict[int, int]) -> int:
    number, value = struct.unpack_from("<HQ", code, table.offset + symbol * table.entry + 6)
    if number == _UNDEFINED:
        return _address_in_process(_name(code, sections, table, symbol))
    if number >= _FIRST_RESERVED or number not in begins:
        raise Unsupported(f"a symbol of section {number:#x}")
    return begins[number] + int(value)


def _name(code: bytes, sections: list[_Section], table: _Section, symbol: int) -> str:
    (offset,) = struct.unpack_from("<I", code, table.offset + symbol * table.entry)
    start = sections[table.link].offset + offset
    return code[start : code.index(b"\0", start)].decode()


@functools.cache
def _address_in_process(name: str) -> int:
    """The address of a function of the C library, or of another library of this process."""
    try:
        function = getattr(ctypes.CDLL(None), name)
    except AttributeError:
        raise Unsupported(f"there is no function {name} in this process") from None
    return ctypes.cast(function, ctypes.c_void_p).value or 0
