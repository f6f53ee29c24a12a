"""Compiles a loop to machine code: numba produces LLVM's intermediate code, and LLVM an object file.

The object file needs neither numba nor Python: its one function has the C type ``void(int64 *data)``. ``data`` is a
counter of pieces, their number, then the arguments of the loop, eight bytes each. The function takes pieces from the
counter until none is left.
"""

from __future__ import annotations

import functools
import hashlib
import importlib
import importlib.metadata
import logging
import re
from pathlib import Path
from typing import Any

from renga_kernels_numba import disk, object_file, processor

__all__ = ["emitted", "load", "machine_code", "origin", "placed", "sources"]

_LOG = logging.getLogger("renga.kernels_numba")


def machine_code(loop: str, signature: str) -> bytes:
    """Return the object file of a loop, from disk or newly compiled. Compilations are logged.

    Args:
        loop: ``module:function`` in `renga_kernels_numba.loops`.
        signature: Types of its arguments after the piece: ``f4*`` (pointer), ``i8``, ``f8``.

    Raises:
        Exception: numba cannot be imported, or cannot compile the loop.
    """
    what = f"{loop} {signature}"
    key = f"{loop.replace(':', '.')}-{hashlib.sha256(f'{what} {_origin(loop)}'.encode()).hexdigest()[:24]}.o"
    return disk.kept(key, lambda: _compiled(loop, signature))


def load(loop: str, signature: str) -> int:
    """Return the address of a loop's function.

    Raises:
        Exception: As `machine_code`.
    """
    return placed(machine_code(loop, signature), _name(loop, signature))


def placed(code: bytes, name: str) -> int:
    """Load an object file, and return the address of its function of that name. LLVM loads what `object_file` does not.

    Raises:
        Exception: llvmlite is necessary, and cannot be imported.
    """
    try:
        return object_file.function_address(code, name)
    except (object_file.Unsupported, OSError):
        import llvmlite.binding as llvm
    engine = _engine()
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return int(engine.get_function_address(name))


def _name(loop: str, signature: str) -> str:
    """The name of its function in the object file."""
    return "renga_" + re.sub(r"\W", "_", f"{loop} {signature.replace('*', 'p')}")


@functools.cache
def _engine() -> Any:
    """What LLVM loads machine code into, for the life of the process."""
    import llvmlite.binding as llvm

    target = _target_machine()  # first: it makes LLVM ready
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), target)


def _target_machine() -> Any:
    """LLVM's description of this processor. Each engine needs its own, which it destroys."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    return llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(),
        features=llvm.get_host_cpu_features().flatten(),
        opt=3,
        codemodel="jitdefault",
        jit=True,
    )


def _origin(loop: str) -> str:
    """All that machine code of a loop depends on: processor, compiler, and the sources that the loop is made of."""
    here = Path(__file__).parent
    return origin(here / "compiling.py", *sources(here / "loops" / f"{loop.partition(':')[0]}.py"))


@functools.cache
def sources(path: Path) -> tuple[Path, ...]:
    """Return the file of a module of loops, and all files of this package whose code becomes part of its loops.

    These are the modules that it imports, and what modules of loops among them import, directly or not. Files are read,
    not imported: a process that finds machine code on disk does not import numba.
    """
    here, found, waiting = Path(__file__).parent, set(), [path]
    while waiting:
        path = waiting.pop()
        if path in found or not path.is_file():
            continue
        found.add(path)
        if path.parent == here / "loops":
            for module, names in _IMPORTS.findall(path.read_text(encoding="utf-8")):
                there = here.joinpath(*module.split(".")[1:])
                waiting += [there.with_suffix(".py"), *(there / f"{name}.py" for name in re.findall(r"\w+", names))]
    return tuple(sorted(found))


_IMPORTS = re.compile(rf"^ *from ({__package__}[\w.]*) import (\([^)]*\)|.*)", re.MULTILINE)
"""The form in which modules of loops import others of this package; a test compares with what Python imports."""


@functools.cache
def origin(*files: Path) -> str:
    """All that machine code depends on, beside its own source: processor, compiler, and the contents of files."""
    sources = hashlib.sha256()
    for path in files:
        sources.update(path.name.encode() + path.read_bytes())
    versions = [importlib.metadata.version(name) for name in ("numba", "llvmlite")]
    return " ".join([processor.description(), *versions, sources.hexdigest()])


@functools.cache
def _explain() -> None:
    """Said once in a process that compiles."""
    _LOG.warning(
        "Renga compiles loops for this processor with numba, each at its first use. To compile all in advance: "
        "python -m renga_kernels_numba"
    )


def _compiled(loop: str, signature: str) -> bytes:
    _explain()
    _LOG.warning("Renga compiles the loop %s", loop)
    module, _, name = loop.partition(":")
    function = getattr(importlib.import_module(f"renga_kernels_numba.loops.{module}"), name)
    return emitted(function, signature, _name(loop, signature))


def emitted(function: Any, signature: str, symbol: str) -> bytes:
    """The object file of a function that does a piece.

    Args:
        function: One of numba's. Its first argument is the number of the piece.
        signature: Types of the others.
        symbol: Name of the function in the object file.

    Raises:
        Exception: numba cannot compile it, or it needs Python.
    """
    import llvmlite.binding as llvm
    import numba

    from renga_kernels_numba.loops.intrinsics import arguments_of, take

    arguments = arguments_of(signature)

    def entry(data: Any) -> None:
        while True:
            piece = take(data)
            if piece >= data[1]:
                return
            function(piece, *arguments(data))

    made = numba.cfunc(numba.void(numba.types.CPointer(numba.int64)), error_model="numpy")(entry)
    code = made.inspect_llvm().replace(made.native_name, symbol)
    needs_python = re.findall(r"^declare .*@((?:Py|_Py|NRT|numba)\w*)", code, re.MULTILINE)
    if needs_python:
        raise RuntimeError(f"{symbol} needs Python ({', '.join(needs_python)}): it may raise, or makes an object")
    target = _target_machine()  # first: it makes LLVM ready
    module = llvm.parse_assembly(code)
    for function_of_numba in module.functions:
        # numba numbers functions by process: in another one, the same name may be another function.
        if not function_of_numba.is_declaration and function_of_numba.name != symbol:
            function_of_numba.linkage = "internal"
    return bytes(target.emit_object(module))
