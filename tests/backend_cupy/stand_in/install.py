"""Put the stand-in in the place of CuPy and cuDNN, for a whole process.

    sys.path.insert(0, "tests/backend_cupy")
    from stand_in.install import install

    devices = install()

From then on ``import cupy`` finds it, Renga's plugin takes it for two GPUs, and `devices` says what was launched.
"""

from __future__ import annotations

import contextlib
import importlib.util
import sys
import types
from importlib.machinery import ModuleSpec
from pathlib import Path
from typing import Any

import numpy as np

from stand_in import arrays, streams
from stand_in.device import Devices, device
from stand_in.dtype_tables import NAMES, TABLES

HERE = Path(__file__).parent

CREATE = frozenset(
    {"zeros", "ones", "full", "arange", "eye", "identity", "linspace", "tri", "indices", "meshgrid", "logspace"}
    | {"zeros_like", "ones_like", "full_like"}
)
"""What makes an array by one kernel."""


def install() -> Devices:
    """Install it; the simulated devices."""
    fakes = _load("fake_cupy", HERE.parent / "fake_cupy.py")
    fake_cudnn = _load("fake_cudnn", HERE.parent / "fake_cudnn.py")
    device.reset()
    streams.reset()
    device.fakes = fakes
    device.array = fakes.ndarray = arrays.make_class(fakes.ndarray)
    fakes.launch = device.launch_described
    fakes.Stream, fakes.Event, fakes.Device, fakes.Graph = streams.Stream, streams.Event, streams.Device, streams.Graph
    fakes.current, fakes.FakeError = streams.current, arrays.DeviceError
    fakes.ElementwiseKernel = _elementwise(fakes.ElementwiseKernel)
    fakes.ElementwiseKernel.made = []
    fakes.RawModule = _raw(fakes.RawModule)
    fake_cudnn.PyGraph.execute = _execute(fake_cudnn.PyGraph.execute)
    modules = fakes.cupy()
    modules["cupy"] = _complete(modules["cupy"], fakes)
    modules["cupyx"].empty_pinned = _empty_pinned
    modules["cupyx"].__path__ = []
    modules["cupyx.scipy"] = scipy = types.ModuleType("cupyx.scipy")
    modules["cupyx.scipy.special"] = scipy.special = _Inside("special", importlib.import_module("scipy.special"))
    modules["cupyx"].scipy, scipy.__path__ = scipy, []
    for name, module in {**modules, **fake_cudnn.cudnn()}.items():
        module.__spec__ = ModuleSpec(name, None)
        sys.modules[name] = module
    from renga_nn.functions.connection import convolution_reference

    fake_cudnn.PyGraph.reference, fake_cudnn.PyGraph.refuse, fake_cudnn.PyGraph.built = convolution_reference, False, 0
    _install_cublas()
    return device


def _load(name: str, path: Path) -> Any:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _install_cublas() -> None:
    """The stand-in for cuBLAS, if the plugin calls it by itself."""
    path = HERE.parent / "fake_cublas.py"
    if path.exists() and importlib.util.find_spec("renga_backend_cupy.cublas") is not None:
        from renga_backend_cupy import cublas

        library = _load("fake_cublas", path).Library(lambda run: device.launch_described(run))
        cublas.library = lambda: library.functions


def _elementwise(base: Any) -> Any:
    class ElementwiseKernel(base):  # type: ignore[misc]
        def __call__(self, *args: Any, size: int) -> None:
            given = [x for x in args[: len(args) - len(self.outputs)] if isinstance(x, np.ndarray)]
            with device.described(self.name, given, list(args[len(args) - len(self.outputs) :])):
                super().__call__(*args, size=size)

    return ElementwiseKernel


def _raw(base: Any) -> Any:
    class RawModule(base):  # type: ignore[misc]
        def __init__(self, code: str, **options: Any) -> None:
            super().__init__(code)

        def get_function(self, name: str) -> Any:
            start = super().get_function(name)

            def launch(grid: Any, block: Any, args: Any, **options: Any) -> None:
                touched = [x for x in args if isinstance(x, device.array)] + _addressed(args)
                with device.described(name, touched, touched):
                    start(grid, block, args)

            return launch

    return RawModule


def _addressed(args: Any) -> list[Any]:
    """Blocks whose addresses are in tables that a kernel is given by value."""
    found = []
    for x in args:
        if isinstance(x, np.ndarray) and not isinstance(x, device.array) and x.dtype.names:
            for name in x.dtype.names:
                if x[name].dtype == np.uint64:
                    found += [device.block_at(int(address)) for address in x[name].reshape(-1) if address]
    return [block for block in found if block is not None]


def _execute(original: Any) -> Any:
    def execute(self: Any, pointers: Any, workspace: int, handle: Any) -> None:
        tensors = {x.uid: x for x in (*self.args.values(), *self.made) if hasattr(x, "uid")}
        by_value = {number for number, x in tensors.items() if x.by_value}
        device.check_aligned(pointers, by_value)
        # Numbers of the host are read now; everything else when the kernels run.
        held = {n: np.array(tensors[n].view(pointers)) for n in by_value}
        given = {**pointers, **{n: x.ctypes.data for n, x in held.items()}}
        outputs = {x.uid for x in self.made}
        reads = [device.block_at(p) for n, p in pointers.items() if n not in by_value | outputs]
        writes = [device.block_at(p) for n, p in pointers.items() if n in outputs]
        device.launch(f"cuDNN {self.name}", lambda: (held, original(self, given, workspace, handle)), reads, writes)

    return execute


def _empty_pinned(shape: Any, dtype: Any = float) -> np.ndarray:
    made = np.empty(shape, dtype)
    device.pinned.append(made)
    return made


