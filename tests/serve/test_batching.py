"""Inputs that come together are computed together, and one that is wrong spoils no other."""

import asyncio
import threading

import pytest

from renga_serve.batching import Batcher


def run(compute, size, work):
    """Run `work(batcher)` and return what it returns."""

    async def main():
        async with Batcher(compute, size, 0.05) as batcher:
            return await work(batcher)

    return asyncio.run(main())


def doubled(batches):
    def compute(inputs):
        batches.append(len(inputs))
        if any(each < 0 for each in inputs):
            raise ValueError("negative")
        return [2 * each for each in inputs]

    return compute


def test_askers_share_batches_of_limited_size_and_get_their_own_results():
    batches = []
    found = run(doubled(batches), 8, lambda b: asyncio.gather(*(b.compute([i, 100 + i]) for i in range(10))))
    assert found == [[2 * i, 200 + 2 * i] for i in range(10)]
    assert sum(batches) == 20
    assert max(batches) == 8


def test_one_that_is_wrong_spoils_no_other():
    async def work(batcher):
        return await asyncio.gather(*(batcher.compute([i]) for i in (1, -1, 2)), return_exceptions=True)

    first, second, third = run(doubled([]), 8, work)
    assert (first, third) == ([2], [4])
    assert isinstance(second, ValueError)


def test_who_asks_no_longer_is_left_out():
    batches, begun, go_on = [], threading.Event(), threading.Event()

    def compute(inputs):
        begun.set()
        assert go_on.wait(60)
        return doubled(batches)(inputs)

    async def work(batcher):
        first = asyncio.create_task(batcher.compute([1]))
        await asyncio.to_thread(begun.wait)
        gone = asyncio.create_task(batcher.compute([2, 3]))
        last = asyncio.create_task(batcher.compute([4]))
        await asyncio.sleep(0)
        gone.cancel()
        with pytest.raises(asyncio.CancelledError):
            await gone
        go_on.set()
        return await asyncio.gather(first, last)

    assert run(compute, 8, work) == [[2], [8]]
    assert sum(batches) == 2


def test_what_is_computed_alone_does_not_run_beside_a_batch():
    running = []

    def compute(inputs):
        running.append("batch")
        assert running[-1] == "batch"
        return inputs

    async def work(batcher):
        one, two = await asyncio.gather(batcher.compute([1]), batcher.alone(threading.get_ident))
        return one, two, await batcher.alone(threading.get_ident)

    one, two, three = run(compute, 8, work)
    assert one == [1]
    assert two == three != threading.get_ident()
