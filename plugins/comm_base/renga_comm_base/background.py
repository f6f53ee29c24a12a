"""Collectives that run in a separate thread while the caller computes."""

from __future__ import annotations

import queue
import threading
from collections.abc import Mapping, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING, Any, Protocol

from renga_core.backend import get_device_of
from renga_core.communicator import Request

if TYPE_CHECKING:
    from renga_core.backend import Array

__all__ = ["Background", "Done"]


class Averaging(Protocol):
    """The methods of a communicator that the thread needs; see `CommunicatorBase`."""

    def copy_config(self, config: Mapping[str, Any]) -> None:
        """Copy the configuration of another communicator."""

    def mean(self, arrays: Sequence[Array]) -> list[Array]:
        """The means of arrays over all ranks."""

    def finalize(self) -> None:
        """End the group."""


class Background:
    """A thread that calls `CommunicatorBase.mean` for each request, in the order of requests.

    One thread keeps the same order on every rank, so ranks do not deadlock.

    Args:
        communicator: A group that nothing else uses; `close` finalizes it.
    """

    def __init__(self, communicator: Averaging) -> None:
        self._communicator = communicator
        self._begun: queue.SimpleQueue[_Mean | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="renga-imean", daemon=True)
        self._thread.start()

    def begin(self, arrays: Sequence[Array], config: Mapping[str, Any]) -> Request:
        """Start the means of arrays over all ranks, with the configuration of the calling communicator."""
        mean = _Mean(arrays, config)
        self._begun.put(mean)
        return mean

    def end(self) -> None:
        """Let the thread end after all started means; do not wait for it."""
        self._begun.put(None)

    def join(self) -> None:
        """End the thread after all started means, and wait for it."""
        self.end()
        self._thread.join()

    def close(self) -> None:
        """`join`, and finalize the communicator."""
        self.join()
        self._communicator.finalize()

    def _work(self) -> None:
        while (mean := self._begun.get()) is not None:
            mean.run(self._communicator)
            del mean  # only the caller may refer to its arrays


class Done(Request):
    """A request that was completed when it began."""

    def __init__(self, result: list[Array]) -> None:
        self._result = result

    def test(self) -> bool:  # noqa: D102
        return True

    def wait(self) -> list[Array]:  # noqa: D102
        return self._result


class _Mean(Request):
    def __init__(self, arrays: Sequence[Array], config: Mapping[str, Any]) -> None:
        self._arrays: Sequence[Array] | None = arrays
        self._config = config
        self._ended = threading.Event()
        self._result: list[Array] = []
        self._error: BaseException | None = None

    def run(self, communicator: Averaging) -> None:
        """Compute; an error is raised again in `wait`."""
        try:
            assert self._arrays is not None, "run twice"
            communicator.copy_config(self._config)
            # The current device of a library is thread-local.
            with get_device_of(self._arrays[0]).use() if self._arrays else nullcontext():
                self._result = communicator.mean(self._arrays)
        except BaseException as error:
            self._error = error
        finally:
            self._arrays = None
            self._ended.set()

    def test(self) -> bool:
        return self._ended.is_set()

    def wait(self) -> list[Array]:
        self._ended.wait()
        if self._error is not None:
            raise self._error
        return self._result
