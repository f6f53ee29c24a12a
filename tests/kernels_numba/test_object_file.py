"""Machine code is loaded without LLVM; LLVM loads what this loader does not support."""

import ctypes
import struct

import pytest

from renga_kernels_numba import compiling, object_file, processor

SIGNATURE = "i8"
NAME = compiling._name("nothing:nothing", SIGNATURE)


@pytest.fixture
def code():
    if processor._lines() is None:
        pytest.skip("the loader is for x86-64 and Linux")
    return compiling.machine_code("nothing:nothing", SIGNATURE)


def pieces_taken(address):
    data = (ctypes.c_int64 * 3)(0, 5, 0)
    ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)(data)
    return data[0]


def test_both_loaders_load_the_same_code(monkeypatch, code):
    expected = pieces_taken(object_file.function_address(code, NAME))
    assert expected > 5

    def refuse(code, name):
        raise object_file.Unsupported

    monkeypatch.setattr(object_file, "function_address", refuse)
    assert pieces_taken(compiling.placed(code, NAME)) == expected


def changed(code, relocation=None, machine=62, section=None):
    """The object file with another relocation ``(type, symbol)``, machine, or section of its last symbol."""
    code = bytearray(code)
    struct.pack_into("<H", code, 18, machine)
    for each in object_file._sections(code):
        if each.kind == object_file._RELOCATIONS and relocation:
            struct.pack_into("<II", code, each.offset + 8, *relocation)
        if each.kind == object_file._SYMBOLS and section is not None:
            struct.pack_into("<H", code, each.offset + each.size - each.entry + 6, section)
    return code


def test_what_is_not_supported_is_refused(code):
    (table,) = [each for each in object_file._sections(code) if each.kind == object_file._SYMBOLS]
    last = table.size // table.entry - 1
    wrong = {
        "x86-64": {"machine": 183},
        "a relocation of type 2": {"relocation": (2, last)},
        "a symbol of section 0xfff2": {"relocation": (1, last)},  # memory without contents
        "no function _Z.* in this process": {"relocation": (1, last), "section": 0},
    }
    for reason, changes in wrong.items():
        with pytest.raises(object_file.Unsupported, match=reason):
            object_file.function_address(changed(code, **changes), NAME)
    with pytest.raises(object_file.Unsupported, match="no function another"):
        object_file.function_address(code, "another")


def test_the_processor_is_described_as_llvm_does():
    llvm = pytest.importorskip("llvmlite.binding")
    for feature in ("avx2", "avx512f"):
        assert (feature in processor.features()) == bool(llvm.get_host_cpu_features().get(feature))
    assert len(processor.description()) > 20
