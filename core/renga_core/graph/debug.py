"""Debug mode: find the function that makes the first NaN, and the line of the program that called it."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend
from renga_core.configuration import config
from renga_core.graph.errors import describe_array
from renga_core.graph.function_hook import active_hooks

if TYPE_CHECKING:
    from renga_core.graph.function_node import FunctionNode

__all__ = ["DebugMode", "NaNError", "is_debug", "set_debug"]

_OWN_FOLDER = str(Path(__file__).parent)


class NaNError(RuntimeError):
    """A function has computed NaN, in forward or backward."""


def is_debug() -> bool:
    """Whether this thread is in debug mode."""
    return config.debug


def set_debug(debug: bool) -> None:
    """Switch debug mode of this thread on or off.

    In debug mode each function checks its outputs and gradients for NaN, and gradients for their shape and dtype, and
    remembers where in the program it was called (`FunctionNode.stack`), which errors then tell. It is slow.
    """
    config.debug = debug


@contextmanager
def DebugMode(debug: bool) -> Iterator[None]:
    """Debug mode on or off while a ``with`` block runs."""
    before = config.debug
    set_debug(debug)
    try:
        yield
    finally:
        set_debug(before)


def user_stack() -> list[traceback.FrameSummary]:
    """The program's frames that led here, outermost first, without the engine's own."""
    frames = traceback.extract_stack()
    while frames and frames[-1].filename.startswith(_OWN_FOLDER):
        frames.pop()
    return list(frames)


def call_site(function: FunctionNode) -> str:
    """Where the function was called, as a sentence; empty when that was not recorded."""
    if not function.stack:
        return ""
    frame = function.stack[-1]
    return f" It was called in {frame.filename}:{frame.lineno}: {frame.line}"


def check_no_nan(what: str, arrays: Sequence[Array | None], function: FunctionNode) -> None:
    """Raise NaNError if an array of floats holds NaN."""
    for i, array in enumerate(arrays):
        if array is not None and array.dtype.kind in "fc" and bool(get_backend(array).xp.isnan(array).any()):
            raise NaNError(f"NaN in {what} ({i}: {describe_array(array)}).{call_site(function)}")


def instrumented_step(differentiable: bool) -> Callable[[FunctionNode, tuple[int, ...], list[Any]], Sequence[Any]]:
    """One step of backward that calls hooks and, in debug mode, checks what comes out."""

    def array_of(gradient: Any) -> Array | None:
        return getattr(gradient, "array", gradient)

    def step(function: FunctionNode, targets: tuple[int, ...], gys: list[Any]) -> Sequence[Any]:
        saved = dict(zip(function._input_indexes, function._saved_inputs, strict=True))
        in_data = tuple([saved.get(i) for i in range(len(function.inputs))])
        out_grad = tuple([array_of(gy) for gy in gys])
        hooks = active_hooks(function)
        for hook in hooks:
            hook.backward_preprocess(function, in_data, out_grad)
        run = function.backward if differentiable else function.backward_arrays
        try:
            gxs = run(targets, tuple(gys))
        except Exception as error:
            error.add_note(f"In the backward of {function.label}.{call_site(function)}")
            raise
        for hook in hooks:
            hook.backward_postprocess(function, in_data, out_grad)
        if config.debug:
            _check_gradients(function, targets, [array_of(gx) for gx in gxs])
        return gxs

    return step


def _check_gradients(function: FunctionNode, targets: tuple[int, ...], gxs: Sequence[Array | None]) -> None:
    for i, gx in zip(targets, gxs, strict=True):
        node = function.inputs[i]
        if gx is not None and (tuple(gx.shape) != tuple(node.shape) or gx.dtype != node.dtype):
            raise TypeError(
                f"the backward of {function.label} returned {describe_array(gx)} for input {i}, "
                f"which is {node.dtype} {node.shape}.{call_site(function)}"
            )
    check_no_nan(f"a gradient computed by {function.label}", gxs, function)
