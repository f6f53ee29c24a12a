"""Differentiable communication, for model parallelism.

- `point_to_point`: `send` and `recv`. `collective`: `bcast`, `gather`, `scatter`, `allgather`, `alltoall`, `allreduce`.
  Both use `communication`, whose backward is the transposed communication.
- `delegates`: `pseudo_connect`, which connects graphs whose parts are linked only by messages.

The differentiated value is the sum over all ranks: each rank calls ``backward`` on its own part, and gradients are sent
against the direction of the messages. Gradients of `send` are received, those of `gather` are scattered, those of
`bcast` are added. Backward itself uses such functions, so it can be differentiated again.

Why there is no deadlock: ``backward`` visits the functions of a rank in exactly the reverse of the order of
application. If the messages completed in forward, they complete in backward, *provided that each rank's backward
reaches all of its communication*. So each function takes part in backward even if nothing on its rank requires a
gradient, and the variable where backward starts must depend on all of them. Data that a rank sends are not used on that
rank. So `send` returns an empty *delegate variable*: start backward from it, pass it to the next `recv`, or tie it to
the loss by `pseudo_connect`.
"""

from renga_distributed.functions.collective import allgather, allreduce, alltoall, bcast, gather, scatter
from renga_distributed.functions.delegates import pseudo_connect
from renga_distributed.functions.point_to_point import recv, send

__all__ = [
    "allgather",
    "allreduce",
    "alltoall",
    "bcast",
    "gather",
    "pseudo_connect",
    "recv",
    "scatter",
    "send",
]
