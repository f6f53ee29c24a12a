"""Arrays as those of CuPy: in a device's memory, computed by kernels in a stream's order, refused where CuPy refuses.

All of NumPy's ways into an array come by here: ufuncs, functions, methods, indexing, numbers out of it. `device` says
what a kernel may do; here is what each of these does on a GPU: launch a kernel, make a view, or wait for the host.

One way is not seen: ``np.asarray(x)``, which CuPy refuses, gives NumPy the memory here.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from stand_in.device import DeviceError, device
from stand_in.dtype_tables import ARRAY_METHODS, TABLES, output_dtypes

VIEWS = frozenset(
    {"reshape", "transpose", "swapaxes", "squeeze", "ravel", "expand_dims", "broadcast_to", "moveaxis", "rollaxis"}
    | {"diagonal", "view", "real", "imag", "atleast_1d", "atleast_2d", "atleast_3d", "split", "array_split"}
    | {"broadcast_arrays", "flip"}
)
"""Functions and methods whose result may be a view, which takes no kernel."""

PRODUCTS = frozenset(["matmul", "dot", "tensordot", "einsum", "vdot", "inner", "outer"])
"""What CuPy gives to cuBLAS."""

WAITS = frozenset(
    {"nonzero", "argwhere", "unique", "flatnonzero", "isin"}
    | {"cholesky", "eigh", "qr", "svd", "det", "inv", "solve", "slogdet"}
)
"""What waits for the GPU: because the size of its result depends on values, or to see whether cuSOLVER succeeded."""

HOST_ANSWERS = frozenset(
    ["shape", "ndim", "size", "result_type", "can_cast", "isscalar", "iscomplexobj", "isrealobj", "may_share_memory"]
)
"""What needs no values."""


def make_class(base: type[np.ndarray]) -> type[np.ndarray]:
    """The class of arrays, on top of the class of the simple stand-in, which kernels know."""

    class DeviceArray(base):  # type: ignore[misc, valid-type]
        """An array in the memory of a device."""

        __array_priority__ = 100
        _block = None

        def __array_finalize__(self, source: Any) -> None:
            super().__array_finalize__(source)
            self._block = getattr(source, "_block", None)

        def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
            targets = out if isinstance(out, tuple) else () if out is None else (out,)
            if method == "__call__" and ufunc.__name__ not in PRODUCTS and "dtype" not in options:
                name = "conjugate" if ufunc.__name__ == "conj" else ufunc.__name__
                dtypes = output_dtypes(name, tuple([_kind(x) for x in inputs]))
            else:
                dtypes = ()
            name = ufunc.__name__ if method == "__call__" else f"{ufunc.__name__}.{method}"
            return run(name, getattr(ufunc, method), inputs, options, targets, dtypes)

        def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
            name = function.__name__
            if name in HOST_ANSWERS:
                return function(*_plain(args), **_plain(kwargs))
            inside = function.__module__.rpartition(".")[2]  # numpy.linalg, numpy.fft
            if name not in TABLES.get(inside if inside in ("linalg", "fft") else "names"):
                raise TypeError(f"CuPy {TABLES['version']} has no function {name!r}")
            kwargs = dict(kwargs)
            out = kwargs.pop("out", None)
            return run(name, function, args, kwargs, () if out is None else (out,))

        # --- what waits for the device --------------------

        def _to_host(self, name: str) -> np.ndarray:
            device.download(self, name)
            return np.array(self.view(np.ndarray))

        def get(self, stream: Any = None, order: str = "C", out: Any = None, blocking: bool = True) -> np.ndarray:
            if out is not None and not blocking:
                device.download_later(self, out, stream)
                return out  # type: ignore[no-any-return]
            made = np.array(self._to_host("get"), order=order)  # type: ignore[call-overload]
            if out is None:
                return made
            out[...] = made
            return out  # type: ignore[no-any-return]

        def item(self, *index: Any) -> Any:
            return self._to_host("item").item(*index)

        def tolist(self) -> Any:
            return self._to_host("tolist").tolist()

        def tobytes(self, order: str = "C") -> bytes:
            return self._to_host("tobytes").tobytes(order)  # type: ignore[arg-type]

        def __bool__(self) -> bool:
            return bool(self._to_host("bool"))

        def __int__(self) -> int:
            return int(self._to_host("int"))

        def __float__(self) -> float:
            return float(self._to_host("float"))

        def __complex__(self) -> complex:
            return complex(self._to_host("complex"))

        def __index__(self) -> int:
            return self._to_host("index").__index__()

        def __format__(self, form: str) -> str:
            return format(self._to_host("format"), form)

        def __repr__(self) -> str:
            return f"DeviceArray({self.view(np.ndarray)!r})"

        __str__ = __repr__

        # --- indexing --------------------

        def __getitem__(self, key: Any) -> Any:
            if _is_basic(key):
                found = super().__getitem__(key if not isinstance(key, tuple) else tuple(key))
                return found if isinstance(found, np.ndarray) else super().__getitem__((*_many(key), ...))
            name = "getitem by mask" if _has_mask(key) else "getitem by integers"
            if _has_mask(key):
                device.wait(f"indexing by a mask, {name}")
            return run(name, lambda x, k: x[k], (self, key), {})

        def __setitem__(self, key: Any, value: Any) -> None:
            if isinstance(value, np.ndarray) and not isinstance(value, DeviceArray) and value.ndim:
                raise TypeError("Unsupported type <class 'numpy.ndarray'>: a host array is assigned to a device array")
            target = self.view()

            def assign(x: Any, k: Any, v: Any) -> None:
                x[k] = v

            run(
                "setitem" if _is_basic(key) else "setitem by integers", assign, (target, key, value), {}, changed=target
            )

        def __iter__(self) -> Any:
            return iter([self[i] for i in range(len(self))])

        # --- methods --------------------

        def set(self, value: Any, stream: Any = None) -> None:
            device.upload(value, self, stream)

        def copy(self, order: str = "C") -> Any:
            if self._device != device.fakes.state.device:
                return self._copy_here()
            return run("copy", lambda x: np.array(x, order=order), (self,), {})  # type: ignore[call-overload]

        def _copy_here(self) -> Any:
            """From another device: made contiguous there, by that device's stream, which this one does not wait for."""
            source = self
            if not self.flags.c_contiguous:
                with device.fakes.Device(self._device):
                    source = self.copy()
            target = device.empty(self.shape, self.dtype)

            def move() -> None:
                target.view(np.ndarray)[...] = source.view(np.ndarray)

            device.launch("copy between devices", move, [source._block], [target])
            return target

        def astype(
            self, dtype: Any, order: str = "K", casting: Any = None, subok: Any = None, copy: bool = True
        ) -> Any:
            if not copy and self.dtype == dtype:
                return self
            return run("astype", lambda x: x.astype(dtype, order=order), (self,), {})  # type: ignore[call-overload]

        def fill(self, value: Any) -> None:
            self[...] = value

        @property
        def device(self) -> Any:
            return device.fakes.Device(self._device)

        @property
        def data(self) -> Any:
            pointer = device.fakes.Pointer(self.ctypes.data)
            pointer.device_id = self._device
            return pointer

    def method(name: str) -> Any:
        def call(self: Any, *args: Any, **kwargs: Any) -> Any:
            out = kwargs.pop("out", None)
            function = getattr(np.ndarray, name)
            return run(name, function, (self, *args), kwargs, () if out is None else (out,))

        return call

    for name in sorted(ARRAY_METHODS):
        if hasattr(np.ndarray, name) and name not in DeviceArray.__dict__ and callable(getattr(np.ndarray, name)):
            setattr(DeviceArray, name, method(name))
    for name in ("flags", "dtype", "shape", "strides", "size", "ndim", "itemsize", "nbytes", "T", "view"):
        if name in DeviceArray.__dict__:
            delattr(DeviceArray, name)
    DeviceArray.__name__ = DeviceArray.__qualname__ = "ndarray"
    return DeviceArray


