"""Calls a network: recorded, with other sizes, with other values, or a second time from the new state."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from renga_core.backend import Array, to_host
from renga_core.configuration import using_config
from renga_core.errors import RengaError
from renga_core.graph import Variable, no_backprop_mode
from renga_onnx.exporting.arguments import outputs_of, smaller_reversed
from renga_onnx.exporting.recording import Recorder
from renga_onnx.exporting.sizes import first_sizes
from renga_onnx.exporting.state import WithoutTrace
from renga_onnx.exporting.wiring import Run
from renga_onnx.structure import with_arrays

__all__ = ["called", "check_unchanged", "depends_on_state", "probed", "run"]

Host = np.ndarray[Any, Any]


def run(
    model: Callable[..., Any], args: Any, inputs: Mapping[str, Array], train: bool, sizes: Iterator[int] | None = None
) -> Run:
    """Record a call with `inputs` in place of the arrays in `args`, and with `sizes` for data-dependent axes."""
    with using_config("train", train), no_backprop_mode(), Recorder(sizes) as recorder:
        results = called(model, args, list(inputs.values()))
    return Run(recorder.applied, inputs, results)


def called(model: Callable[..., Any], args: Any, arrays: Sequence[Array]) -> Any:
    """Call a network with `arrays` in place of those in `args`."""
    given = with_arrays(args, iter([Variable(array, requires_grad=False) for array in arrays]))
    if isinstance(given, Mapping):
        return model(**given)
    return model(*given) if isinstance(given, (list, tuple)) else model(given)


def probed(model: Callable[..., Any], args: Any, inputs: Mapping[str, Array]) -> Run | None:
    """Record a call with other values: smaller and in reverse order. Return None, with a warning, if it fails.

    Sums, means and maxima then also change. If smaller values are refused, only the order is reversed.
    """
    said = ""
    for factor in (0.75, 1.0):
        others = {name: smaller_reversed(array, factor) for name, array in inputs.items()}
        try:
            with np.errstate(all="ignore"):
                return run(model, args, others, False, first_sizes())
        except (ValueError, IndexError, ArithmeticError) as error:
            said = f"{type(error).__name__}: {error}"
    warnings.warn(
        f"it is unknown whether the computation of the network depends on the values of its inputs: with their "
        f"elements in reverse order it raised {said}",
        stacklevel=4,
    )
    return None


def depends_on_state(network: WithoutTrace, args: Any, arrays: Sequence[Array], train: bool) -> bool:
    """Whether a second call returns another result than the first."""
    with using_config("train", train), no_backprop_mode():
        first, second = (outputs_of(each, None) for each in called(network.twice, args, arrays))
    return list(first) != list(second) or any(
        not np.array_equal(to_host(first[name]), to_host(second[name])) for name in first
    )


def check_unchanged(inputs: Mapping[str, Array], before: Sequence[Host]) -> None:
    """Check that a call has not changed its inputs, which were `before`."""
    for (name, array), host in zip(inputs.items(), before, strict=True):
        if not np.array_equal(to_host(array), host, equal_nan=host.dtype.kind == "f"):
            raise RengaError(
                f"the network writes into the array of its input {name!r}; an ONNX graph cannot do that.\n"
                "Next: compute a new array instead of changing the input in place."
            )
