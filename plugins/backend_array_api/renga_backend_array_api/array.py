"""Arrays with NumPy's operators and methods, for any library with the array-API standard namespace."""

from __future__ import annotations

import math
import operator
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar, NoReturn, Self

import numpy as np

from renga_backend_array_api.indexing import (
    forward_slices,
    is_basic,
    is_mask,
    require_inside,
    split_key,
    with_ellipsis,
)

__all__ = ["StandardArray"]

_DTYPES = (
    *("bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
    *("float16", "float32", "float64", "complex64", "complex128"),
)

_REFUSALS = (RuntimeError, TypeError)
"""Exceptions of libraries for shapes that do not fit, where NumPy raises ValueError."""

Axis = int | Sequence[int] | None


class StandardArray:
    """Wraps an array of a library and gives it NumPy's interface. It shares the array, available as `native`.

    Results have NumPy's dtypes: a Python scalar takes the dtype of the other operand, an array without axes keeps its
    own, and a quotient of integers is float64. Operands that do not broadcast raise ValueError.

    In-place changes (``x[key] = y``, ``x += y``) always work. If the library's arrays are immutable, this object gets a
    new `native`. Slices, reshaped arrays and the former `native` then keep the old values.

    Define one subclass per library: ``class MyArray(StandardArray, library=my_namespace)``. It may override methods
    that the library does faster: `from_native`, `from_host`, `to_host`, `select`, `store`.

    Args:
        native: The library's array.

    Attributes:
        library: The namespace of the array-API standard.
        native_type: Type of the library's arrays.
        mutable: Whether the library's arrays can be changed in place. Determined when the subclass is defined.
    """

    __slots__ = ("native",)
    __array_ufunc__ = None  # so that NumPy leaves `scalar + array` to this class
    __hash__ = None  # type: ignore[assignment]  # arrays are compared element by element

    native: Any
    library: ClassVar[Any]
    native_type: ClassVar[type]
    mutable: ClassVar[bool]
    _native_dtypes: ClassVar[dict[np.dtype[Any], Any]]
    _numpy_dtypes: ClassVar[dict[Any, np.dtype[Any]]]

    def __init_subclass__(cls, library: Any = None, **kwargs: Any) -> None:
        super().__init_subclass__(**kwargs)
        if library is not None:
            cls.library = library
            cls.native_type = type(library.zeros(()))
            cls.mutable = _is_mutable(library)
            cls._native_dtypes, cls._numpy_dtypes = _dtypes_of(library)

    def __init__(self, native: Any) -> None:
        # Some libraries return scalars instead of arrays without axes.
        self.native = native if isinstance(native, self.native_type) else self.library.asarray(native)

    # --- methods that a library may override --------------------

    @classmethod
    def from_native(cls, native: Any) -> Self:
        """Wrap an array of the library that a user has created."""
        return cls(native)

    @classmethod
    def from_host(cls, host: np.ndarray[Any, Any]) -> Self:
        """Convert a NumPy array, without a copy if the library can read host memory.

        An immutable array never shares memory with a mutable one.
        """
        dtype = host.dtype.newbyteorder("=")
        cls.native_dtype(dtype)  # raises TypeError for an unsupported dtype
        if not cls.mutable:
            host = np.array(host, dtype, order="C")
        elif not (host.flags.writeable and host.dtype.isnative):
            host = host.astype(dtype)
        return cls(cls.library.from_dlpack(host))

    def to_host(self) -> np.ndarray[Any, Any]:
        """Return a NumPy array, which may share the memory."""
        return np.from_dlpack(self.native)

    def select(self, key: tuple[Any, ...]) -> Any:
        """Return the native array of elements that `key` selects; `key` contains arrays."""
        if len(key) == 1 and is_mask(key[0], self.native.shape):
            return self.native[self.from_host(_host(key[0])).native]
        places = np.arange(self.size).reshape(self.shape)[tuple([_host(part) for part in key])]
        flat = self.library.reshape(self.native, (-1,))
        taken = self.library.take(flat, self.from_host(places.reshape(-1)).native, axis=0)
        return self.library.reshape(taken, places.shape)

    def store(self, key: tuple[Any, ...], value: Any) -> None:
        """Assign a native array, or a Python scalar, of this array's dtype to the elements at `key`.

        Called for keys with arrays, negative steps or new axes; if arrays are immutable, for all keys. In that case
        `native` becomes a new array.
        """
        host = np.array(self.to_host())
        host[tuple([_host(part) for part in key])] = _host(value if _is_plain(value) else type(self)(value))
        stored = self.from_host(host).native
        if self.mutable:
            self.native[...] = stored
        else:
            self.native = stored

    # --- dtype, shape, conversion --------------------

    @classmethod
    def native_dtype(cls, dtype: Any) -> Any:
        """Return the library's dtype for a dtype of NumPy.

        Raises:
            TypeError: The library has no such dtype.
        """
        wanted = np.dtype(dtype)
        try:
            return cls._native_dtypes[wanted]
        except KeyError:
            known = ", ".join(dtype.name for dtype in cls._native_dtypes)
            raise TypeError(
                f"{cls.library.__name__} has no arrays of {wanted} (it has {known}). If they must be enabled first, as "
                f"in JAX double precision, do that before {cls.__name__} is defined"
            ) from None

    @property
    def dtype(self) -> np.dtype[Any]:
        """NumPy's name for the dtype."""
        try:
            return self._numpy_dtypes[self.native.dtype]
        except KeyError:
            raise TypeError(f"NumPy has no name for the dtype {self.native.dtype}") from None

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.native.shape)

    @property
    def ndim(self) -> int:
        return len(self.native.shape)

    @property
    def size(self) -> int:
        return math.prod(self.native.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    @property
    def T(self) -> Self:
        return self.transpose()

    def __len__(self) -> int:
        if not self.native.shape:
            raise TypeError("an array without axes has no length")
        return int(self.native.shape[0])

    def __iter__(self) -> Iterator[Self]:
        return iter([self[i] for i in range(len(self))])

    def __repr__(self) -> str:
        return f"{type(self).__name__}({np.array2string(self.to_host(), separator=', ')}, dtype={self.dtype})"

    # --- indexing --------------------

    def __getitem__(self, key: Any) -> Self:
        parts = split_key(key)
        if not is_basic(parts):
            return type(self)(self.select(parts))
        require_inside(parts, self.shape)
        forward, flipped = forward_slices(parts, self.shape)
        chosen = self.native[forward]
        return type(self)(self.library.flip(chosen, axis=flipped) if flipped else chosen)

    def __setitem__(self, key: Any, value: Any) -> None:
        parts = split_key(key)
        if is_basic(parts):
            require_inside(parts, self.shape)
        if not _is_plain(value):
            value = self._as_own(value).astype(self.dtype, copy=False).native
        try:
            if self.mutable and is_basic(parts) and None not in parts and not forward_slices(parts, self.shape)[1]:
                self.native[with_ellipsis(parts)] = value
            else:
                self.store(parts, value)
        except _REFUSALS as error:
            raise ValueError(f"assignment to {self.shape}[{key}]: {error}") from error

    def item(self) -> Any:
        return self.to_host().item()

    def tolist(self) -> Any:
        return self.to_host().tolist()

    def __float__(self) -> float:
        return float(self.item())

    def __int__(self) -> int:
        return int(self.item())

    def __bool__(self) -> bool:
        return bool(self.item())

    def __index__(self) -> int:
        if self.dtype.kind not in "iu":
            raise TypeError(f"an array of {self.dtype} cannot be an index")
        return int(self)

    def fill(self, value: Any) -> None:
        self[...] = value

    # --- shape and dtype --------------------

    def astype(self, dtype: Any, copy: bool = True) -> Self:
        if np.dtype(dtype) == self.dtype:
            return self.copy() if copy else self
        return type(self)(self.library.astype(self.native, self.native_dtype(dtype)))

    def copy(self) -> Self:
        return type(self)(self.library.asarray(self.native, copy=True))

    def reshape(self, *shape: Any) -> Self:
        sizes = shape[0] if len(shape) == 1 and not hasattr(shape[0], "__index__") else shape
        sizes = tuple([operator.index(n) for n in sizes])
        try:
            return type(self)(self.library.reshape(self.native, sizes))
        except _REFUSALS as error:
            raise ValueError(f"cannot reshape an array of shape {self.shape} into {sizes}") from error

    def ravel(self) -> Self:
        return self.reshape(-1)

    def squeeze(self, axis: Axis = None) -> Self:
        axes = self._axes(axis) if axis is not None else [i for i, n in enumerate(self.shape) if n == 1]
        return type(self)(self.library.squeeze(self.native, axis=tuple(axes)))

    def transpose(self, *axes: Any) -> Self:
        if len(axes) == 1 and not hasattr(axes[0], "__index__"):
            axes = () if axes[0] is None else tuple(axes[0])
        order = [a % self.ndim for a in axes] if axes else list(range(self.ndim))[::-1]
        return type(self)(self.library.permute_dims(self.native, tuple(order)))

    def swapaxes(self, axis1: int, axis2: int) -> Self:
        order = list(range(self.ndim))
        order[axis1], order[axis2] = order[axis2], order[axis1]
        return self.transpose(order)

    def __copy__(self) -> Self:
        return self.copy()

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self.copy()

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (type(self), np.array(self.to_host()))

    # --- reductions --------------------

    def sum(self, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Self:
        return self._total("sum", axis, dtype, keepdims)

    def prod(self, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Self:
        return self._total("prod", axis, dtype, keepdims)

    def mean(self, axis: Axis = None, dtype: Any = None, keepdims: bool = False) -> Self:
        wanted = dtype if dtype is not None else self.dtype if self.dtype.kind in "fc" else np.float64
        return self.astype(wanted, copy=False)._reduce("mean", axis, keepdims)

    def max(self, axis: Axis = None, keepdims: bool = False) -> Self:
        self._require_elements("max", axis)
        return self._reduce("any" if self.dtype == "bool" else "max", axis, keepdims)

    def min(self, axis: Axis = None, keepdims: bool = False) -> Self:
        self._require_elements("min", axis)
        return self._reduce("all" if self.dtype == "bool" else "min", axis, keepdims)

    def any(self, axis: Axis = None, keepdims: bool = False) -> Self:
        return self.astype(bool, copy=False)._reduce("any", axis, keepdims)

    def all(self, axis: Axis = None, keepdims: bool = False) -> Self:
        return self.astype(bool, copy=False)._reduce("all", axis, keepdims)

    def argmax(self, axis: int | None = None, keepdims: bool = False) -> Self:
        self._require_elements("argmax", axis)
        return type(self)(self.library.argmax(self._ordered().native, axis=axis, keepdims=keepdims))

    def argmin(self, axis: int | None = None, keepdims: bool = False) -> Self:
        self._require_elements("argmin", axis)
        return type(self)(self.library.argmin(self._ordered().native, axis=axis, keepdims=keepdims))

    def _ordered(self) -> Self:
        """Convert truth values to integers, because the standard does not order truth values."""
        return self.astype("uint8") if self.dtype == "bool" else self

    def _total(self, name: str, axis: Axis, dtype: Any, keepdims: bool) -> Self:
        if dtype is None and self.dtype.kind in "biu":
            dtype = np.uint64 if self.dtype.kind == "u" else np.int64
        return (self if dtype is None else self.astype(dtype, copy=False))._reduce(name, axis, keepdims)

    def _reduce(self, name: str, axis: Axis, keepdims: bool) -> Self:
        axes = self._axes(axis)
        if not axes:
            return self.copy()  # no axes: each element is its own result
        return type(self)(getattr(self.library, name)(self.native, axis=axes, keepdims=keepdims))

    def _axes(self, axis: Axis) -> tuple[int, ...]:
        given = range(self.ndim) if axis is None else (axis,) if isinstance(axis, int) else axis
        if any(not -self.ndim <= a < self.ndim for a in given):
            raise ValueError(f"axis {axis} is out of range for an array with {self.ndim} axes")
        return tuple([a % self.ndim for a in given])

    def _require_elements(self, name: str, axis: Axis) -> None:
        if self.size == 0 and 0 in [self.shape[a] for a in self._axes(axis)]:
            raise ValueError(f"{name} of an empty array (shape {self.shape}, axis {axis})")

    # --- operators --------------------

    def _as_own(self, value: Any) -> Self:
        """Convert another array, or a NumPy scalar, to a native array.

        Raises:
            TypeError: It is an array of another library. Only explicit transfers move arrays.
        """
        if isinstance(value, type(self)):
            return value
        if isinstance(value, type(self.native)):
            return type(self)(value)
        if isinstance(value, np.generic) or (isinstance(value, np.ndarray) and value.ndim == 0):
            return self.from_host(np.array(value))
        raise TypeError(f"{type(self).__name__} and {type(value).__name__} do not mix; move one to the other's device")

    def _pair(self, other: Any) -> tuple[Any, Any]:
        """Return both operands of an operator as native arrays of one dtype; a Python scalar stays a scalar."""
        if _is_plain(other):
            dtype = np.result_type(self.dtype, other)
            return self.astype(dtype, copy=False).native, other
        right = self._as_own(other)
        if right.native.dtype == self.native.dtype:
            return self.native, right.native
        dtype = np.promote_types(self.dtype, right.dtype)
        return self.astype(dtype, copy=False).native, right.astype(dtype, copy=False).native

    def __neg__(self) -> Self:
        return type(self)(-self.native)

    def __pos__(self) -> Self:
        return self.copy()

    def __abs__(self) -> Self:
        return type(self)(abs(self.native))

    def __invert__(self) -> Self:
        return type(self)(~self.native)

    # --- conversion to other libraries --------------------

    def __dlpack__(self, **options: Any) -> Any:
        return self.native.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.native.__dlpack_device__()

    def __array__(self, *args: Any, **options: Any) -> np.ndarray[Any, Any]:
        raise TypeError(f"a {type(self).__name__} does not become a NumPy array implicitly; call renga.backend.to_host")


def _operator(symbol: Callable[[Any, Any], Any], reflected: bool = False) -> Any:
    """``array . other``, or ``other . array``."""
    divides = symbol is operator.truediv

    def method(self: StandardArray, other: Any) -> Any:
        if not (_is_plain(other) or hasattr(other, "dtype")) or hasattr(other, "array"):
            return NotImplemented
        x, y = self._pair(other)
        cls = type(self)
        if divides and cls._numpy_dtypes[x.dtype].kind in "biu":
            x, y = cls(x).astype(np.float64).native, y if _is_plain(y) else cls(y).astype(np.float64).native
        if reflected:
            x, y = y, x
        try:
            return cls(symbol(x, y))
        except _REFUSALS as error:
            _raise_for_shapes(error, symbol, x, y)

    return method


def _in_place(symbol: Callable[[Any, Any], Any], plain: Callable[[Any, Any], Any]) -> Any:
    """``array .= other``, in the dtype of the array."""

    def method(self: StandardArray, other: Any) -> Any:
        x, y = self._pair(other)
        if x is not self.native or (plain is operator.truediv and self.dtype.kind in "biu"):
            # The result has another dtype: convert it back if this loses only precision.
            result = plain(self, other)
            if not np.can_cast(result.dtype, self.dtype, "same_kind"):
                raise TypeError(f"a result of {result.dtype} cannot be stored in an array of {self.dtype}")
            self[...] = result
            return self
        try:
            result = symbol(x, y)
        except _REFUSALS as error:
            _raise_for_shapes(error, plain, x, y, into=self.shape)
        if result.shape != self.native.shape:
            raise ValueError(f"a result of shape {tuple(result.shape)} cannot be stored in an array of {self.shape}")
        self.native = result
        return self

    return method


for _name in ("add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul", "and", "or", "xor"):
    _plain = getattr(operator, f"{_name}_" if _name in ("and", "or") else _name)
    setattr(StandardArray, f"__{_name}__", _operator(_plain))
    setattr(StandardArray, f"__r{_name}__", _operator(_plain, reflected=True))
    setattr(StandardArray, f"__i{_name}__", _in_place(getattr(operator, f"i{_name}"), _plain))
for _name in ("eq", "ne", "lt", "le", "gt", "ge"):
    setattr(StandardArray, f"__{_name}__", _operator(getattr(operator, _name)))


def _raise_for_shapes(
    error: Exception, symbol: Callable[[Any, Any], Any], *operands: Any, into: tuple[int, ...] | None = None
) -> NoReturn:
    """Raise ValueError if the operands' shapes do not fit, as NumPy does; else raise the library's error again.

    In place, the result must also have the shape `into` of the array that stores it.
    """
    shapes = [tuple(x.shape) for x in operands if hasattr(x, "shape")]
    if symbol is operator.matmul:
        raise ValueError(f"matmul: matrices of shapes {shapes} do not fit") from error
    try:
        made = np.broadcast_shapes(*shapes)
    except ValueError as explained:
        raise explained from error
    if into is not None and made != into:
        raise ValueError(f"a result of shape {made} cannot be stored in an array of {into}") from error
    raise error


def _is_mutable(library: Any) -> bool:
    """Whether elements of a library's arrays can be assigned to."""
    array = library.zeros((1,))
    try:
        array[0] = 1
    except TypeError:
        return False
    return True


def _dtypes_of(library: Any) -> tuple[dict[np.dtype[Any], Any], dict[Any, np.dtype[Any]]]:
    """Map NumPy's dtypes to a library's, and back. Skip dtypes that the library replaces by others."""
    natives, numpys = {}, {}
    for name in _DTYPES:
        if hasattr(library, name):
            with warnings.catch_warnings(action="ignore"):  # about a disabled dtype
                # Take the dtype of an array: the name in the namespace may be something else (in NumPy, a type).
                made = library.zeros((), dtype=getattr(library, name)).dtype
            if str(made).rpartition(".")[2] == name:
                natives[np.dtype(name)], numpys[made] = getattr(library, name), np.dtype(name)
    return natives, numpys


def _rebuild(cls: type[StandardArray], host: np.ndarray[Any, Any]) -> StandardArray:
    return cls.from_host(host)


def _is_plain(value: Any) -> bool:
    """Whether it is a Python scalar, without a dtype. NumPy's float64, also a Python float, counts as an array."""
    return isinstance(value, (bool, int, float, complex)) and not isinstance(value, np.generic)


def _host(value: Any) -> Any:
    return value.to_host() if isinstance(value, StandardArray) else value
