"""The simulated devices: queues of kernels, what they may touch and when, and what they have counted."""

from __future__ import annotations

import contextlib
import math
from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from stand_in.memory import Block, Pool
from stand_in.ordering import HOST, Clocks


class DeviceError(RuntimeError):
    """Stands for CUDARuntimeError."""


UNSUPPORTED = "cudaErrorStreamCaptureUnsupported: operation not permitted when stream is capturing"


class Devices:
    """All devices of the machine.

    Attributes:
        launches: How many kernels were launched, by name.
        waits: How often the host waited for a device, by what made it wait.
        uploads: How many host arrays were copied to a device.
        fakes: The module `fake_cupy`, whose state says which device is current.
        array: The class of arrays.
    """

    fakes: Any
    array: Any

    def __init__(self) -> None:
        self.reset()

    def reset(self) -> None:
        """Forget everything; arrays made before stay usable."""
        self.clocks, self.pool = Clocks(), Pool()
        self.pools = [self.pool]
        self.launches: Counter[str] = Counter()
        self.waits: Counter[str] = Counter()
        self.uploads = 0
        self._described: tuple[str, list[Any], list[Any]] | None = None
        self._downloads: list[tuple[str, int, Callable[[], None]]] = []
        self._pinned: list[tuple[str, int, np.ndarray, bytes]] = []
        self.pinned: list[np.ndarray] = []

    # --- the current stream --------------------

    @property
    def stream(self) -> Any:
        return self.fakes.current()

    def capturing(self) -> bool:
        return self.stream.captured is not None

    # --- memory --------------------

    def empty(self, shape: Any, dtype: Any, order: str = "C") -> Any:
        """An array without values: NaN, or -1."""
        shape, dtype = (
            tuple(np.atleast_1d(shape)) if np.ndim(shape) else (shape,) if shape != () else (),
            np.dtype(dtype),
        )
        nbytes = math.prod(int(n) for n in shape) * dtype.itemsize
        stream = self.stream
        pool = self.pools[-1]
        held = pool.take(nbytes, (self.fakes.state.device, stream.key), stream.may_grow)
        made = held.view(dtype) if nbytes else np.empty(0, dtype)
        made = made.reshape(tuple(int(n) for n in shape), order=order).view(self.array)  # type: ignore[call-overload]
        made._device = self.fakes.state.device
        made._block = pool.block_at(made.ctypes.data) if nbytes else None
        return made

    def block_at(self, address: int) -> Block | None:
        return next((found for pool in self.pools if (found := pool.block_at(address)) is not None), None)

    # --- kernels --------------------

    def check_inputs(self, name: str, inputs: list[Any]) -> None:
        """Arrays are those of this device: neither the host's nor another's."""
        for x in inputs:
            if not isinstance(x, self.array):
                raise TypeError(f"Unsupported type {type(x)}: {name} is given an array of the host")
            if x._device != self.fakes.state.device and x.size:
                raise ValueError(
                    f"Array device must be same as the current device: array device = {x._device} while current = "
                    f"{self.fakes.state.device} ({name})"
                )

    def check_cublas(self, name: str) -> None:
        if self.capturing():
            raise NotImplementedError(f"calling cuBLAS API during stream capture is currently unsupported ({name})")

    def check_uploads(self, name: str, args: Any) -> None:
        """CuPy copies a table of addresses to the GPU where many small arrays are joined."""
        if name in ("concatenate", "stack", "hstack", "vstack") and args and len(args[0]) > 8:
            raise DeviceError(f"{UNSUPPORTED} ({name} of {len(args[0])} arrays copies their addresses to the device)")

    @contextlib.contextmanager
    def described(self, name: str, inputs: list[Any], outputs: list[Any]) -> Iterator[None]:
        """In this block the next kernel that is launched has this name, and reads and writes these."""
        self._described = name, inputs, outputs
        try:
            yield
        finally:
            self._described = None

    def launch_described(self, run: Callable[[], object]) -> None:
        """Launch what `described` says; a product of cuBLAS, if it says nothing."""
        name, inputs, outputs = self._described or ("cuBLAS", [], [])
        self._described = None
        self.launch(name, run, inputs, outputs)

    def launch(self, name: str, run: Callable[[], object], inputs: list[Any], outputs: list[Any]) -> None:
        """Queue a kernel on the current stream, or put it into the graph that is being captured.

        Args:
            name: Of the kernel.
            run: Computes.
            inputs, outputs: Arrays or blocks that it reads and writes.

        Raises:
            Race: Nothing orders it after an earlier access to the same memory.
        """
        stream = self.stream
        self.check_inputs(name, [x for x in (*inputs, *outputs) if isinstance(x, np.ndarray)])
        self.launches[name] += 1
        if stream.captured is not None:
            stream.captured.append((name, run, inputs, outputs))
            return
        self.order(name, stream.key, inputs, outputs)
        run()

    def order(self, name: str, key: str, inputs: list[Any], outputs: list[Any]) -> None:
        """Note what a kernel reads and writes."""
        self.clocks.tick(key)
        for x in inputs:
            if (block := getattr(x, "_block", x)) is not None and isinstance(block, Block):
                self.clocks.read(key, block.accesses, f"an argument of {name}")
        for x in outputs:
            if (block := getattr(x, "_block", x)) is not None and isinstance(block, Block):
                self.clocks.write(key, block.accesses, f"a result of {name}")

    # --- between host and device --------------------

    def wait(self, what: str) -> None:
        """The host waits for the current stream."""
        self.host_waits(what, self.stream, self.clocks.snapshot(self.stream.key))

    def host_waits(self, what: str, stream: Any, event: dict[str, int]) -> None:
        if stream.captured is not None:
            raise DeviceError(f"{UNSUPPORTED} ({what} waits for the device)")
        self.waits[what] += 1
        self.clocks.wait(HOST, event)
        arrived = self.clocks.of(HOST)
        for pending in list(self._downloads):
            if arrived.get(pending[0], 0) >= pending[1]:
                self._downloads.remove(pending)
                pending[2]()
        for entry in list(self._pinned):
            key, time, host, before = entry
            if arrived.get(key, 0) >= time:
                self._pinned.remove(entry)
                if host.tobytes() != before:
                    raise AssertionError("a pinned host array was changed before its upload was complete")

    def download(self, array: Any, what: str) -> None:
        """The host reads an array, and waits for it."""
        if not isinstance(array._block, Block):
            return
        self.wait(what)
        self.clocks.read(HOST, array._block.accesses, f"the argument of {what}")

    def download_later(self, array: Any, out: np.ndarray, stream: Any) -> None:
        """A copy to pinned memory, which holds garbage until the host has waited for it."""
        stream = stream or self.stream
        value = np.array(array.view(np.ndarray))
        self.order("get", stream.key, [array], [])
        out.view(np.uint8 if out.ndim else out.dtype)[...] = 0xFF if out.ndim else 0

        def arrive() -> None:
            out[...] = value

        self._downloads.append((stream.key, self.clocks.of(stream.key)[stream.key], arrive))

    def upload(self, host: Any, target: Any, stream: Any = None) -> None:
        """A host array is copied to the device.

        Raises:
            DeviceError: The stream captures: its graph would copy what lies there by then.
        """
        stream = stream or self.stream
        if stream.captured is not None:
            raise DeviceError(f"{UNSUPPORTED} (a host array is copied to the device)")
        value = np.asarray(host)
        if value.dtype != target.dtype:
            raise TypeError(f"{value.dtype} array cannot be set to {target.dtype} array")
        self.uploads += 1
        self.order("upload", stream.key, [], [target])
        target.view(np.ndarray)[...] = value
        if any(np.may_share_memory(value, pinned) for pinned in self.pinned):
            self._pinned.append((stream.key, self.clocks.of(stream.key)[stream.key], value, value.tobytes()))

    def check_aligned(self, pointers: dict[int, int], by_value: set[int], to: int = 16) -> None:
        """Raises DeviceError where an address is not divisible by `to`, as cuDNN's engines want it."""
        for number, pointer in pointers.items():
            if number not in by_value and pointer % to:
                raise DeviceError(
                    f"cudaErrorMisalignedAddress: tensor {number} is at {pointer:#x}, not a multiple of {to}"
                )


device = Devices()