def run(
    name: str,
    function: Any,
    args: Any,
    options: Any,
    out: tuple[Any, ...] = (),
    dtypes: tuple[Any, ...] = (),
    changed: Any = None,
) -> Any:
    """Do what a function of CuPy does, as kernels on the current stream.

    Args:
        name: Of the function.
        function: NumPy's.
        args, options: What it is called with.
        out: Arrays to write to, if they are given.
        dtypes: Of the results by CuPy's tables; empty where NumPy's are taken.
        changed: An argument that the function writes to.

    Returns:
        What the function returns, as arrays of the device: new ones, or views.
    """
    inputs = list(_arrays((args, options)))
    device.check_inputs(name, inputs)
    if name in PRODUCTS:
        device.check_cublas(name)
    if name in WAITS:
        device.wait(name)
    if device.capturing() and changed is None and name not in VIEWS:
        device.check_uploads(name, args)
    if changed is not None:
        device.launch(
            name, lambda: function(*_plain(args), **_plain(options)), [x for x in inputs if x is not changed], [changed]
        )
        return None
    made = function(*_plain(args), **_plain(options))
    results = made if isinstance(made, (tuple, list)) else (made,)
    if name in VIEWS and all(_is_view(x, inputs) for x in results if isinstance(x, np.ndarray)):
        views = [_view_of(x, inputs) for x in results]
        return views[0] if results is not made else type(made)(views)
    if out:
        targets = list(out)
        for target, x in zip(targets, results, strict=True):
            given = dtypes[0] if dtypes else np.asarray(x).dtype
            if not np.can_cast(given, target.dtype, "same_kind"):
                raise TypeError(
                    f"output (typecode '{given.char}') could not be coerced to provided output parameter (typecode "
                    f"'{target.dtype.char}') according to the casting rule \"same_kind\""
                )
    else:
        targets = [
            device.empty(np.shape(x), dtypes[i] if dtypes else np.asarray(x).dtype, _order(x))
            for i, x in enumerate(results)
        ]
    plain_args, plain_options = _plain(args), _plain(options)
    # While a graph is captured, arguments hold nothing yet: only what the result looks like was of use.
    known = None if device.capturing() else [np.array(x) for x in results]

    def compute() -> None:
        values = known
        if values is None:
            again = function(*plain_args, **plain_options)
            values = list(again) if isinstance(again, (tuple, list)) else [again]
        for target, value in zip(targets, values, strict=True):
            target.view(np.ndarray)[...] = value

    with np.errstate(all="ignore"):
        device.launch(name, compute, inputs, targets)
    return targets[0] if results is not made else tuple(targets)


