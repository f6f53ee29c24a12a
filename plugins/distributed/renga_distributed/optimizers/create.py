"""Making an optimizer for training by several processes."""

from __future__ import annotations

from renga_core.communicator import CommunicatorBase
from renga_core.optimizer import Optimizer
from renga_distributed.optimizers.batches import Batches
from renga_distributed.optimizers.double_buffering import DoubleBufferedExchange
from renga_distributed.optimizers.exchange import SynchronousExchange
from renga_distributed.optimizers.multi_node import MultiNodeOptimizer
from renga_distributed.optimizers.overlap import OverlappedExchange
from renga_distributed.optimizers.sharding import Shares

__all__ = ["create_multi_node_optimizer"]


def create_multi_node_optimizer(
    actual_optimizer: Optimizer,
    communicator: CommunicatorBase,
    double_buffering: bool = False,
    zero_fill: bool = True,
    *,
    overlap: bool = False,
    sharded: bool = False,
    weighted: bool = False,
    accumulate: int = 1,
) -> MultiNodeOptimizer:
    """Make an optimizer with which several processes train one model, each on batches of its own.

    Gradients are averaged over all ranks before each update, and before its hooks: weight decay and clipping see the
    means. Whether gradients are finite, if the loss scale depends on that, is asked of the means, so all ranks skip an
    update, or none. In everything else it is the plain optimizer: see `MultiNodeOptimizer`.

    Training by n ranks with batches of b is training by one process with batches of n·b, rounding apart, and what
    depends on the examples of a batch together, such as batch normalization without a communicator. The dtype in which
    gradients travel, and how many bytes travel together, are the communicator's (``allreduce_grad_dtype``,
    ``bucket_bytes``).

    Args:
        actual_optimizer: The plain optimizer, set up already or not.
        communicator: Between the ranks; all of them make the same optimizer.
        double_buffering: Average the gradients of a batch while the next one is computed, and use them in the next
            update. The first update then changes nothing: see
            `renga_distributed.optimizers.double_buffering.DoubleBufferedExchange`. Communication costs no time unless
            it takes longer than computing; gradients are those of the parameters before the last update.
        zero_fill: Take zeros for the gradient of a parameter on which the loss of this rank does not depend. Otherwise
            such parameters are passed over, and must be the same on all ranks.
        overlap: Average gradients while backward still computes others. The result is the same to the bit if the
            communicator sums in the order of ranks. The first update is without.
        sharded: Each rank updates a share of each parameter and keeps the optimizer's state for that only, 1/n of what
            it would be. The result is the same to the bit. For rules that treat each element by itself; hooks of an
            update rule (not those of the optimizer) see the share. A snapshot has the whole state, and loads into a
            plain optimizer or with another number of ranks; all ranks take it together.
        weighted: Count each example of all ranks alike, for ranks with batches of different sizes; otherwise each
            rank counts alike. The loss must be a mean over examples, and the first argument of the loss function as
            long as there are examples. A rank without any does not call it, and takes part with zeros (`zero_fill`); so
            a loss that communicates needs examples on every rank.
        accumulate: Number of calls of `update` that make one update; the others only add to gradients, and nothing is
            sent. The gradient is that of the mean over all of these batches. A snapshot is to be taken after an update.
            With an updater, use its own argument `accumulate` instead, of which epochs and triggers know.

    Raises:
        TypeError: `sharded`, and the optimizer is not a `GradientMethod`.
        ValueError: Both `double_buffering` and `overlap`; or `accumulate` is less than 1.
    """
    if double_buffering and overlap:
        raise ValueError("double_buffering and overlap: either hides communication; choose one")
    make = DoubleBufferedExchange if double_buffering else OverlappedExchange if overlap else SynchronousExchange
    return MultiNodeOptimizer(
        actual_optimizer,
        communicator,
        make(communicator, zero_fill),
        Batches(communicator, weighted, accumulate),
        Shares(actual_optimizer, communicator) if sharded else None,
    )
