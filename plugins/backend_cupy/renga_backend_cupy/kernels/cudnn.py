"""Plans of cuDNN, created by its frontend and cached by their arguments.

A plan is for certain shapes, in one of two memory orders, on one device. Creating it is slow (cuDNN's heuristics choose
an engine, and compile some); executing it takes microseconds. So plans are cached, per thread, because two threads must
not use handles or graphs at once; and in files (see `renga_backend_cupy.kernels.plans_on_disk`).

The engine is the first choice of the heuristics (mode A, then the fallback) that the rules below allow. Engines are not
timed against each other: a measurement on a busy GPU could choose another one in each run, with other last bits.

Only engines with the same result in each run are used. Float32 is computed in float32, not in TF32 of the tensor cores,
unless the environment has ``CUPY_TF32=1``, as in CuPy's matrix products.
"""

from __future__ import annotations

import os
import threading
import warnings
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping, Sequence
from pathlib import Path
from typing import Any

import cudnn
import cupy
import numpy as np

from renga_backend_cupy.kernels import plans_on_disk
from renga_backend_cupy.kernels.plans_on_disk import REFUSALS
from renga_core.backend import Array
from renga_core.kernel import operations

__all__ = [
    "Graph",
    "Plan",
    "aligned",
    "dense",
    "empty",
    "find_plan",
    "reference",
    "rows",
    "strides_of",
    "wants_channels_last",
]

_PLANS = 512
"""Number of cached plans per thread; beyond it, the least recently used plans are deleted."""

_WORKSPACE = 1 << 30
"""Bytes that an engine may ask for."""

_local = threading.local()
_warned: set[str] = set()


_ALIGNMENT = 16
"""Bytes by which the addresses of tensors must be divisible: cuDNN's engines read vectors."""


class Plan:
    """A computation that cuDNN can execute on arrays of certain shapes.

    Args:
        graph: cuDNN's graph, built.
        handle: The handle that it was built with.
        purpose: Operation and arguments, for messages.
        file: The file that it was loaded from, if it was.

    Attributes:
        refused: Reason why cuDNN refused to execute it; None if it did not.
        file: The file.
    """

    def __init__(self, graph: Any, handle: Any, purpose: tuple[str, Hashable], file: Path | None = None) -> None:
        self._graph = graph
        self._handle = handle
        self._purpose = purpose
        self.file = file
        self._workspace = max(1, int(graph.get_workspace_size()))
        self.refused: Exception | None = None

    def __call__(self, pointers: Mapping[int, int]) -> bool:
        """Queue it on the current stream.

        Args:
            pointers: Address of each tensor by its number. Addresses, and not arrays: cuDNN would synchronize.

        Returns:
            Whether that has been done. If not, nothing has been computed, and `find_plan` will not offer it again. It
            will make another in place of one from a file.
        """
        cudnn.set_stream(handle=self._handle, stream=cupy.cuda.get_current_stream().ptr)
        workspace = cupy.empty(self._workspace, dtype=cupy.uint8)
        try:
            self._graph.execute(dict(pointers), workspace.data.ptr, handle=self._handle)
        except REFUSALS as error:
            self.refused = error
            if self.file is None:
                _warn(*self._purpose, error)
            else:
                plans_on_disk.ignore(self.file, str(error))
        return self.refused is None


class Graph:
    """A graph under construction, in which tensors have numbers of one's own.

    Args:
        dtype: Dtype of the arrays.
        handle: cuDNN's handle.
    """

    def __init__(self, dtype: Any, handle: Any) -> None:
        self._type = data_type(dtype)
        self._precise = dtype.name == "float32" and os.environ.get("CUPY_TF32", "0") != "1"
        self._handle = handle
        compute = self._type if dtype.name == "float64" else cudnn.data_type.FLOAT
        self.nodes = cudnn.pygraph(
            io_data_type=self._type, intermediate_data_type=compute, compute_data_type=compute, handle=handle
        )
        """cuDNN's own graph, whose methods add operations."""

    def input(self, number: int, shape: Sequence[int], channels_last: bool, dtype: Any = None) -> Any:
        """A tensor that is given."""
        tensor = self.nodes.tensor(
            dim=list(shape),
            stride=strides_of(shape, channels_last),
            data_type=self._type if dtype is None else data_type(dtype),
        )
        return tensor.set_uid(number)

    def scalar(self, number: int, ndim: int) -> Any:
        """A float32 number that is read from the host when the plan is executed."""
        ones = [1] * ndim
        tensor = self.nodes.tensor(dim=ones, stride=ones, data_type=cudnn.data_type.FLOAT, is_pass_by_value=True)
        return tensor.set_uid(number)

    def output(self, number: int, tensor: Any, shape: Sequence[int], channels_last: bool, dtype: Any = None) -> None:
        """Let a tensor that an operation has made be a result."""
        tensor.set_output(True).set_data_type(self._type if dtype is None else data_type(dtype))
        tensor.set_dim(list(shape)).set_stride(strides_of(shape, channels_last)).set_uid(number)

    def build(self, purpose: tuple[str, Hashable]) -> Plan:
        """Choose an engine and make the plan.

        Args:
            purpose: Operation and arguments, for messages.

        Raises:
            cudnn.cudnnGraphNotSupportedError, RuntimeError, ValueError: There is no engine for it.
        """
        graph = self.nodes
        graph.validate()
        graph.build_operation_graph()
        graph.create_execution_plans([cudnn.heur_mode.A, cudnn.heur_mode.FALLBACK])
        graph.deselect_workspace_greater_than(_WORKSPACE)
        note = cudnn.numerical_note
        graph.deselect_numeric_notes(
            [note.NONDETERMINISTIC, *([note.TENSOR_CORE, note.DOWN_CONVERT_INPUTS] if self._precise else [])]
        )
        graph.check_support()
        graph.build_plans()
        return Plan(graph, self._handle, purpose)


