"""`renga kernels`: which implementation serves each operation on each backend, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from renga_core.kernel import operations
from renga_core.kernel.chain import offered_kernels
from renga_core.plugin import ARRAY_BACKEND, FUNCTION, Kernel, Offer, State, registry
from renga_core.settings import Setting, lookup

from .output import print_json, print_table
from .parser import Parser

__all__ = ["run"]


class Row(NamedTuple):
    """What is tried for an operation on a backend, first to last, and why in this order."""

    operation: str
    backend: str
    tried: tuple[str, ...]
    why: str


def run(argv: Sequence[str]) -> int:
    """Run ``renga kernels [OPERATION] [--json]``."""
    parser = Parser("renga kernels", "List which implementation serves each operation on each backend, and why.")
    parser.add_argument("operation", nargs="?", metavar="OPERATION", help="only this operation")
    parser.add_argument("--json", action="store_true", help="write JSON, for programs")
    arguments = parser.parse_all(argv)
    found = [row for row in _rows() if arguments.operation in (None, row.operation)]
    if arguments.json:
        print_json([row._asdict() for row in found])
    elif found:
        table = [(operation, backend, ", ".join(tried), why) for operation, backend, tried, why in found]
        print_table(table, head=("OPERATION", "BACKEND", "TRIED IN ORDER", "WHY"))
    else:
        print("no such operation" if arguments.operation else "no operation is installed")
    return 0


def _rows() -> Iterator[Row]:
    # An operation is known once the module of the function that it serves has been imported.
    functions = registry(FUNCTION)
    for name in functions.names():
        functions.load(name)
    for operation in sorted(operations):
        demand = lookup(f"kernels.{operation}")
        for backend in registry(ARRAY_BACKEND).names():
            offers = offered_kernels(operation, backend)
            yield Row(operation, backend, *_order(offers, demand))


def _order(offers: Sequence[Offer], demand: Setting) -> tuple[tuple[str, ...], str]:
    """Return the names in the order in which they are tried, and the reasons."""
    if demand.value is not None:
        return (demand.value,), f"demanded (from {demand.origin})"
    ready = [offer for offer in offers if offer.status.state is State.READY]
    reasons = [f"{offer.full_name} is {offer.status}" for offer in offers if offer not in ready]
    for offer in ready:
        kernel = offer.provider
        assert isinstance(kernel, Kernel)
        condition = ", where it supports the arguments" if kernel.supports else ""
        reasons.append(f"{offer.full_name}: priority {kernel.priority}{condition}")
    names = tuple(offer.full_name for offer in ready)
    return (*names, "reference"), "; ".join(reasons) or "no plugin offers a kernel"
