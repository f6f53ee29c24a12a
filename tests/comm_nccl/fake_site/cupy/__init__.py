"""A stand-in for CuPy, to test communicators: NumPy computes, on the streams, events and devices of a fake libnccl.

What is asked of a stream is done in its order: what is computed in place is queued (but on the default stream), for
everything else the host waits until the current stream has come so far, and no further. So a stream that does not wait
for another one where it should sees what was there before. Memory comes from an arena for each stream, as CuPy's does:
freed memory is reused at once for what is queued on that stream, and is filled with 0xFF (NaN) then. What the host
would wait for cannot be captured.
"""

import ctypes
import functools
import importlib.util
import itertools
import os
import sys
import threading
import types
from pathlib import Path

import numpy as np

__version__ = "14.2.0"

if "RENGA_OWN_DEVICE" in os.environ and "OMPI_COMM_WORLD_RANK" in os.environ:  # as the launcher `local` does
    os.environ["CUDA_VISIBLE_DEVICES"] = os.environ["OMPI_COMM_WORLD_RANK"]

_library = ctypes.CDLL(os.environ["RENGA_NCCL_LIBRARY"])
_library.fakecudaGetErrorString.restype = ctypes.c_char_p


class CUDARuntimeError(RuntimeError):
    pass


def _call(name, *args):
    code = getattr(_library, f"fakecuda{name}")(*args)
    if code:
        raise CUDARuntimeError(f"{name}: {_library.fakecudaGetErrorString(code).decode()} ({code})")


class _Here(threading.local):
    def __init__(self):
        self.streams = {}


_here = _Here()


def _device():
    found = ctypes.c_int()
    _call("GetDevice", ctypes.byref(found))
    return found.value


class Device:
    def __init__(self, device=None):
        self.id = _device() if device is None else int(device)

    def __enter__(self):
        self._before = _device()
        _call("SetDevice", self.id)
        return self

    def __exit__(self, *error):
        _call("SetDevice", self._before)

    def use(self):
        _call("SetDevice", self.id)

    def __eq__(self, other):
        return self.id == other.id

    __hash__ = None

    @property
    def pci_bus_id(self):
        visible = os.environ.get("CUDA_VISIBLE_DEVICES", "").split(",")
        return f"0000:{int(visible[self.id]) if visible != [''] else self.id:02d}:00.0"

    @property
    def mem_info(self):
        return 3 << 30, 4 << 30

    def synchronize(self):
        with self:
            _call("DeviceSynchronize")


class Event:
    def __init__(self, block=False, disable_timing=False, interprocess=False):
        self._handle = ctypes.c_void_p()
        _call("EventCreate", ctypes.byref(self._handle))

    def __del__(self):
        _library.fakecudaEventDestroy(self._handle)

    def record(self, stream=None):
        _call("EventRecord", self._handle, (stream or get_current_stream())._handle)

    @property
    def done(self):
        return _library.fakecudaEventQuery(self._handle) == 0

    def synchronize(self):
        _call("EventSynchronize", self._handle)


class Graph:
    def __init__(self, handle):
        self._handle = handle

    def launch(self, stream=None):
        _call("GraphLaunch", self._handle, (stream or get_current_stream())._handle)


class Stream:
    def __init__(self, null=False, non_blocking=False, ptds=False, priority=None):
        self._handle = ctypes.c_void_p()
        if not null:
            _call("StreamCreateWithFlags", ctypes.byref(self._handle), ctypes.c_uint(int(non_blocking)))

    @property
    def ptr(self):
        return self._handle.value or 0

    def __enter__(self):
        _stack().append(self)
        return self

    def __exit__(self, *error):
        _stack().pop()

    def record(self, event=None):
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event):
        _call("StreamWaitEvent", self._handle, event._handle, ctypes.c_uint(0))

    def synchronize(self):
        _call("StreamSynchronize", self._handle)

    def is_capturing(self):
        found = ctypes.c_int()
        _call("StreamIsCapturing", self._handle, ctypes.byref(found))
        return bool(found.value)

    def begin_capture(self, mode=None):
        _call("StreamBeginCapture", self._handle)

    def end_capture(self):
        handle = ctypes.c_void_p()
        _call("StreamEndCapture", self._handle, ctypes.byref(handle))
        return Graph(handle)


def _stack():
    return _here.streams.setdefault(_device(), [_default])


_default = Stream(null=True)


def get_current_stream(device_id=-1):
    return _stack()[-1]


# --- memory and arrays --------------------

_arenas = {}
_lock = threading.Lock()


class _Block:
    """Memory of an arena; it comes back when no array uses it."""

    def __init__(self, size):
        stream = get_current_stream()
        self.place = (_device(), stream.ptr, size)
        with _lock:
            free = _arenas.setdefault(self.place, [])
            self.memory = free.pop() if free else None
        if self.memory is None:
            self.memory = (ctypes.c_char * size)()
        elif not stream.is_capturing():
            stream.synchronize()
        ctypes.memset(self.memory, 0xFF, size)
        self.__array_interface__ = {
            "shape": (size,),
            "typestr": "|u1",
            "data": (ctypes.addressof(self.memory), False),
            "version": 3,
        }

    def __del__(self, lock=_lock, arenas=_arenas):  # the module's names are gone when Python ends
        with lock:
            arenas[self.place].append(self.memory)