def find_plan(operation: str, key: Hashable, dtype: Any, describe: Callable[[Graph], None]) -> Plan | None:
    """Return the cached plan for `key`, or a new one; None, with a warning the first time, if cuDNN has none.

    Args:
        operation: Name of the operation, for the warning and as part of the key.
        key: Everything that the plan depends on, except the operation and the current device.
        dtype: Dtype of the arrays.
        describe: Adds tensors and operations to a graph.
    """
    plans: OrderedDict[Hashable, Plan | None] = _local.__dict__.setdefault("plans", OrderedDict())
    device = cupy.cuda.Device().id
    whole = operation, key, device
    kept = plans.get(whole)
    spoiled = kept is not None and kept.refused is not None and kept.file is not None
    if whole in plans and not spoiled:
        plans.move_to_end(whole)
        return kept if kept is not None and kept.refused is None else None
    handle, file = _handle(device), plans_on_disk.file_of(operation, key, device)
    loaded = None if spoiled else plans_on_disk.load(file, handle)
    made: Plan | None = None
    try:
        if loaded is not None:
            made = Plan(loaded, handle, (operation, key), file)
        else:
            graph = Graph(dtype, handle)
            describe(graph)
            made = graph.build((operation, key))
            plans_on_disk.store(file, graph.nodes)
    except REFUSALS as error:
        _warn(operation, key, error)
    plans[whole] = made
    if len(plans) > _PLANS:
        plans.popitem(last=False)
    return made


def _warn(operation: str, key: Hashable, error: Exception) -> None:
    """Say, once for each operation, that cuDNN does not compute it."""
    if operation not in _warned:
        _warned.add(operation)
        warnings.warn(
            f"cuDNN has no plan for {operation} on {key}: {error}. The reference computes it, more slowly. This is "
            "shown once for each operation.",
            RuntimeWarning,
            stacklevel=3,
        )


def _handle(device: int) -> Any:
    handles: dict[int, Any] = _local.__dict__.setdefault("handles", {})
    if device not in handles:
        handles[device] = cudnn.create_handle()
    return handles[device]


def reference(operation: str) -> Any:
    """The reference of the operation that is being computed."""
    return operations[operation].reference


def data_type(dtype: Any) -> Any:
    """CuDNN's name for a dtype."""
    return {
        "float16": cudnn.data_type.HALF,
        "bfloat16": cudnn.data_type.BFLOAT16,
        "float32": cudnn.data_type.FLOAT,
        "float64": cudnn.data_type.DOUBLE,
    }[dtype.name]


# --- the order of arrays in memory --------------------


def wants_channels_last(dtype: Any) -> bool:
    """Whether cuDNN uses the layout channels last: tensor cores require it."""
    return dtype.itemsize == 2 or (dtype.name == "float32" and os.environ.get("CUPY_TF32", "0") == "1")


def strides_of(shape: Sequence[int], channels_last: bool) -> list[int]:
    """Strides, in elements, of images without gaps."""
    order = [0, *range(2, len(shape)), 1] if channels_last else list(range(len(shape)))
    strides, step = [0] * len(shape), 1
    for axis in reversed(order):
        strides[axis] = step
        step *= shape[axis]
    return strides


def aligned(x: Array) -> Array:
    """`x` in C order and at an address that cuDNN can read from; a copy if it lies otherwise, as a slice may."""
    contiguous = cupy.ascontiguousarray(x)
    return contiguous if contiguous.data.ptr % _ALIGNMENT == 0 else contiguous.copy()


def rows(number: int, size: int) -> list[Array]:
    """New vectors of float32, not yet written, each at an address that cuDNN can write to."""
    padded = -(-size * 4 // _ALIGNMENT) * _ALIGNMENT // 4
    made = cupy.empty((number, padded), dtype=np.float32)
    return [made[i, :size] for i in range(number)]


def dense(x: Array, channels_last: bool) -> Array:
    """`x` without gaps, in one of the two orders, at an address that cuDNN can read; a copy if it lies otherwise."""
    if not channels_last:
        return aligned(x)
    last = aligned(x.transpose(0, *range(2, x.ndim), 1))
    return last.transpose(0, x.ndim - 1, *range(1, x.ndim - 1))


def empty(shape: Sequence[int], dtype: Any, channels_last: bool) -> Array:
    """New images in one of the two orders."""
    if not channels_last:
        return cupy.empty(tuple(shape), dtype=dtype)
    last = cupy.empty((shape[0], *shape[2:], shape[1]), dtype=dtype)
    return last.transpose(0, len(shape) - 1, *range(1, len(shape) - 1))