class _Module(types.ModuleType):
    """CuPy's functions, by NumPy's of the same name; what CuPy has not is not here either."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in NAMES:
            raise AttributeError(f"module 'cupy' {TABLES['version']} has no attribute {name!r}")
        found = getattr(np, name)
        if not callable(found) or isinstance(found, type):
            return found
        return _ufunc(name, found) if isinstance(found, np.ufunc) else _function(name, found)


class _ufunc:
    def __init__(self, name: str, function: np.ufunc) -> None:
        self._function, self.__name__ = function, name
        self.nin, self.nout = function.nin, function.nout

    def __call__(self, *args: Any, **options: Any) -> Any:
        if not any(isinstance(x, device.array) for x in args):
            args = (_asarray(args[0]), *args[1:])
        return self._function(*args, **options)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._function, name)


def _function(name: str, function: Any) -> Any:
    def call(*args: Any, **options: Any) -> Any:
        if name in CREATE:
            made = np.asarray(function(*arrays._plain(args), **arrays._plain(options)))
            target = device.empty(made.shape, made.dtype)

            def fill() -> None:
                target.view(np.ndarray)[...] = made

            device.launch(name, fill, [], [target])
            return target
        if name in arrays.HOST_ANSWERS:
            return function(*arrays._plain(args), **options)
        out = options.pop("out", None)
        return arrays.run(name, function, args, options, () if out is None else (out,))

    call.__name__ = name
    return call


def _asarray(value: Any, dtype: Any = None, order: str = "C", **_: Any) -> Any:
    if isinstance(value, device.array) and (dtype is None or value.dtype == dtype):
        if value._device != device.fakes.state.device:
            return value.copy()
        return value
    return _array(value, dtype, order=order)


def _array(value: Any, dtype: Any = None, copy: bool = True, order: str = "K", **_: Any) -> Any:
    if isinstance(value, device.array):
        return value.astype(dtype or value.dtype)
    if isinstance(value, (list, tuple)) and any(isinstance(x, device.array) for x in value):
        return arrays.run("stack", np.stack, ([_asarray(x) for x in value],), {}).astype(dtype or value[0].dtype)
    host = np.array(value, dtype)
    made = device.empty(host.shape, host.dtype)
    device.upload(host, made) if host.ndim else _scalar(host, made)
    return made


def _scalar(host: np.ndarray, target: Any) -> None:
    """A number is an argument of a kernel."""

    def fill() -> None:
        target.view(np.ndarray)[...] = host

    device.launch("full", fill, [], [target])


def _empty(shape: Any, dtype: Any = float, order: str = "C") -> Any:
    return device.empty(shape, dtype, order)


def _empty_like(x: Any, dtype: Any = None, order: str = "K", subok: Any = None, shape: Any = None) -> Any:
    return device.empty(x.shape if shape is None else shape, x.dtype if dtype is None else dtype)


def _ascontiguousarray(x: Any, dtype: Any = None) -> Any:
    x = _asarray(x, dtype)
    return x if x.flags.c_contiguous else x.copy()


def _asnumpy(x: Any, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True) -> Any:
    if isinstance(x, device.array):
        return x.get(stream, order, out, blocking)
    return np.asarray(x)


class _Add:
    """``cupy.add``, of which `at` takes fewer dtypes than NumPy's."""

    AT = ("int32", "float16", "float32", "float64", "complex64", "complex128", "uint64", "uint32", "bool", "int64")

    def __init__(self) -> None:
        self._add = _ufunc("add", np.add)

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self._add(*args, **options)

    def at(self, target: Any, index: Any, values: Any) -> None:
        if target.dtype.name not in self.AT:
            raise TypeError(f"cupy.add.at does not support {target.dtype}")
        arrays.run("add.at", np.add.at, (target, index, values), {}, changed=target)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._add, name)


def _complete(simple: Any, fakes: Any) -> Any:
    module = _Module("cupy")
    module.__path__ = []
    for name in ("ElementwiseKernel", "RawModule", "__version__"):
        setattr(module, name, getattr(simple, name))
    module.__version__ = TABLES["version"]
    module.cuda = simple.cuda
    module.cuda.MemoryPool, module.cuda.using_allocator = _PrivatePool, _using_allocator
    module.cuda.runtime.CUDARuntimeError = arrays.DeviceError
    module.ndarray, module.add = device.array, _Add()
    module.array, module.asarray, module.asnumpy = _array, _asarray, _asnumpy
    module.asanyarray, module.empty, module.empty_like = _asarray, _empty, _empty_like
    module.ascontiguousarray = _ascontiguousarray
    module.get_default_memory_pool = lambda: device.pools[0]
    module.get_default_pinned_memory_pool = fakes.Pool
    module.lib = types.ModuleType("cupy.lib")
    module.linalg, module.fft = _Inside("linalg", np.linalg), _Inside("fft", np.fft)
    return module


class _Inside(types.ModuleType):
    """A module in CuPy, by that of the same name in NumPy or SciPy."""

    def __init__(self, name: str, of: Any) -> None:
        super().__init__(name)
        self._name, self._of = name, of

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name not in TABLES[self._name]:
            raise AttributeError(f"CuPy {TABLES['version']} has no {self._name}.{name}")
        found = getattr(self._of, name)
        return found if isinstance(found, type) or not callable(found) else _function(name, found)


class _PrivatePool:
    def __init__(self) -> None:
        from stand_in.memory import Pool

        self.pool = Pool()

    def malloc(self, size: int) -> None:
        raise NotImplementedError("only `using_allocator` takes it")


@contextlib.contextmanager
def _using_allocator(allocator: Any = None) -> Any:
    device.pools.append(allocator.__self__.pool)
    try:
        yield
    finally:
        device.pools.pop()
