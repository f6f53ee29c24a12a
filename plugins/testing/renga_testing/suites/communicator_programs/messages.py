"""Messages from one rank to another."""

from __future__ import annotations

import numpy as np

from renga_core.backend import get_device
from renga_core.communicator import CommunicatorBase
from renga_testing.suites.communicator_programs.arrays import CASES, array, check, host

_FAR_TAGS = (5, 5 + 2**8, 5 + 2**12, 2**15 - 1)
"""Tags up to the largest that every MPI accepts; some have equal last bits."""


def send_and_recv(comm: CommunicatorBase, device: str) -> None:
    """Arrays are sent round a ring; a rank may send to itself."""
    there, here = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    for tag, (dtype, layout) in enumerate(CASES):
        x = array(comm.rank, dtype, layout, device)
        comm.send(x, there, tag)
        check(comm.recv(here, tag), x, host(here, dtype, layout), f"recv, {layout},")
        comm.send(x, comm.rank, tag)
        check(comm.recv(comm.rank, tag), x, host(comm.rank, dtype, layout), f"recv from itself, {layout},")


def tuples(comm: CommunicatorBase, device: str) -> None:
    """A tuple of arrays arrives as a tuple, for any number and kind of arrays."""
    there, here = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    own = array(0, "float32", "contiguous", device)
    contents = {
        "two arrays": [("float32", "contiguous"), ("int32", "transposed")],
        "one array": [("float64", "non-contiguous")],
        "an empty array and one without axes": [("float32", "empty"), ("float32", "zero-dimensional")],
        "nothing": [],
    }
    for tag, (what, cases) in enumerate(contents.items()):
        comm.send(tuple(array(comm.rank, *case, device) for case in cases), there, tag)
        found = comm.recv(here, tag)
        name = type(found).__name__
        assert isinstance(found, tuple), f"recv of a tuple with {what} returned a {name}"
        assert len(found) == len(cases), f"recv of a tuple with {what} returned a tuple of {len(found)}"
        for one, case in zip(found, cases, strict=True):
            check(one, own, host(here, *case), f"recv of a tuple with {what}:")


def tags(comm: CommunicatorBase, device: str) -> None:
    """Messages with different tags are matched by tag in any order; messages with the same tag arrive in order."""
    there, here = (comm.rank + 1) % comm.size, (comm.rank - 1) % comm.size
    send = get_device(device).send
    for tag, value in ((1, 10), (2, 20), (1, 11), (2, 21)):
        comm.send(send(np.array([value + comm.rank], np.float32)), there, tag)
        comm.send_obj(value + comm.rank, there, 10 + tag)
    for tag in _FAR_TAGS:
        comm.send(send(np.array([tag], np.float32)), there, tag)
        comm.send_obj(tag, there, tag - 1)
    own = send(np.zeros(1, np.float32))
    for tag in _FAR_TAGS[::-1]:
        found = comm.recv_obj(here, tag - 1)
        assert found == tag, f"recv_obj with tag {tag - 1} returned the message with tag {found - 1}"
        check(comm.recv(here, tag), own, np.array([tag], np.float32), f"recv with tag {tag}")
    for tag, value in ((2, 20), (1, 10), (1, 11), (2, 21)):
        found = comm.recv_obj(here, 10 + tag)
        assert found == value + here, f"recv_obj with tag {10 + tag} returned {found!r} instead of {value + here!r}"
        check(comm.recv(here, tag), own, np.array([value + here], np.float32), f"recv with tag {tag}")
