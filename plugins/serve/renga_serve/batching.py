"""Requests that come together are computed together."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

__all__ = ["Batcher"]

_Wanted = tuple[Any, "asyncio.Future[Any]"]


class Batcher:
    """Collects inputs for a moment, computes them as one batch in a thread, and gives each asker its result.

    Args:
        compute: Given inputs, returns as many results. Called in one thread, one batch after the other.
        size: The most inputs in a batch.
        gather: Seconds that the first input of a batch waits for others.
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
        """Return the results of inputs, which share batches with those of other callers.

        Raises:
            Exception: What `compute` has raised for one of them alone.
        """
        futures = [asyncio.get_running_loop().create_future() for _ in inputs]
        for wanted in zip(inputs, futures, strict=True):
            self._queue.put_nowait(wanted)
        try:
            return list(await asyncio.gather(*futures))
        finally:
            for future in futures:  # whoever asks no longer, is left out of the next batches
                future.cancel()

    async def alone(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call a function in the thread, when the batches before it are done."""
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
        """Compute a batch. If that fails, compute each input by itself: one that is wrong must not spoil the others."""
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