def _order(x: Any) -> str:
    flags = getattr(x, "flags", None)
    return "F" if flags is not None and flags.f_contiguous and not flags.c_contiguous else "C"


def _arrays(value: Any) -> Any:
    if isinstance(value, np.ndarray):
        yield value
    elif isinstance(value, (tuple, list)):
        for x in value:
            yield from _arrays(x)
    elif isinstance(value, dict):
        yield from _arrays(list(value.values()))


def _plain(value: Any) -> Any:
    """The same with arrays as NumPy's."""
    if isinstance(value, np.ndarray):
        return value.view(np.ndarray)
    if isinstance(value, (tuple, list)):
        return type(value)(_plain(x) for x in value) if not hasattr(value, "_fields") else value
    if isinstance(value, dict):
        return {key: _plain(x) for key, x in value.items()}
    return value


def _kind(x: Any) -> Any:
    """What the tables are asked with: a dtype, or one of Python's numbers."""
    if isinstance(x, (np.ndarray, np.generic)):
        return x.dtype
    return x


def _many(key: Any) -> tuple[Any, ...]:
    return key if isinstance(key, tuple) else (key,)


def _is_basic(key: Any) -> bool:
    return all(
        x is None or x is Ellipsis or (isinstance(x, (int, np.integer, slice)) and not isinstance(x, bool))
        for x in _many(key)
    )


def _has_mask(key: Any) -> bool:
    return any(isinstance(x, np.ndarray) and x.dtype == bool for x in _many(key))


def _is_view(x: np.ndarray, inputs: list[np.ndarray]) -> bool:
    return any(_share(x, y) for y in inputs) or not x.size


def _share(x: np.ndarray, y: np.ndarray) -> bool:
    return bool(np.may_share_memory(x.view(np.ndarray), y.view(np.ndarray)))


def _view_of(x: Any, inputs: list[np.ndarray]) -> Any:
    if not isinstance(x, np.ndarray):
        return x
    source = next((y for y in inputs if _share(x, y)), inputs[0])
    made = x.view(type(source))
    made._device, made._block = source._device, source._block  # type: ignore[attr-defined]
    return made


__all__ = ["DeviceError", "make_class", "run"]
