"""Debug mode: finds the function that computed the first NaN, and the line that called it."""

from __future__ import annotations

import sys
import traceback
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Any

from renga_core.backend import Array, get_backend
from renga_core.configuration import config, using_config
from renga_core.graph.errors import describe_array
from renga_core.graph.function_hook import watching

if TYPE_CHECKING:
    from renga_core.graph.function_node import FunctionNode

__all__ = ["DebugMode", "NaNError", "is_debug", "set_debug"]


class NaNError(RuntimeError):
    """A function has computed NaN in forward or backward."""


def is_debug() -> bool:
    """Whether this thread is in debug mode."""
    return config.debug


def set_debug(debug: bool) -> None:
    """Switch debug mode of this thread on or off.

    Debug mode checks the outputs and gradients of each function for NaN. Each function records where the program called
    it (`FunctionNode.stack`), and error messages show it. Debug mode is slow.
    """
    config.debug = debug


@contextmanager
def DebugMode(debug: bool) -> Iterator[None]:
    """Switch debug mode on or off while a ``with`` block runs."""
    with using_config("debug", debug):
        yield


def user_stack() -> list[traceback.FrameSummary]:
    """The stack frames of the call, outermost first, without Renga's own frames at the end."""
    here = sys._getframe()
    frame: FrameType | None = here
    while frame is not None and frame.f_globals.get("__name__", "").startswith("renga"):
        frame = frame.f_back
    return list(traceback.extract_stack(frame or here))


def call_site(function: FunctionNode) -> str:
    """Return a sentence that says where the function was called; "" if that was not recorded."""
    if not function.stack:
        return ""
    frame = function.stack[-1]
    return f" It was called in {frame.filename}:{frame.lineno}: {frame.line}"


def check_no_nan(what: str, arrays: Sequence[Array | None], function: FunctionNode) -> None:
    """Raise NaNError if an array of floats holds NaN."""
    for i, array in enumerate(arrays):
        if array is not None and array.dtype.kind in "fc" and bool(get_backend(array).xp.isnan(array).any()):
            raise NaNError(f"NaN in {what} ({i}: {describe_array(array)}).{call_site(function)}")


def instrumented_backward(
    function: FunctionNode, targets: tuple[int, ...], gys: list[Any], differentiable: bool
) -> Sequence[Any]:
    """Compute the gradients of one function, call its hooks and, in debug mode, check for NaN."""
    saved = dict(zip(function._input_indexes, function._saved_inputs, strict=True))
    in_data = tuple([saved.get(i) for i in range(len(function.inputs))])
    out_grad = tuple([_array_of(gy) for gy in gys])
    with watching(function, "backward", in_data, out_grad):
        gxs = function.backward(targets, tuple(gys)) if differentiable else function.backward_arrays(targets, gys)
    if config.debug:
        check_no_nan(f"gradient computed by {function.label}", [_array_of(gx) for gx in gxs], function)
    return gxs


def _array_of(gradient: Any) -> Array | None:
    return getattr(gradient, "array", gradient)
