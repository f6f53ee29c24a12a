"""Communication through which gradients flow: model parallelism.

- `point_to_point`: `send` and `recv`. `collective`: `bcast`, `gather`, `scatter`, `allgather`, `alltoall`, `allreduce`.
  Both are `communication`, of which backward is the transposed communication.
- `delegates`: `pseudo_connect`, and what holds graphs together whose parts are joined by nothing but messages.

What is differentiated is the sum of what all ranks differentiate: each rank calls ``backward`` on its own part, and
gradients go from rank to rank against the direction of the messages: those of `send` are received, those of `gather`
scattered, those of `bcast` added up. Since backward is made of such functions, it can be differentiated again.

Why it does not wait for ever: ``backward`` visits the functions of a rank in exactly the reverse of the order in which
they were applied. If the ranks came through their messages forwards, they come through them backwards, *provided that
each rank's backward comes by all of its communication*. Each function therefore takes part in backward even if nothing
on its rank requires a gradient; but where it starts must depend on all of them. What a rank sends is not used on that
rank, hence `send` returns a *delegate variable*, which is empty, to hold on to: start backward from it, pass it to the
next `recv`, or tie it to the loss by `pseudo_connect`.
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
