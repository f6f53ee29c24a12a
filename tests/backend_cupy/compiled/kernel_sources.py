"""The sources that CuPy would give to NVRTC for the kernels of the plugin, made without a GPU.

Imported by programs that run in an interpreter with CuPy; importing `record` before the plugin is what makes it work.
"""

from __future__ import annotations

import importlib
import itertools
import pkgutil
import sys
from collections.abc import Iterator

import cupy
import numpy as np
from cupy._core import _carray, _kernel, _scalar, core
from cupy.cuda import compiler

INTEGERS = ("int32", "int64")

KINDS = {"T": None, "S": "wide", "W": "wide", "I": INTEGERS}
"""What the letters of elementwise kernels stand for; None: each floating dtype, "wide": what that is computed in."""


class Asked(Exception):
    """Raised in place of a compilation; holds source and options."""


def _ask(source, options=(), **others):
    raise Asked(source, options)


class Record:
    """Kernels made while the plugin is imported, with the module that made each."""

    def __init__(self) -> None:
        self.elementwise: list[tuple[str, object]] = []
        self.raw: list[tuple[str, object]] = []
        for name, found in (
            ("ElementwiseKernel", self.elementwise),
            ("RawModule", self.raw),
            ("RawKernel", self.raw),
        ):
            setattr(cupy, name, self._recording(getattr(cupy, name), found))

    @staticmethod
    def _recording(make, found):
        def recorded(*args, **options):
            kernel = make(*args, **options)
            found.append((sys._getframe(1).f_globals["__name__"], kernel))
            return kernel

        return recorded

    def import_plugin(self) -> list[str]:
        """Import all modules of the plugin that this interpreter can import; their names."""
        import renga_backend_cupy
        from renga_backend_cupy.kernels import arguments

        arguments.limit = lambda: 32764  # as on a GPU of today
        names = [m.name for m in pkgutil.walk_packages(renga_backend_cupy.__path__, "renga_backend_cupy.")]
        for name in names:
            importlib.import_module(name)
        return names


def floating() -> tuple[str, ...]:
    """The floating dtypes that the plugin's elementwise kernels are for."""
    return tuple(importlib.import_module("renga_backend_cupy.kernels.layout").FLOATING)


def dtype_of(name: str) -> np.dtype:
    if name == "bfloat16":
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(name)


def assignments(letters: set[str]) -> Iterator[dict[str, np.dtype]]:
    """All dtypes for which a kernel with these letters may be compiled.

    Raises:
        KeyError: A letter is not in `KINDS`.
    """
    unknown = letters - KINDS.keys()
    if unknown:
        raise KeyError(f"no dtypes are known for {sorted(unknown)}. Next: add them to KINDS in {__file__}")
    by_float = any(KINDS[letter] in (None, "wide") for letter in letters)
    for name, integer in itertools.product(
        floating() if by_float else ("float32",), INTEGERS if "I" in letters else ("int64",)
    ):
        wide = "float64" if name == "float64" else "float32"
        yield {
            letter: dtype_of({None: name, "wide": wide}.get(KINDS[letter], integer) if letter != "I" else integer)
            for letter in letters
        }


def elementwise_sources(kernel, narrow: bool) -> Iterator[tuple[str, str]]:
    """What CuPy's generator makes of an elementwise kernel on arrays without gaps: a label and the source.

    Args:
        kernel: The ``cupy.ElementwiseKernel``.
        narrow: Whether arrays are small enough for indices of 32 bits.
    """
    array, indexer, scalar = 1, 2, 3  # as in CuPy's _kernel.pyx
    params = kernel.in_params + kernel.out_params
    for types in assignments({p.ctype for p in params if p.dtype is None}):
        infos, given = [], []
        for p in params:
            dtype = types[p.ctype] if p.dtype is None else np.dtype(p.dtype)
            if p.raw:
                infos.append(_kernel._ArgInfo(array, cupy.ndarray, dtype, 1, True, narrow))
                given.append(dtype)
            else:
                infos.append(_kernel._ArgInfo(scalar, _scalar.CScalar, dtype, 0, True, True))
                given.append(None)
        infos.append(_kernel._ArgInfo(indexer, _carray.Indexer, None, 1, True, narrow))
        _, _, type_map = kernel._decide_params_type(tuple(given[: kernel.nin]), tuple(given[kernel.nin :]))
        code = _kernel._get_elementwise_kernel_code(
            tuple(infos), type_map, kernel.params, kernel.operation, kernel.name, kernel.preamble
        )
        label = ", ".join(f"{letter}={dtype.name}" for letter, dtype in sorted(types.items()))
        yield f"{kernel.name} ({label or 'no letters'}{'' if narrow else ', 64-bit indices'})", code


def complete(code: str, options: tuple[str, ...] = (), headers: bool = True) -> tuple[str, tuple[str, ...]]:
    """Source and options as they would reach NVRTC, CuPy's headers and folders included."""
    original, compiler._compile_module_with_cache = compiler._compile_module_with_cache, _ask
    try:
        core.compile_with_cache(code, options, prepend_cupy_headers=headers)
    except Asked as asked:
        return asked.args
    finally:
        compiler._compile_module_with_cache = original
    raise AssertionError("CuPy did not ask for a compilation: its internals have changed")
