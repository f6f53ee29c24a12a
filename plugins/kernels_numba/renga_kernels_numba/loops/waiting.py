"""Pieces that wait for pieces before them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils, typing
from numba.extending import intrinsic

from renga_kernels_numba.loops.intrinsics import Longs, inline

__all__ = ["finish", "wait"]

_LONG = ir.IntType(64)
_SPINS = 2000
"""Looks, of some 20 ns each, before a thread offers its core to others between looks."""


@intrinsic
def finish(context: Any, counters: Any, at: Any) -> tuple[Any, Callable[..., Any]]:
    """Count one more piece of those that a counter counts; what it wrote can be read by those who `wait` for it."""

    def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
        builder.atomic_rmw("add", builder.gep(given[0], [given[1]]), _LONG(1), "release")
        return context.get_dummy_value()

    return typing.signature(types.void, counters, at), generate


@intrinsic
def _look(context: Any, counters: Any, at: Any) -> tuple[Any, Callable[..., Any]]:
    def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
        return builder.load_atomic(builder.gep(given[0], [given[1]]), "acquire", 8)

    return typing.signature(types.int64, counters, at), generate


def _call(name: str, result: Any) -> Any:
    """A function that calls one of C without arguments."""

    @intrinsic
    def call(context: Any) -> tuple[Any, Callable[..., Any]]:
        def generate(context: Any, builder: Any, _: Any, given: Any) -> Any:
            builder.call(cgutils.get_or_insert_function(builder.module, ir.FunctionType(result, []), name), [])
            return context.get_dummy_value()

        return typing.signature(types.void), generate

    return call


_pause, _yield_core = _call("llvm.x86.sse2.pause", ir.VoidType()), _call("sched_yield", ir.IntType(32))


@inline
def wait(counters: Longs, at: int, number: int) -> None:
    """Wait until a counter has come to a number.

    Only for pieces that come before this one: other threads have taken them already, so they will be finished.
    """
    looks = 0
    while _look(counters, at) < number:
        looks += 1
        if looks < _SPINS:
            _pause()
        else:
            _yield_core()