def empty(shape, dtype=float, order="C"):
    dtype = np.dtype(dtype)
    shape = (shape,) if np.ndim(shape) == 0 else tuple(shape)
    size = int(np.prod(shape, dtype=int)) * dtype.itemsize
    return ndarray(np.asarray(_Block(max(size, 1)))[:size].view(dtype).reshape(shape), _device())


def _own(result):
    """NumPy's result as an array of this library."""
    if isinstance(result, (tuple, list)):
        return type(result)(_own(one) for one in result)
    if not isinstance(result, (np.ndarray, np.generic)):
        return result
    made = empty(result.shape, result.dtype)
    np.copyto(made._host, result)
    return made


def _base(value):
    if isinstance(value, ndarray):
        return value._host
    if isinstance(value, np.ndarray) and value.ndim:
        raise TypeError("Unsupported type <class 'numpy.ndarray'>: send it to the device")
    if isinstance(value, (list, tuple)):
        return type(value)(_base(one) for one in value)
    return value


_queued = {}
_numbers = itertools.count(1)


@ctypes.CFUNCTYPE(None, ctypes.c_void_p)
def _run_queued(number):
    function, again = _queued[number]
    if not again:
        del _queued[number]
    function()


def _queue(function):
    """Have the current stream do something; a graph does it at each launch, the default stream now."""
    if get_current_stream() is _default:
        _come_so_far()
        function()
        return
    stream, number = get_current_stream(), next(_numbers)
    _queued[number] = function, stream.is_capturing()
    _call("LaunchHostFunc", stream._handle, _run_queued, ctypes.c_void_p(number))


def _come_so_far():
    stream = get_current_stream()
    if stream.is_capturing():
        raise CUDARuntimeError("this stand-in captures streams and NCCL, and no computations")
    stream.synchronize()


class _Pointer:
    def __init__(self, ptr):
        self.ptr = ptr


class ndarray(np.lib.mixins.NDArrayOperatorsMixin):
    """An array that NumPy cannot read by itself.

    Args:
        host: Its memory, in which other streams may be writing.
        device: Where it is said to be.
    """

    __hash__ = None

    def __init__(self, host, device):
        self._host, self._device = host, device

    def __getattr__(self, name):
        """A property of NumPy's array, or a method, whose result is an array of this library."""
        found = getattr(self._host, name)
        if not callable(found):
            return found

        def call(*args, **options):
            _come_so_far()
            return _own(found(*_base(args), **_base_values(options)))

        return call

    @property
    def device(self):
        return Device(self._device)

    @property
    def data(self):
        return _Pointer(self._host.ctypes.data)

    def _view(self, host):
        return ndarray(host, self._device)

    @property
    def T(self):
        return self._view(self._host.T)

    def transpose(self, *axes):
        return self._view(self._host.transpose(*axes))

    def reshape(self, *shape, order="C"):
        host = self._host.reshape(*shape)
        if host.size and not np.may_share_memory(host, self._host):
            _come_so_far()
            return _own(self._host.reshape(*shape))
        return self._view(host)

    def ravel(self, order="C"):
        return self.reshape(-1)

    def squeeze(self, axis=None):
        return self._view(self._host.squeeze(axis))

    def view(self, dtype=None):
        return self._view(self._host.view(dtype) if dtype is not None else self._host)

    def __len__(self):
        return len(self._host)

    def __iter__(self):
        return (self[i] for i in range(len(self)))

    def __getitem__(self, key):
        if not isinstance(key, (ndarray, list)):
            found = self._host[key]
            if isinstance(found, np.ndarray) and np.may_share_memory(found, self._host):
                return self._view(found)
            if isinstance(found, np.ndarray) and not found.size:
                return self._view(found)
        _come_so_far()
        return _own(self._host[_base(key)])

    def __setitem__(self, key, value):
        place = self._host[_base(key)] if isinstance(key, ndarray) else self._host[key]
        if not isinstance(place, np.ndarray) or not np.may_share_memory(place, self._host):
            _come_so_far()
            self._host[_base(key)] = value._host if isinstance(value, ndarray) else value
            return
        value = value._host if isinstance(value, ndarray) else np.array(value)
        np.broadcast_shapes(place.shape, value.shape)
        _queue(lambda: np.copyto(place, value, casting="unsafe"))

    def __array_ufunc__(self, ufunc, method, *inputs, out=None, **options):
        if out is not None:
            given = (_base(inputs), _base(out), _base_values(options))
            _queue(lambda: getattr(ufunc, method)(*given[0], out=given[1], **given[2]))
            return out[0] if len(out) == 1 else out
        _come_so_far()
        return _own(getattr(ufunc, method)(*_base(inputs), **_base_values(options)))

    def __array_function__(self, function, kinds, args, options):
        _come_so_far()
        result = function(*[_base(one) for one in args], **_base_values(options))
        return options["out"] if options.get("out") is not None else _own(result)

    def astype(self, dtype, order="K", copy=True):
        if not copy and self.dtype == np.dtype(dtype):
            return self
        _come_so_far()
        return _own(self._host.astype(dtype))

    def get(self, stream=None, order="C", out=None, blocking=True):
        with self.device:
            _come_so_far()
        made = np.array(self._host) if out is None else out
        made[...] = self._host
        return made

    def set(self, value, stream=None):
        self[...] = value

    def fill(self, value):
        self[...] = value

    def item(self, *args):
        return self.get().item(*args)

    def tolist(self):
        return self.get().tolist()

    def tobytes(self):
        return self.get().tobytes()

    def __reduce__(self):
        return asarray, (self.get(),)

    def __bool__(self):
        return bool(self.get())

    def __float__(self):
        return float(self.get())

    def __int__(self):
        return int(self.get())

    def __repr__(self):
        return repr(self.get())


