"""The protocol of array backends."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Any

import numpy as np

from renga_core.backend.special import special_by_host

__all__ = ["Array", "Backend"]

Array = Any
"""An array of some backend. The library is known only at run time."""


class Backend(ABC):
    """An array library.

    A backend is made once and shared by all threads. Functions with NumPy's name and meaning are called through `xp`;
    the methods below cover the rest.

    Attributes:
        name: The name that users write: ``numpy``, ``cupy``.
        xp: The array namespace: functions such as ``xp.exp`` and ``xp.zeros``.
        array_types: The types of its arrays; subclasses count too.
        scalar_types: Types that Variables and functions convert by `asarray`: scalars that the library returns in place
            of zero-dimensional arrays (NumPy's ``float32``), or objects that its arrays wrap.
        random_stream: Name of the stream of random numbers that a user's seed starts; if empty, the backend's name. A
            backend whose generators draw the same numbers as NumPy's says ``numpy``.
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
        """The name of device `index`: the backend's name alone, or followed by a colon and a number or word.

        The default is the number, or the name alone if there is only one device.
        """
        return self.name if self.device_count() == 1 else f"{self.name}:{index}"

    def device_index(self, array: Array) -> int:
        """Which device `array` lives on."""
        return 0

    def use_device(self, index: int) -> AbstractContextManager[object]:
        """Make device `index` the current one while a ``with`` block runs."""
        return nullcontext()

    def synchronize(self) -> None:
        """Wait until the current device has finished all its work."""
        return

    def memory_info(self, index: int = 0) -> Mapping[str, int]:
        """Bytes of memory by name (``used``, ``total``); empty if unknown."""
        return {}

    # --- transfers --------------------

    @abstractmethod
    def asarray(self, value: object, index: int = 0) -> Array:
        """Return `value` (a host array, a scalar, an array of this backend) as an array on device `index`.

        Copies only if necessary.
        """

    @abstractmethod
    def to_host(self, array: Array) -> np.ndarray[Any, Any]:
        """Return `array` as a plain NumPy array. It may share memory if the library's arrays are in host memory."""

    @abstractmethod
    def from_dlpack(self, array: object) -> Array:
        """Return an array that shares memory with `array` (any object with ``__dlpack__``) if possible."""

    def upload(self, array: np.ndarray[Any, Any], index: int = 0, stream: Any = None) -> Callable[[], Array]:
        """Start copying a host array to device `index`, without waiting.

        If the library cannot do this, the copy is made at once, and `stream` is ignored.

        Args:
            array: Host array. The caller may change it after the call.
            index: Number of the device.
            stream: The library's stream (queue of work) for the copy; None for a stream of the backend's own.

        Returns:
            A function that returns the array, ready for later work on the device.
        """
        uploaded = self.asarray(np.array(array), index)  # `asarray` may share the memory
        return lambda: uploaded

    # --- random numbers --------------------

    @abstractmethod
    def make_generator(self, seed: int) -> Any:
        """A random generator with NumPy's ``Generator`` methods.

        Renga calls ``random(size, dtype)``, ``uniform``, ``normal``, ``standard_normal``, ``integers`` and
        ``permutation``; they return arrays of this backend.
        """

    @abstractmethod
    def generator_state(self, generator: Any) -> dict[str, Any]:
        """Return the complete state of a generator as JSON data."""

    @abstractmethod
    def set_generator_state(self, generator: Any, state: Mapping[str, Any]) -> None:
        """Restore a state that `generator_state` returned."""

    # --- primitives on which namespaces differ --------------------

    @abstractmethod
    def scatter_add(self, target: Array, index: Any, values: Array) -> None:
        """``target[index] += values`` in place; repeated indices add up."""

    @abstractmethod
    def sliding_windows(self, x: Array, window: Sequence[int], stride: Sequence[int], dilation: Sequence[int]) -> Array:
        """Return sliding windows over the last axes of `x`, as a view if the library has views.

        Args:
            x: Array of shape ``(..., *spatial)``; the number of spatial axes is the length of `window`.
            window: Window size per axis.
            stride: Step between windows, per axis.
            dilation: Distance between the elements of a window, per axis.

        Returns:
            Array of shape ``(..., *outputs, *window)`` with ``outputs = (spatial - dilation * (window - 1) - 1) //
            stride + 1``.
        """

    def assign(self, target: Array, source: Array) -> None:
        """Copy `source` into `target` in place."""
        target[...] = source

    def special(self, name: str) -> Callable[..., Array]:
        """Return the function of `scipy.special` with this name.

        For example ``backend.special("erf")(x)``. It works element by element on arrays of this backend and scalars,
        with broadcasting, and returns a new array in the dtype of the floating arrays among its arguments. By default
        it is computed on the host.

        Raises:
            ValueError: SciPy has no such function.
            RengaError: SciPy is needed and not installed.
        """
        return special_by_host(self, name)
