"""``chainer.backends.cuda``, also ``chainer.cuda``: CuPy if it works, else stand-ins that raise errors."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from renga_chainer import runtime_info
from renga_chainer.backend import GpuDevice as GpuDevice
from renga_chainer.devices import DummyDeviceType as DummyDeviceType
from renga_chainer.devices import without_cuda
from renga_core.backend import device_names, get_backend, to_host
from renga_core.backend import get_array_module as get_array_module
from renga_core.configuration import config as config
from renga_core.plugin.errors import RengaPluginError

__all__ = [
    "Device",
    "DummyDevice",
    "DummyDeviceType",
    "Event",
    "GpuDevice",
    "Stream",
    "available",
    "check_cuda_available",
    "clear_memo",
    "copy",
    "cudnn_enabled",
    "cupy",
    "elementwise",
    "fuse",
    "get_array_module",
    "get_device",
    "get_device_from_array",
    "get_device_from_id",
    "get_max_workspace_size",
    "memoize",
    "ndarray",
    "raw",
    "reduce",
    "set_max_workspace_size",
    "should_use_cudnn",
    "should_use_cudnn_tensor_core",
    "to_cpu",
    "to_gpu",
]

_why: str | None = None
try:
    cupy: Any = get_backend("cupy").xp
except (RengaPluginError, RuntimeError) as error:
    _why = without_cuda(error) if isinstance(error, RengaPluginError) else str(error)
    cupy = object()  # so that `xp is cuda.cupy` is a valid test

_integer_types = (int, np.integer)

available = _why is None
"""Whether CuPy can use a GPU."""

cudnn_enabled = available and runtime_info.should_use_cudnn(">=auto")

_LEVELS = {"==always": ("always",), ">=auto": ("always", "auto")}
_SETTINGS = ("always", "auto", "never")


def should_use_cudnn(level: str, lowest_version: int = 0) -> bool:
    """Whether ``config.use_cudnn`` is at least `level` and cuDNN is available.

    Args:
        level: ``"==always"`` or ``">=auto"``.
        lowest_version: Least version of cuDNN, as its own number, such as 9000.

    Raises:
        ValueError: `level` or the configuration entry is invalid.
    """
    if level not in _LEVELS:
        raise ValueError(f'invalid cuDNN use level: {level!r} (must be either of "==always" or ">=auto")')
    return _setting("use_cudnn") in _LEVELS[level] and runtime_info.should_use_cudnn(level, lowest_version)


def should_use_cudnn_tensor_core(dtype: Any) -> bool:
    """Whether ``config.use_cudnn_tensor_core`` is "always", or "auto" and the dtype has tensor cores in cuDNN.

    Raises:
        ValueError: The configuration entry is invalid.
    """
    chosen = _setting("use_cudnn_tensor_core")
    return chosen == "always" or (chosen == "auto" and runtime_info.should_use_cudnn_tensor_core(dtype))


def _setting(name: str) -> str:
    value: str = getattr(config, name)
    if value not in _SETTINGS:
        raise ValueError(f'invalid {name} configuration: {value!r} (must be either of "always", "auto", or "never")')
    return value


def check_cuda_available() -> None:
    """Raise an error if no GPU is usable.

    Raises:
        RuntimeError: No GPU is usable. The message has the reason.
    """
    if not available:
        raise RuntimeError(_why)


DummyDevice = DummyDeviceType()

if available:
    ndarray: Any = cupy.ndarray
    Device: Any = cupy.cuda.Device
    Event: Any = cupy.cuda.Event
    Stream: Any = cupy.cuda.Stream
    fuse: Any = cupy.fuse
    device_names[Device] = lambda device: f"cupy:{device.id}"
else:

    class ndarray:  # type: ignore[no-redef]  # without CuPy
        """Stand-in for CuPy's arrays; no array is an instance."""

    class Device:  # type: ignore[no-redef]  # without CuPy
        """Stand-in for CuPy's devices; no device is an instance."""

        def __init__(self, device: int | None = None) -> None:
            check_cuda_available()

    class Event:  # type: ignore[no-redef]  # without CuPy
        """Stand-in for events; it cannot be created."""

    class Stream:  # type: ignore[no-redef]  # without CuPy
        """Stand-in for streams; it cannot be created."""

    def fuse(*args: Any, **_: Any) -> Any:
        """Return the function unchanged: the CPU has no fusion. A decorator, with or without arguments."""
        return args[0] if args and callable(args[0]) else lambda function: function


