"""Finding and loading oneDNN; its constants and its errors."""

from __future__ import annotations

import ctypes
import ctypes.util
import functools
import importlib.metadata
import os
import platform
import threading
from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

from renga_backend_numpy.kernels import openmp
from renga_core.errors import RengaError

__all__ = ["OneDNNError", "check", "library", "unavailable", "without_bfloat16"]

VARIABLE = "RENGA_ONEDNN_LIBRARY"
DISTRIBUTION = "onednn-cpu-gomp"
_OLDEST = (3, 2)
_OPENMP = 2  # DNNL_RUNTIME_OMP
_AVX512 = 0x27  # dnnl_cpu_isa_avx512_core
_AVX512_BF16 = 0xE7  # dnnl_cpu_isa_avx512_core_bf16: its bit, and the bits of the instruction sets that it includes

_STATUS = {
    1: "out of memory",
    2: "invalid arguments",
    3: "not implemented for these arguments",
    4: "no further implementation",
    5: "failed at run time",
    6: "not required",
}

_loading = threading.Lock()


class OneDNNError(RengaError):
    """oneDNN reported an error, or cannot be loaded."""


class _Version(ctypes.Structure):
    _fields_ = [
        ("major", ctypes.c_int),
        ("minor", ctypes.c_int),
        ("patch", ctypes.c_int),
        ("hash", ctypes.c_char_p),
        ("cpu_runtime", ctypes.c_uint),
        ("gpu_runtime", ctypes.c_uint),
    ]


_SIZE, _MATRIX = ctypes.c_int64, (ctypes.c_void_p, ctypes.c_int64)
# Whether each factor is transposed; rows, columns, inner size; alpha; the factors; beta; the result.
_SGEMM: Any = ctypes.c_char, ctypes.c_char, *[_SIZE] * 3, ctypes.c_float, *_MATRIX, *_MATRIX, ctypes.c_float, *_MATRIX


class Library:
    """The loaded library.

    Attributes:
        path: From where.
        version: ``3.2.0``.
        calls: Functions that release the GIL, for long calls.
        quick: Functions that hold the GIL, for calls that take less time than releasing it.
        engine: oneDNN's object for the CPU.
        has_avx512: Whether oneDNN computes with AVX-512: the processor has it, and ``ONEDNN_MAX_CPU_ISA`` allows it.
    """

    def __init__(self, path: str) -> None:
        self.path = path
        self.calls: Any = ctypes.CDLL(path)
        self.quick: Any = ctypes.PyDLL(path)
        for functions in (self.calls, self.quick):
            functions.dnnl_version.restype = ctypes.POINTER(_Version)
            functions.dnnl_memory_desc_get_size.restype = ctypes.c_size_t
            functions.dnnl_primitive_desc_query_md.restype = ctypes.c_void_p
            functions.dnnl_memory_set_data_handle.argtypes = (ctypes.c_void_p, ctypes.c_void_p)
            functions.dnnl_sgemm.argtypes = _SGEMM
        version = self.calls.dnnl_version().contents
        self.version = f"{version.major}.{version.minor}.{version.patch}"
        if version.major != _OLDEST[0] or (version.major, version.minor) < _OLDEST:
            raise OneDNNError(f"oneDNN {self.version} ({path}) has another interface: needed is 3.2 or a later 3")
        if version.cpu_runtime != _OPENMP:
            raise OneDNNError(f"oneDNN {self.version} ({path}) was not built for OpenMP; install {DISTRIBUTION}")
        self.has_avx512 = self.calls.dnnl_get_effective_cpu_isa() & _AVX512 == _AVX512
        self.engine = ctypes.c_void_p()
        check(self.calls.dnnl_engine_create(ctypes.byref(self.engine), 1, ctypes.c_size_t(0)), "the engine of the CPU")
        # `cache` keeps the primitives. With oneDNN's own cache in addition, memory would grow as shapes change.
        check(self.calls.dnnl_set_primitive_cache_capacity(0), "the size of its cache")


@functools.cache
def library() -> Library:
    """Load oneDNN at the first call, once for all threads: objects of different engines cannot be combined.

    The file that the environment variable ``RENGA_ONEDNN_LIBRARY`` names, or else the one of the wheel
    ``onednn-cpu-gomp``, or else the system's.

    Raises:
        OneDNNError: The library is not installed, or does not work here.
    """
    with _loading:  # several threads may have found the cache empty
        return _load()


