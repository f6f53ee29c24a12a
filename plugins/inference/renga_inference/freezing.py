"""`inference`: freezes a model."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from renga_core.configuration import using_config
from renga_core.errors import RengaError
from renga_core.graph import Variable, as_array, no_backprop_mode
from renga_core.link import Link
from renga_inference.checking import check
from renga_inference.comparing import compared
from renga_inference.engine import Engine, new_engine
from renga_inference.folding import folded, pruned
from renga_inference.frozen import FrozenModel
from renga_inference.fusing import fused
from renga_inference.program import Host, Program
from renga_inference.recording import Run, depends_on_state, record
from renga_inference.sizes import Differs

__all__ = ["inference"]


def inference(model: Callable[..., Any], *example: Any, tolerance: float = 1e-4) -> FrozenModel:
    """Freeze a model: compute its test mode without a graph, as fast as possible on this machine.

    ::

        frozen = renga.inference(model, images)
        scores = frozen(images)

    The model is run on the example, on arrays with other values, and on batches of two other sizes. The common part of
    all runs becomes a list of steps. Batch normalization is folded into the previous layer; activations and additions
    are fused with the previous layer; weights are reordered once for the processor; arrays share memory. With oneDNN
    installed it computes most steps; otherwise the ordinary kernels do.

    Args:
        model: A Link, or a function of arrays.
        example: Arguments of the model: NumPy arrays, or Variables. The first axis of the first one is the batch, and
            so is that of all arguments with the same size. Later calls may use other batch sizes, if the model allows
            it.
        tolerance: Allowed difference of results from the model's: the largest difference divided by the largest
            magnitude in the array. Checked for the example and for another batch.

    Returns:
        The frozen model.

    Raises:
        TypeError: `model` cannot be called.
        RengaError: The model computes differently for other values (its control flow depends on them, or it computes
            with arrays outside of functions) or in its second call (it keeps a state), does not return arrays, or does
            not run on NumPy; or the results of the frozen model differ. The message names the first step that differs.
    """
    if not callable(model):
        raise TypeError(f"renga.inference takes a Link or a function, not {type(model).__name__} {model!r:.60}")
    arrays = [_argument(number, x) for number, x in enumerate(example)]
    if not arrays or not arrays[0].ndim or not arrays[0].shape[0]:
        raise RengaError(
            "renga.inference needs an example: the arguments of the model, the first with the batch on its first axis."
            "\nNext: renga.inference(model, images)."
        )
    _complete(model, arrays)
    engine = new_engine()
    with engine.recording():
        program, runs = _program(engine, model, arrays)
    if runs[0].changed and depends_on_state(model, arrays):
        raise RengaError(
            f"the model cannot be frozen: it keeps a state from call to call ({', '.join(runs[0].changed)}).\n"
            "Next: let its forward begin with reset_state(), or take the state as an argument and return it."
        )
    made = pruned(fused(folded(program)))
    frozen = FrozenModel(made, tolerance)
    for run in reversed(runs):
        frozen.forget()
        check(frozen, run, partial(_again, model, run, len(arrays)))
    made.constants.own_all()
    return frozen


def _again(model: Callable[..., Any], run: Run, arguments: int) -> Run:
    return record(model, run.arrays[:arguments], run.batch, keep=True)


def _argument(number: int, x: Any) -> Host:
    if isinstance(x, (tuple, list)) and any(hasattr(each, "shape") for each in x):
        raise RengaError(
            f"argument {number} of the model is a {type(x).__name__} of arrays; a frozen model takes arrays.\n"
            "Next: give each array by itself, renga.inference(model, x, mask); or call a model of lists as it is."
        )
    array = as_array(x) if isinstance(x, Variable) else np.asarray(x)
    if type(array) is not np.ndarray:
        raise RengaError("renga.inference takes NumPy arrays.\nNext: model.to_device('numpy'), and give NumPy arrays.")
    return array.copy()


def _complete(model: Any, arrays: Sequence[Host]) -> None:
    """Initialize parameters that get their shapes in the first call."""
    owner = getattr(model, "__self__", model)
    if isinstance(owner, Link) and not all(parameter.is_initialized for parameter in owner.params()):
        with using_config("train", False), no_backprop_mode():
            model(*[Variable(array, requires_grad=False) for array in arrays])


def _program(engine: Engine, model: Callable[..., Any], arrays: Sequence[Host]) -> tuple[Program, list[Run]]:
    """Return the program, and runs for comparison: the example, and one with other values."""
    batch = len(arrays[0])
    first = _recorded(engine, model, [array.copy() for array in arrays], batch)
    sizes = [size for size in (2, 3, 5) if size != batch][:2]
    try:
        others = _other_runs(engine, model, arrays, sizes)
        return compared([first, *others], len(arrays)), [first, others[0]]
    except Differs as error:
        reason = str(error)
    except Exception as error:  # any error that the model raises for another batch size
        reason = f"with other sizes the model raises {type(error).__name__}: {error}".partition("\n")[0]
    others = _other_runs(engine, model, arrays, [batch, batch])
    try:
        program = compared([first, *others], len(arrays))
    except Differs as error:
        raise RengaError(
            f"the model cannot be frozen: it computes differently for other values: {error}.\n"
            "Next: replace branches on values by functions (renga.functions.where), or call the model itself."
        ) from None
    return replace(program, fixed=reason), [first, others[0]]


def _recorded(engine: Engine, model: Callable[..., Any], arrays: Sequence[Host], batch: int) -> Run:
    with engine.recording():
        return record(model, arrays, batch)


def _other_runs(engine: Engine, model: Callable[..., Any], arrays: Sequence[Host], sizes: Sequence[int]) -> list[Run]:
    pairs = zip(sizes, (1, -1), strict=True)
    return [_recorded(engine, model, _varied(arrays, size, sign), size) for size, sign in pairs]


def _varied(arrays: Sequence[Host], size: int, sign: int) -> list[Host]:
    """Return arguments with other values and another batch size.

    Values are drawn from the array, so that labels remain valid. Floating-point values are also scaled, and get random
    signs if the array has both.
    """
    generator, batch = np.random.default_rng(0), len(arrays[0])
    made = []
    for array in arrays:
        shape = (size, *array.shape[1:]) if array.ndim and len(array) == batch else array.shape
        drawn = generator.choice(array.ravel(), shape) if array.size else np.empty(shape, array.dtype)
        if array.dtype.kind == "f":
            scaled = drawn * generator.uniform(*((0.25, 1.0) if sign > 0 else (1.0, 2.0)), shape)
            drawn = np.abs(scaled) * sign if (array < 0).any() else scaled
        made.append(np.asarray(drawn, array.dtype))
    return made
