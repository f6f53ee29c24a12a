"""Streams, events, devices and graphs, as those of ``cupy.cuda``."""

from __future__ import annotations

import itertools
from typing import Any

from stand_in.device import DeviceError, device
from stand_in.ordering import HOST

_numbers = itertools.count(1)
RELAXED = 2
"""``cudaStreamCaptureModeRelaxed``, CuPy's default: memory may be allocated meanwhile."""


class Device:
    def __init__(self, number: Any = None) -> None:
        self.id = device.fakes.state.device if number is None else getattr(number, "id", number)
        self.mem_info = device.fakes.state.memory
        self.compute_capability = "90"

    def __enter__(self) -> Device:
        self._before, device.fakes.state.device = device.fakes.state.device, self.id
        return self

    def __exit__(self, *error: object) -> None:
        device.fakes.state.device = self._before

    def use(self) -> None:
        device.fakes.state.device = self.id

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Device) and self.id == other.id

    def __hash__(self) -> int:
        return self.id

    def __int__(self) -> int:
        return self.id

    def synchronize(self) -> None:
        for stream in [s for s in Stream.all if s.device_id == self.id]:
            device.host_waits("Device.synchronize", stream, device.clocks.snapshot(stream.key))


class Event:
    def __init__(self, block: bool = False, disable_timing: bool = False, interprocess: bool = False) -> None:
        self.snapshot: dict[str, int] = {}
        self.of: Any = None
        self.captured = False

    def record(self, stream: Any = None) -> None:
        self.of = stream or current()
        self.captured = self.of.captured is not None
        self.snapshot = device.clocks.snapshot(self.of.key)

    def synchronize(self) -> None:
        if self.of is not None:
            device.host_waits("Event.synchronize", self.of, self.snapshot)

    @property
    def done(self) -> bool:
        """Whether the host knows already that it is; asking does not wait."""
        arrived = device.clocks.of(HOST)
        return all(arrived.get(key, 0) >= time for key, time in self.snapshot.items())


class Graph:
    def __init__(self, kernels: list[Any]) -> None:
        self.kernels = kernels

    def launch(self, stream: Any = None) -> None:
        stream = stream or current()
        device.launches["graph"] += 1
        for name, run, inputs, outputs in self.kernels:
            device.order(name, stream.key, inputs, outputs)
            run()

    def upload(self, stream: Any = None) -> None:
        """Nothing is to be done."""


class Stream:
    all: list[Stream] = []

    def __init__(
        self, null: bool = False, non_blocking: bool = False, ptds: bool = False, priority: Any = None
    ) -> None:
        self.device_id = device.fakes.state.device
        self.number = 0 if null else next(_numbers)
        self.name = "default" if null else f"stream {self.number}"
        self.key = f"{self.name} of device {self.device_id}"
        self.ptr = self.number
        self.captured: list[Any] | None = None
        self.mode = RELAXED
        Stream.all.append(self)

    @property
    def may_grow(self) -> bool:
        return self.captured is None or self.mode == RELAXED

    def __enter__(self) -> Stream:
        stack(self.device_id).append(self)
        return self

    def __exit__(self, *error: object) -> None:
        stack(self.device_id).pop()

    def use(self) -> Stream:
        stack(self.device_id)[-1] = self
        return self

    def record(self, event: Event | None = None) -> Event:
        event = event or Event()
        event.record(self)
        return event

    def wait_event(self, event: Event) -> None:
        if self.captured is not None and not event.captured:
            raise DeviceError(
                "cudaErrorStreamCaptureIsolation: operation would make the capturing stream depend on work that is not "
                "captured"
            )
        device.clocks.wait(self.key, event.snapshot)

    def synchronize(self) -> None:
        device.host_waits("Stream.synchronize", self, device.clocks.snapshot(self.key))

    @property
    def done(self) -> bool:
        return self.record().done

    def is_capturing(self) -> bool:
        return self.captured is not None

    def begin_capture(self, mode: Any = None) -> None:
        if self.number == 0:
            raise RuntimeError("cannot capture on the default (legacy) stream")
        self.captured, self.mode = [], RELAXED if mode is None else mode

    def end_capture(self) -> Graph:
        kernels, self.captured = self.captured or [], None
        return Graph(kernels)


_stacks: dict[int, list[Stream]] = {}


def stack(number: int) -> list[Stream]:
    """Current streams of a device, the innermost last; the default stream is the first."""
    if number not in _stacks:
        before, device.fakes.state.device = device.fakes.state.device, number
        _stacks[number] = [Stream(null=True)]
        device.fakes.state.device = before
    return _stacks[number]


def current(device_id: int = -1) -> Stream:
    return stack(device.fakes.state.device if device_id < 0 else device_id)[-1]


def reset() -> None:
    """Forget all streams."""
    _stacks.clear()
    Stream.all.clear()