def get_device_from_id(device_id: int | None) -> Any:
    """Return the GPU with this number; `DummyDevice` for None and negative numbers.

    Raises:
        RuntimeError: There is no GPU.
    """
    if device_id is None or device_id < 0:
        return DummyDevice
    check_cuda_available()
    return Device(int(device_id))


def get_device_from_array(*arrays: Any) -> Any:
    """Return the GPU of the first CuPy array among the arguments; `DummyDevice` if there is none."""
    for array in arrays:
        if isinstance(array, ndarray):
            return array.device
    return DummyDevice


def get_device(*args: Any) -> Any:
    """Return the GPU of the first argument that has one (number, CuPy device or array); else `DummyDevice`."""
    for arg in args:
        if isinstance(arg, (int, np.integer)) and not isinstance(arg, bool):
            return get_device_from_id(int(arg))
        if isinstance(arg, (ndarray, Device)):
            return arg.device if isinstance(arg, ndarray) else arg
    return DummyDevice


def to_gpu(array: Any, device: Any = None, stream: Any = None) -> Any:
    """Copy an array, or a list or tuple of arrays and None, to a GPU (default: the current one).

    Raises:
        RuntimeError: There is no GPU.
    """
    check_cuda_available()
    if isinstance(array, (list, tuple)):
        return type(array)(to_gpu(each, device, stream) for each in array)
    if array is None:
        return None
    index = cupy.cuda.Device().id if device is None else int(getattr(device, "id", device))
    with cupy.cuda.Device(index):
        return cupy.asarray(array)


def to_cpu(array: Any, stream: Any = None) -> Any:
    """Copy an array, or a list or tuple of arrays and None, to NumPy; a number becomes an array without axes.

    Raises:
        TypeError: The argument is not an array.
    """
    if isinstance(array, (list, tuple)):
        return type(array)(to_cpu(each, stream) for each in array)
    if array is None:
        return None
    if np.isscalar(array):
        return np.asarray(array)
    if not isinstance(array, (np.ndarray, ndarray)):
        raise TypeError(f"to_cpu: expected an array, or a list or tuple of arrays, not {type(array).__name__}")
    return array if isinstance(array, np.ndarray) else to_host(array)


def copy(array: Any, out: Any = None, out_device: Any = None, stream: Any = None) -> Any:
    """Copy a CuPy array, into `out` or to `out_device`.

    Raises:
        RuntimeError: There is no GPU.
    """
    check_cuda_available()
    if out is None:
        with get_device_from_array(array) if out_device is None else get_device(out_device):
            return cupy.array(array)
    out[...] = array
    return out


def memoize(for_each_device: bool = False) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Decorate a function so that its results are cached by arguments and, if requested, by GPU.

    Without CUDA there is no cache: each call runs the function, as in Chainer.
    """
    if available:
        decorator: Callable[..., Any] = cupy.memoize(for_each_device)
        return decorator

    def call_each_time(function: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(function)
        def call(*args: Any, **kwargs: Any) -> Any:
            return function(*args, **kwargs)

        return call

    return call_each_time


def clear_memo() -> None:
    """Clear the caches of `memoize`."""
    if available:
        cupy.clear_memo()


@memoize()
def elementwise(in_params: str, out_params: str, operation: str, name: str, **options: Any) -> Any:
    """CuPy's `ElementwiseKernel`, cached by its arguments. Raises RuntimeError if there is no GPU."""
    check_cuda_available()
    return cupy.ElementwiseKernel(in_params, out_params, operation, name, **options)


@memoize()
def reduce(
    in_params: str, out_params: str, map_expr: str, reduce_expr: str, post_map_expr: str, identity: Any, name: str,
    **options: Any,
) -> Any:  # fmt: skip
    """CuPy's `ReductionKernel`, cached by its arguments. Raises RuntimeError if there is no GPU."""
    check_cuda_available()
    return cupy.ReductionKernel(in_params, out_params, map_expr, reduce_expr, post_map_expr, identity, name, **options)


@memoize()
def raw(code: str, name: str, options: Sequence[str] = ()) -> Any:
    """CuPy's `RawKernel`, cached by its arguments. Raises RuntimeError if there is no GPU."""
    check_cuda_available()
    return cupy.RawKernel(code, name, tuple(options))


_max_workspace_size = 8 * 1024 * 1024


def get_max_workspace_size() -> int:
    """Return the size that was set, in bytes."""
    return _max_workspace_size


def set_max_workspace_size(size: int) -> None:
    """Store the size. It has no effect: kernels choose their own."""
    global _max_workspace_size
    _max_workspace_size = size
