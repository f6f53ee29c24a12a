"""What an array library must offer to be a backend."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from renga_core.backend.special import special_by_host

__all__ = ["Array", "Backend"]

Array = Any
"""An array of some backend. Which library it belongs to is known at run time only."""


class Backend(ABC):
    """An array library.

    A backend is made once and shared by all threads. Everything that NumPy's namespace offers under the same name and
    meaning is called through `xp`; the methods below are what namespaces do not agree on.

    Attributes:
        name: What users write: ``numpy``, ``cupy``.
        xp: The array namespace: functions such as ``xp.exp`` and ``xp.zeros``.
        array_types: The types of its arrays. Subclasses of them are found too.
        scalar_types: Types of which `asarray` makes arrays wherever a Variable or a function is given one: what the
            library returns where a zero-dimensional array is meant (NumPy's ``float32``), or what its arrays wrap.
        random_stream: Which random numbers a seed of the user's starts; if empty, those of the backend's own name. A
            backend whose generators draw what NumPy's draw says ``numpy``: a program gets the same on both.
    """

    name: str
    xp: Any
    array_types: tuple[type, ...]
    scalar_types: tuple[type, ...] = ()
    random_stream: str = ""

    # --- devices --------------------

    def device_count(self) -> int:
        """Number of devices; 1 for a library that has only the host."""
        return 1

    def device_name(self, index: int) -> str:
        """The name of device `index`: the backend's own, alone or with a colon and a number or a word behind it.

        Here the number, unless there is one device only.
        """
        return self.name if self.device_count() == 1 else f"{self.name}:{index}"

    def device_index(self, array: Array) -> int:
        """Which device `array` lives on."""
        return 0

    def use_device(self, index: int) -> AbstractContextManager[object]:
        """Make device `index` the current one while a ``with`` block runs."""
        return nullcontext()

    def synchronize(self) -> None:
        """Wait until everything that was asked of the current device has been done."""
        return

    def memory_info(self, index: int = 0) -> Mapping[str, int]:
        """Bytes in use and in all, by name (``used``, ``total``); empty where it cannot be told."""
        return {}

    # --- transfers --------------------

    @abstractmethod
    def asarray(self, value: object, index: int = 0) -> Array:
        """`value` (a host array, a scalar, an array of this backend) as an array on device `index`.

        Copies only where it must.
        """

    @abstractmethod
    def to_host(self, array: Array) -> np.ndarray[Any, Any]:
        """`array` as a NumPy array, of no subclass. May share memory with it where the library's is the host's."""

    @abstractmethod
    def from_dlpack(self, array: object) -> Array:
        """An array of this backend that shares memory with `array` (any object with ``__dlpack__``), where possible."""

    def upload(self, array: np.ndarray[Any, Any], index: int = 0, stream: Any = None) -> Callable[[], Array]:
        """Begin to copy a host array to device `index`, and do not wait.

        Where a library has no such thing the copy is made at once, and `stream` is not looked at.

        Args:
            array: Host array, which may be changed afterwards.
            index: Number of the device.
            stream: What the library calls a queue of work, for the copy; None for one of the backend's own.

        Returns:
            A function that gives the array, ready for what is asked of the device after that.
        """
        uploaded = self.asarray(np.array(array), index)  # `asarray` may share the memory
        return lambda: uploaded

    # --- random numbers --------------------

    @abstractmethod
    def make_generator(self, seed: int) -> Any:
        """A random generator with NumPy's ``Generator`` methods.

        Asked for are ``random(size, dtype)``, ``uniform``, ``normal``, ``standard_normal``, ``integers`` and
        ``permutation``; the arrays they return are this backend's.
        """

    @abstractmethod
    def generator_state(self, generator: Any) -> dict[str, Any]:
        """The whole state of a generator as data that JSON can hold."""

    @abstractmethod
    def set_generator_state(self, generator: Any, state: Mapping[str, Any]) -> None:
        """Put a generator into a state that `generator_state` returned."""

    # --- primitives that namespaces do not agree on --------------------

    @abstractmethod
    def scatter_add(self, target: Array, index: Any, values: Array) -> None:
        """``target[index] += values`` in place, where each repeated index counts."""

    @abstractmethod
    def sliding_windows(self, x: Array, window: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Array:
        """Windows over the last axes of `x`, as a view where the library has views.

        Args:
            x: Array of shape ``(..., *spatial)`` with as many last axes taken as `window` has entries.
            window: Window size per axis.
            stride: Step between windows per axis.
            dilation: Distance between a window's elements per axis.

        Returns:
            Array of shape ``(..., *outputs, *window)`` with ``outputs = (spatial - dilation * (window - 1) - 1) //
            stride + 1``.
        """

    def assign(self, target: Array, source: Array) -> None:
        """Copy `source` into `target` in place."""
        target[...] = source

    def special(self, name: str) -> Callable[..., Array]:
        """The special function that SciPy has under this name in `scipy.special`.

        ``backend.special("erf")(x)``. It acts element by element on arrays of this backend and scalars, which
        broadcast, and returns a new array, in the dtype of the floating arrays among its arguments. Computed on the
        host unless a backend does better.

        Raises:
            ValueError: There is no such function.
            RengaError: It takes SciPy, which is not installed.
        """
        return special_by_host(self, name)
