"""Programs that the kit of communicators runs on each rank.

A program is a function of a communicator and the name of a device, at the top of a module, so that another process can
import it. It checks results on its own rank: arrays depend on the rank that made them (`arrays`), so each rank knows
what it must receive.

- `collectives`, `objects`, `messages`, `groups`: data between ranks.
- `means`, `models`: gradients.
- `mismatches`: ranks that make different calls; these need several ranks.
"""

from collections.abc import Callable

from renga_core.communicator import CommunicatorBase
from renga_testing.suites.communicator_programs import (
    collectives,
    groups,
    means,
    messages,
    mismatches,
    models,
    objects,
)
from renga_testing.suites.communicator_programs.failing import fail_on_last_rank, lose_last_rank

__all__ = ["PROGRAMS", "Program", "fail_on_last_rank", "lose_last_rank", "names_for"]

Program = Callable[[CommunicatorBase, str], None]

_ALONE: tuple[Program, ...] = (
    collectives.topology,
    collectives.allreduce,
    collectives.bcast,
    collectives.gather,
    collectives.allgather,
    collectives.alltoall,
    collectives.scatter,
    collectives.every_dtype,
    collectives.large,
    collectives.sharing,
    collectives.own_memory,
    collectives.wrong_count,
    collectives.wrong_root,
    messages.send_and_recv,
    messages.tuples,
    messages.tags,
    objects.objects,
    objects.barrier,
    objects.agreement,
    groups.split,
    groups.split_of_split,
    groups.finalizing,
    means.mean,
    means.background,
    means.packing,
    means.wires,
    means.configuration,
    models.models,
    models.bcast_data,
    models.mean_grad,
)
_TOGETHER: tuple[Program, ...] = (
    mismatches.different_shapes,
    mismatches.different_dtypes,
    mismatches.different_roots,
    mismatches.different_collectives,
    mismatches.different_models,
)

PROGRAMS: dict[str, Program] = {program.__name__: program for program in _ALONE + _TOGETHER}
"""By name."""


def names_for(size: int) -> tuple[str, ...]:
    """The programs that apply to this number of ranks."""
    return tuple(program.__name__ for program in (_ALONE if size == 1 else _ALONE + _TOGETHER))
