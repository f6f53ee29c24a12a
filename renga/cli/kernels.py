"""`renga kernels`: which implementations each operation has on each backend, and when each is used."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from renga_core.command_line import Parser
from renga_core.errors import RengaError, did_you_mean
from renga_core.kernel.candidates import offered_kernels
from renga_core.kernel.operation import known_operations
from renga_core.kinds import ARRAY_BACKEND
from renga_core.plugin import Kernel, Offer, State, Status, registry
from renga_core.settings import lookup

from .output import print_json, print_table

__all__ = ["run"]


class Step(NamedTuple):
    """One implementation of an operation on a backend, and when it is used."""

    operation: str
    backend: str
    implementation: str
    when: str


def run(argv: Sequence[str]) -> int:
    """Run ``renga kernels [OPERATION] [--json]``."""
    parser = Parser(
        "renga kernels", "List the kernels of each operation on each backend, in the order in which they are tried."
    )
    parser.add_argument("operation", nargs="?", metavar="OPERATION", help="list only this operation")
    parser.add_argument("--json", action="store_true", help="print JSON")
    arguments = parser.parse_all(argv)
    operations = known_operations()
    if arguments.operation and arguments.operation not in operations:
        raise UnknownOperation(
            f"no operation named '{arguments.operation}'.{did_you_mean(arguments.operation, operations)} "
            f"Known: {', '.join(sorted(operations))}."
        )
    wanted = [arguments.operation] if arguments.operation else sorted(operations)
    found = [
        step
        for operation in wanted
        for backend in registry(ARRAY_BACKEND).names()
        for step in _steps(operation, backend)
    ]
    if arguments.json:
        print_json([step._asdict() for step in found])
    else:
        print_table(found, head=("OPERATION", "BACKEND", "IMPLEMENTATION", "WHEN"))
    return 0


class UnknownOperation(RengaError):
    """There is no operation with this name."""

    exit_status = 2


def _steps(operation: str, backend: str) -> Iterator[Step]:
    """Yield the implementations in the order in which they are tried, then those that cannot be used."""
    demand = lookup(f"kernels.{operation}")
    if demand.value is not None:
        yield Step(operation, backend, demand.value, f"always: required (from {demand.origin})")
        return
    states = {offer: _status(offer) for offer in offered_kernels(operation, backend)}
    ready = [offer for offer, status in states.items() if status.state is State.READY]
    served = ""  # the kernel that handles all arguments, so that later ones are never used
    for offer in ready:
        kernel = offer.provider
        assert isinstance(kernel, Kernel)
        when = "if it supports the arguments" if kernel.supports else "always"
        yield Step(operation, backend, offer.full_name, served or f"{when}: priority {kernel.priority}")
        served = served or ("" if kernel.supports else f"never: {offer.full_name} handles all arguments")
    otherwise = "otherwise" if ready else "always: no plugin offers a kernel"
    yield Step(operation, backend, "reference", served or otherwise)
    for offer, status in states.items():
        if offer not in ready:
            yield Step(operation, backend, offer.full_name, f"never: {status}")


def _status(offer: Offer) -> Status:
    """The state of a kernel; if nothing else prevents its use, the result of its probe."""
    return offer.status if offer.status.state is not State.READY else offer.probe()
