"""A state goes from rank to rank, bit for bit."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from renga_core.communicator import CommunicatorBase
from renga_distributed.create import create_communicator
from renga_distributed.threads import launch
from renga_distributed.transfer import transfer

LARGE = 2**20 + 3
"""Elements of an array of 32 bits that is sent as it is; smaller ones are packed into one block."""


def _arrays() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    bits = rng.integers(0, 256, 8 * LARGE, np.uint8)  # NaN, infinities and subnormal numbers among them
    found = {
        f"{dtype} {size}": bits[: size * np.dtype(dtype).itemsize].view(dtype)
        for dtype in ("float16", "float32", "float64", "complex64", "int8", "uint16", "int32", "int64", ">f4")
        for size in (1, 7, 1000, LARGE)
    }
    grid = bits[: 4 * 600 * 500].view(np.float32).reshape(600, 500)
    return found | {
        "bool": bits > 127,
        "no axis": np.array(2.5),
        "empty": np.empty((3, 0, 2), np.float32),
        "large and transposed": bits[: 4 * LARGE].view(np.float32).reshape(-1, 1).T,
        "Fortran": np.asfortranarray(grid),
        "every third": grid[::3, 1::2],
        "reversed": grid[::-1],
        "text": np.array(["a", "längere"]),
        "objects": np.array([None, (1, 2)], object),
        "read-only": np.frombuffer(bits.tobytes(), np.float64),
        "scalar": np.float32(1.5),
    }


def _digest(state: Any) -> Any:
    return {key: (value.dtype.str, value.shape, value.tobytes()) for key, value in state.items() if key != "objects"}


def _program(communicator: CommunicatorBase) -> Any:
    """Ranks 0 and 2 get the state of rank 1."""
    calls = []

    def state() -> Any:
        calls.append(communicator.rank)
        return {"arrays": _arrays(), "twice": [grid := np.arange(5.0), grid], "other": (1, "two", None)}

    found = transfer(communicator, state, 1, [0, 2])
    if found is None:
        return calls, None
    same = _digest(found["arrays"]) == _digest(_arrays())
    objects = found["arrays"]["objects"].tolist()
    aligned = all(array.flags.aligned for array in found["arrays"].values() if isinstance(array, np.ndarray))
    first, second = found["twice"]
    return calls, (same, objects, aligned, first is second, found["other"])


EXPECTED = (True, [None, (1, 2)], True, True, (1, "two", None))


def test_each_dtype_and_layout_on_threads() -> None:
    assert launch(_program, 4) == [([], EXPECTED), ([1], None), ([], EXPECTED), ([], None)]


def _program_on_mpi() -> Any:
    return _program(create_communicator("naive"))


def test_each_dtype_and_layout_on_mpi(rank_pool: Any) -> None:
    assert rank_pool(3).run(_program_on_mpi) == [([], EXPECTED), ([1], None), ([], EXPECTED)]


def _bfloat16(communicator: CommunicatorBase) -> Any:
    import ml_dtypes

    bits = np.arange(2**16, dtype=np.uint16)
    found = transfer(communicator, lambda: bits.view(ml_dtypes.bfloat16), 0, [1])
    return None if found is None else (found.dtype.name, (found.view(np.uint16) == bits).all())


def test_bfloat16() -> None:
    pytest.importorskip("ml_dtypes", reason="NumPy has no bfloat16 of its own")
    assert launch(_bfloat16, 2) == [None, ("bfloat16", True)]


def _changing(communicator: CommunicatorBase) -> Any:
    state = {"small": np.ones(10), "large": np.ones(LARGE)}
    found = transfer(communicator, lambda: state, 0, [1])
    state["small"][:] = state["large"][:] = 2  # what was received is the receiver's own
    communicator.barrier()
    if found is None:
        return None
    found["small"] += 1
    found["large"] += 1
    return [(array == 2).all() for array in found.values()]


def test_what_is_received_is_its_receivers_own() -> None:
    assert launch(_changing, 2) == [None, [True, True]]


def _nobody(communicator: CommunicatorBase) -> Any:
    def state() -> Any:
        raise AssertionError("nobody needs it")

    return transfer(communicator, state, 0, [])


def test_without_receivers_no_state_is_made() -> None:
    assert launch(_nobody, 2) == [None, None]