@functools.cache
def _load() -> Library:
    openmp.prepare()
    tried = []
    for path in _candidates():
        try:
            return Library(path)
        except (OSError, AttributeError, OneDNNError) as error:
            tried.append(str(error) if path in str(error) else f"{path}: {error}")
    if tried:
        raise OneDNNError("oneDNN cannot be loaded: " + "; ".join(tried))
    raise OneDNNError(f"oneDNN is not installed (no {DISTRIBUTION}, no libdnnl of the system)")


def unavailable() -> str | None:
    """Why oneDNN cannot be used here, in a sentence; None if it can. It loads the library."""
    if platform.system() != "Linux" or platform.machine() != "x86_64":
        return f"there is no wheel of oneDNN for {platform.system()} on {platform.machine()}, only for Linux on x86_64"
    try:
        library()
    except OneDNNError as error:
        return str(error)
    return None


def without_bfloat16() -> str | None:
    """Why oneDNN cannot be used for bfloat16 here, in a sentence; None if it can. It loads the library."""
    reason = unavailable()
    if reason is None and find_spec("ml_dtypes") is None:
        return "NumPy has no bfloat16. Next: pip install ml_dtypes"
    if reason is None and library().calls.dnnl_get_effective_cpu_isa() & _AVX512_BF16 != _AVX512_BF16:
        return "this processor has no instructions for bfloat16 (AVX512_BF16): train in float32, which is faster here"
    return reason


def check(status: int, what: str) -> None:
    """Raise an error that names `what` unless oneDNN's status is success."""
    if status:
        raise OneDNNError(
            f"oneDNN, {what}: {_STATUS.get(status, 'an unknown error')} (status {status}). To compute without it, set "
            "kernels.<operation> = 'reference'; `renga kernels` lists operations."
        )


def _candidates() -> Iterator[str]:
    named = os.environ.get(VARIABLE)
    if named:
        yield named
        return
    try:
        files = importlib.metadata.files(DISTRIBUTION) or []
    except importlib.metadata.PackageNotFoundError:
        files = []
    yield from sorted({str(file.locate()) for file in files if file.name == "libdnnl.so.3"})
    of_system = ctypes.util.find_library("dnnl")
    if of_system:
        yield of_system


# Constants of dnnl_types.h.

BFLOAT16, FLOAT32 = 2, 3
ANY = 1  # dnnl_format_tag_any
FORWARD_TRAINING, FORWARD_INFERENCE, BACKWARD = 64, 96, 128
CONVOLUTION_DIRECT, CONVOLUTION_AUTO = 0x1, 0x3
POOLING_MAX, POOLING_AVERAGE_WITH_BORDER = 0x1FF, 0x2FF
BINARY_MAX, BINARY_GREATER = 0x1FFF2, 0x1FFF7
RELU_BY_RESULT = 0x100  # dnnl_eltwise_relu_use_dst_for_bwd
BINARY_ADD, BINARY_MULTIPLY = 0x1FFF0, 0x1FFF1
FUNCTION_SQUARE_ROOT, FUNCTION_LINEAR, FUNCTION_POWER = 0x25, 0x26, 0x30
SOFTMAX, LOG_SOFTMAX = 0x30000, 0x30001
LEFT_TO_RIGHT, RIGHT_TO_LEFT = 1, 2  # dnnl_unidirectional_*
OVERWRITE_DIFF_WEIGHTS = 1  # for recurrent layers, which would otherwise add to the result
GIVEN_STATISTICS, USE_SCALE, USE_SHIFT = 1, 2, 4
IMPLEMENTATION = 8  # dnnl_query_impl_info_str
NUMBER_OF_INPUTS = 3  # dnnl_query_num_of_inputs_s32
ARGUMENT_DESCRIPTOR = 255  # dnnl_query_exec_arg_md

SRC, SRC_1, DST, WEIGHTS, BIAS = 1, 2, 17, 33, 41
OF_FIRST_POST_OP = 1 << 15  # with SRC_1: the other operand of the first step; twice this for the second, …
SRC_STATE, SRC_CELLS, DST_STATE, DST_CELLS, STATE_WEIGHTS = 2, 3, 18, 19, 34  # of recurrent layers
MEAN, VARIANCE, SCALE, SHIFT = 49, 50, 51, 52
WORKSPACE, SCRATCHPAD = 64, 80
DIFF = 128  # the gradient of argument n has the number DIFF + n
DIFF_SRC, DIFF_DST, DIFF_WEIGHTS, DIFF_BIAS = 129, 145, 161, 169
DIFF_SCALE, DIFF_SHIFT = 255, 256
