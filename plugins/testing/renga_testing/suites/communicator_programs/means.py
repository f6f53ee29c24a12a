"""Means over ranks, which gradients use."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core.backend import get_device, to_host
from renga_core.communicator import CommunicatorBase
from renga_testing.suites.communicator_programs.arrays import array, dtypes, host, noise, within
from renga_testing.suites.comparing import compare

ROUNDING = {"float16": 2.0**-11, "bfloat16": 2.0**-8, "float32": 2.0**-24, "float64": 2.0**-53}
"""Relative distance that a number may have from the nearest number of a format."""
SHAPES = ((3,), (), (2, 5), (0,), (1000,), (7,))


def mean(comm: CommunicatorBase, device: str) -> None:
    """Means of arrays of several dtypes and layouts keep the dtypes; an empty list gives an empty result."""
    halves = ["float16"] if "float16" in dtypes(device) else []
    cases = [("float32", "contiguous"), ("float64", "transposed"), ("float32", "zero-dimensional")]
    cases += [("float32", "empty"), ("float64", "non-contiguous"), *((dtype, "contiguous") for dtype in halves)]
    arrays = [array(comm.rank, *case, device) for case in cases]
    found = comm.mean(arrays)
    assert len(found) == len(cases), f"mean of {len(cases)} arrays returned {len(found)}"
    for i, case in enumerate(cases):
        right = np.mean([host(rank, *case).astype(np.float64) for rank in range(comm.size)], axis=0)
        what = f"the mean of arrays of {case[0]}, {case[1]}"
        dtype = str(to_host(found[i]).dtype)
        assert dtype == case[0], f"{what}: dtype {dtype} instead of {case[0]}"
        within(found[i], right, (comm.size + 1) * ROUNDING[dtype] * np.abs(right), what)
        compare(arrays[i], host(comm.rank, *case), f"the argument of mean, {case[1]}, after it", exact=True)
    assert comm.mean([]) == [], "mean of an empty list did not return an empty list"


def background(comm: CommunicatorBase, device: str) -> None:
    """`imean` equals `mean` bit for bit; several may run at once, together with other collectives."""
    send = get_device(device).send
    arrays = [[send(noise(comm.rank, shape, seed)) for shape in SHAPES] for seed in range(4)]
    right = [[to_host(one) for one in comm.mean(some)] for some in arrays]
    requests = [comm.imean(some) for some in arrays]
    total = comm.allreduce_obj(1)
    assert total == comm.size, f"allreduce_obj of ones, beside imean, returned {total!r}"
    for turn in (3, 0, 2, 1):
        found = requests[turn].wait()
        assert requests[turn].test(), "test() is False for a mean after wait()"
        for i, one in enumerate(found):
            compare(one, right[turn][i], f"imean no. {turn} of 4, compared with mean", exact=True)
            compare(arrays[turn][i], noise(comm.rank, SHAPES[i], turn), "the argument of imean, after it", exact=True)
        again = requests[turn].wait()
        assert all(a is b for a, b in zip(again, found, strict=True)), (
            "wait returns a different result when it is called again"
        )


def packing(comm: CommunicatorBase, device: str) -> None:
    """A mean is the same, bit for bit, on every rank, and does not depend on other arrays in the same call."""
    send = get_device(device).send
    arrays = [send(noise(comm.rank, shape)) for shape in SHAPES]
    alone = [to_host(comm.mean([one])[0]) for one in arrays]
    for i, one in enumerate(comm.mean(arrays)):
        compare(one, alone[i], "the mean of an array together with others, compared with its mean alone", exact=True)
    for i, one in enumerate(comm.mean(arrays[::-1])[::-1]):
        compare(one, alone[i], "the mean of an array after others, compared with its mean alone", exact=True)
    everybody = comm.allgather_obj([one.tobytes() for one in alone])
    assert all(one == everybody[0] for one in everybody), "the mean of the same arrays differs between ranks"
    sums = [to_host(comm.allreduce(one)) for one in arrays]
    together = to_host(comm.allreduce(send(np.concatenate([to_host(one).reshape(-1) for one in arrays]))))
    compare(together, np.concatenate([one.reshape(-1) for one in sums]), "the sum of an array with others", exact=True)


def wires(comm: CommunicatorBase, device: str) -> None:
    """In 16 bits, means are as accurate as the format allows, without overflow or underflow.

    The tolerance is one rounding per summand and per sum, relative to the magnitudes of the summands, plus 2**-20 of
    the largest number sent.
    """
    data: dict[str, Callable[[int], Any]] = {
        "numbers of different magnitudes": lambda rank: noise(rank, (50,), dtype="float64"),
        "numbers near 65504": lambda rank: np.full(5, 65504.0 - 100 * rank),
        "the largest number whose triple is representable": lambda rank: np.full(3, 65504.0 / comm.size),
        "numbers beyond 65504": lambda rank: np.linspace(1e6, 2e6, 7) * (rank + 1),
        "numbers below 1e-7": lambda rank: np.linspace(1e-8, 3e-8, 7) * (-1) ** rank * (rank + 1),
        "zeros": lambda rank: np.zeros(4),
        "nothing": lambda rank: np.zeros(0),
        "infinities and NaN": lambda rank: np.array([1.0, np.inf, np.nan if rank == 0 else 2.0, 3.0 + rank]),
    }
    for wire in ("float16", "bfloat16", "float32"):
        comm.set_config("allreduce_grad_dtype", wire)
        for what, make in data.items():
            for dtype in ("float32", "float64"):
                _check_wire(comm, device, wire, make, dtype, f"the mean of {what}, {dtype} in {wire}")
    comm.set_config("allreduce_grad_dtype", None)
    if "float16" in dtypes(device):
        for what in ("numbers near 65504", "infinities and NaN"):
            _check_wire(comm, device, "float16", data[what], "float16", f"the mean of {what}, float16")
    exact = array(comm.rank, "float64", "contiguous", device) * 3e-9
    right = np.mean([host(rank, "float64") * 3e-9 for rank in range(comm.size)], axis=0)
    within(comm.mean([exact])[0], right, 1e-15 * np.abs(right), "a mean, after allreduce_grad_dtype was set to None")


def _check_wire(
    comm: CommunicatorBase, device: str, wire: str, make: Callable[[int], Any], dtype: str, what: str
) -> None:
    every = [make(rank).astype(dtype).astype(np.float64) for rank in range(comm.size)]
    own = get_device(device).send(make(comm.rank).astype(dtype))
    with np.errstate(invalid="ignore"):
        right = np.mean(every, axis=0)
    magnitude = np.mean(np.abs(every), axis=0)
    largest = max((float(x) for one in every for x in np.abs(one) if np.isfinite(x)), default=0.0)
    bound = (comm.size + 1) * max(ROUNDING[wire], ROUNDING[dtype]) * magnitude + largest * 2.0**-20
    (found,) = comm.mean([own])
    got = str(to_host(found).dtype)
    assert got == dtype, f"{what}: dtype {got} instead of {dtype}"
    within(found, right, bound, what)


def configuration(comm: CommunicatorBase, device: str) -> None:
    """`set_config` and `get_config` know the entries of `default_config`, and refuse others with ValueError."""
    before = comm.get_config()
    assert set(before) >= {"allreduce_grad_dtype", "bucket_bytes", "batched_copy"}, f"get_config() is {before!r}"
    for name, values in {"allreduce_grad_dtype": ("float16", "bfloat16", None), "bucket_bytes": (0, 100, None)}.items():
        for value in values:
            comm.set_config(name, value)
            found = comm.get_config(name)
            assert found == value, f"get_config({name!r}) is {found!r}, after it was set to {value!r}"
    comm.set_config("allreduce_grad_dtype", np.float16)
    found = comm.get_config("allreduce_grad_dtype")
    assert found == "float16", f"numpy.float16 was stored as {found!r}"
    group = comm.split(0, comm.rank)
    held = comm.get_config()
    group.set_config("allreduce_grad_dtype", "bfloat16")
    assert comm.get_config() == held, "set_config of a group changes its parent"
    group.finalize()
    comm.get_config()["bucket_bytes"] = "changed"
    assert comm.get_config("bucket_bytes") is None, "get_config() returns an object that the communicator itself uses"
    refused: dict[str, Callable[[], Any]] = {
        "set_config('bucket_size', 1)": lambda: comm.set_config("bucket_size", 1),
        "set_config('allreduce_grad_dtype', 'int8')": lambda: comm.set_config("allreduce_grad_dtype", "int8"),
        "get_config('bucket_size')": lambda: comm.get_config("bucket_size"),
    }
    for text, call in refused.items():
        try:
            call()
        except ValueError:
            continue
        raise AssertionError(f"{text} raises no ValueError")
    for name, value in before.items():
        comm.set_config(name, value)
    assert comm.get_config() == before, f"the configuration is {comm.get_config()!r}, after {before!r} was restored"
