"""Which dtypes CuPy's elementwise functions take and give: read from the tables of the real CuPy."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

TABLES: dict[str, Any] = json.loads(Path(__file__).with_name("cupy_tables.json").read_text())
NAMES = frozenset(TABLES["names"])
ARRAY_METHODS = frozenset(TABLES["methods"])
BFLOAT16 = "E"


def dtype_of(char: str) -> np.dtype[Any]:
    if char == BFLOAT16:
        import ml_dtypes

        return np.dtype(ml_dtypes.bfloat16)
    return np.dtype(char)


@cache
def _loops(name: str) -> tuple[tuple[tuple[str, ...], tuple[str, ...]], ...]:
    loops = []
    for loop in TABLES["ufuncs"][name]:
        given, _, made = loop.partition("->")
        loops.append((tuple(given), tuple(made)))
    return tuple(loops)


def output_dtypes(name: str, inputs: tuple[Any, ...]) -> tuple[np.dtype[Any], ...]:
    """Dtypes of the results: of the first loop that all inputs can be cast to safely.

    Args:
        name: Of the ufunc.
        inputs: Dtypes of arrays, and Python's numbers, whose dtype follows the arrays' (NEP 50).

    Raises:
        TypeError: CuPy has no loop for these dtypes, or not the function.
    """
    if name not in TABLES["ufuncs"]:
        raise TypeError(f"CuPy {TABLES['version']} has no ufunc {name!r}")
    for given, made in _loops(name):
        if BFLOAT16 in given and not any(getattr(x, "name", "") == "bfloat16" for x in inputs):
            continue
        if len(given) == len(inputs) and all(map(_fits, inputs, given)):
            return tuple(dtype_of(char) for char in made)
    raise TypeError(f"CuPy {TABLES['version']}: {name} has no loop for {', '.join(map(str, inputs))}")


def _fits(given: Any, char: str) -> bool:
    wanted = dtype_of(char)
    if isinstance(given, np.dtype):
        return bool(given == wanted) or (char != BFLOAT16 and given.name != "bfloat16" and np.can_cast(given, wanted))
    if isinstance(given, bool):
        return True
    if isinstance(given, int):
        return wanted.kind in "iufcV"
    return wanted.kind in ("fcV" if isinstance(given, float) else "c")
