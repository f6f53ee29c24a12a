"""Computes simultaneous requests as one batch."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

__all__ = ["Batcher"]

_Wanted = tuple[Any, "asyncio.Future[Any]"]


class Batcher:
    """Collects inputs for a moment, computes them as one batch in a thread, and returns each result to its caller.

    Args:
        compute: Function from a list of inputs to a list of results. One thread calls it, for one batch at a time.
        size: Largest number of inputs in a batch.
        gather: Time in seconds that the first input of a batch waits for others.
    """

    def __init__(self, compute: Callable[[Sequence[Any]], Sequence[Any]], size: int, gather: float) -> None:
        self._compute, self._size, self._gather = compute, size, gather
        self._queue: asyncio.Queue[_Wanted] = asyncio.Queue()
        self._thread = ThreadPoolExecutor(1, "renga-serve")
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Batcher:
        self._task = asyncio.create_task(self._work())
        return self

    async def __aexit__(self, *_: object) -> None:
        if self._task is not None:
            self._task.cancel()
            with suppress(asyncio.CancelledError):
                await self._task
        self._thread.shutdown()

    async def compute(self, inputs: Sequence[Any]) -> list[Any]:
        """Return the results of inputs, which may share batches with inputs of other callers.

        Raises:
            Exception: `compute` raised it for one of these inputs alone.
        """
        futures = [asyncio.get_running_loop().create_future() for _ in inputs]
        for wanted in zip(inputs, futures, strict=True):
            self._queue.put_nowait(wanted)
        try:
            return list(await asyncio.gather(*futures))
        finally:
            for future in futures:  # leave cancelled requests out of the next batches
                future.cancel()

    async def alone(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function in the thread, after the batches that already wait."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, function, *arguments)

    async def _work(self) -> None:
        while True:
            batch = [await self._queue.get()]
            with suppress(TimeoutError):
                async with asyncio.timeout(self._gather):
                    while len(batch) < self._size:
                        batch.append(await self._queue.get())
            batch = [wanted for wanted in batch if not wanted[1].done()]
            if batch:
                await self._serve(batch)

    async def _serve(self, batch: Sequence[_Wanted]) -> None:
        """Compute a batch. If it fails, compute each input alone, so that a bad input fails only its own request."""
        try:
            results = await self.alone(self._compute, [each for each, _ in batch])
        except Exception as error:
            if len(batch) > 1:
                for wanted in batch:
                    await self._serve([wanted])
            elif not batch[0][1].done():
                batch[0][1].set_exception(error)
            return
        for (_, future), result in zip(batch, results, strict=True):
            if not future.done():
                future.set_result(result)