def _base_values(options):
    return {name: _base(value) for name, value in options.items()}


def asarray(value, dtype=None, order=None):
    if isinstance(value, ndarray) and (dtype is None or value.dtype == np.dtype(dtype)):
        return value
    _come_so_far()
    return _own(np.asarray(value._host if isinstance(value, ndarray) else value, dtype))


def array(value, dtype=None, copy=True, order="K", subok=False, ndmin=0):
    found = asarray(value, dtype)
    found = found.copy() if found is value else found
    return found.reshape((1,) * (ndmin - found.ndim) + found.shape) if found.ndim < ndmin else found


def ascontiguousarray(value, dtype=None):
    return value if value.flags.c_contiguous and dtype is None else value.copy()


def asnumpy(value, stream=None, order="C", out=None, blocking=True):
    return value.get() if isinstance(value, ndarray) else np.asarray(value)


def zeros(shape, dtype=float, order="C"):
    made = empty(shape, dtype)
    made[...] = 0
    return made


def empty_like(value, dtype=None):
    return empty(value.shape, dtype or value.dtype)


class _Pool:
    malloc = None

    def used_bytes(self):
        return 10

    def total_bytes(self):
        return 20

    def n_free_blocks(self):
        return 3


get_default_memory_pool = get_default_pinned_memory_pool = _Pool


def _device_count():
    found = ctypes.c_int()
    _call("GetDeviceCount", ctypes.byref(found))
    return found.value


@functools.cache
def _kernels_for_the_cpu():
    """The other stand-in, which has g++ compile kernels."""
    path = Path(__file__).parents[3] / "backend_cupy" / "fake_cupy.py"
    spec = importlib.util.spec_from_file_location("fake_cupy", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.ElementwiseKernel.made = []
    return module


class ElementwiseKernel:
    """A kernel that is compiled for the CPU at its first use; those that draw random numbers need it."""

    def __init__(self, *args, **options):
        self._compiled = functools.cache(lambda: _kernels_for_the_cpu().ElementwiseKernel(*args, **options))

    def __call__(self, *args, size):
        kernel, kind = self._compiled(), _kernels_for_the_cpu().ndarray
        hosts = [one._host.view(kind) if isinstance(one, ndarray) else one for one in args]
        _queue(lambda: kernel(*hosts, size=size))


class RawModule:
    """A kernel that is made, and cannot be run here; so with those of modules."""

    def __init__(self, *args, **options):
        pass

    def __call__(self, *args, **options):
        raise NotImplementedError("this stand-in runs no such kernels; renga_core's references compute")

    get_function = __call__


RawKernel = ReductionKernel = RawModule


def fuse(*args, **options):
    return args[0] if args and callable(args[0]) else lambda function: function


def memoize(for_each_device=False):
    return functools.cache


def clear_memo():
    pass


def __getattr__(name):
    """NumPy's function of that name, on arrays of this library."""
    found = getattr(np, name)
    if isinstance(found, type) or not callable(found):
        return found

    def call(*args, **options):
        result = found(*args, **options)
        return _own(result) if isinstance(result, (np.ndarray, np.generic)) else result

    call.__name__ = name
    return call


cuda = types.ModuleType("cupy.cuda")
cuda.Device, cuda.Event, cuda.Stream, cuda.Graph = Device, Event, Stream, Graph
cuda.get_current_stream = get_current_stream
cuda.MemoryPool = _Pool
cuda.PinnedMemoryPointer = type("PinnedMemoryPointer", (), {})
cuda.runtime = types.SimpleNamespace(
    getDeviceCount=_device_count,
    CUDARuntimeError=CUDARuntimeError,
    driverGetVersion=lambda: 13000,
    deviceCanAccessPeer=lambda a, b: 1,
    getDeviceProperties=lambda i: {"name": b"fake GPU", "major": 9, "minor": 0},
)
sys.modules["cupy.cuda"] = cuda
