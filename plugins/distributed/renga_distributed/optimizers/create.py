"""`create_multi_node_optimizer`: an optimizer for training with several processes."""

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
    """Make an optimizer for several processes that train one model, each with its own batches.

    Gradients are averaged over all ranks before each update and before hooks: weight decay and clipping see the means.
    With a dynamic loss scale, the means are checked for finite values, so all ranks skip an update, or none. Otherwise
    it behaves like the plain optimizer: see `MultiNodeOptimizer`.

    Training on n ranks with batches of b equals training in one process with batches of n·b, except for rounding and
    for functions that combine examples, such as batch normalization without a communicator. The communicator sets the
    dtype and the number of bytes in which gradients are sent (``allreduce_grad_dtype``, ``bucket_bytes``).

    Args:
        actual_optimizer: The plain optimizer, before or after `setup`.
        communicator: The communicator; all its ranks make the same optimizer.
        double_buffering: Average the gradients of a batch while the next one is computed, and use them in the next
            update. The first update then changes nothing: see
            `renga_distributed.optimizers.double_buffering.DoubleBufferedExchange`. Communication is hidden unless it
            takes longer than the computation. Gradients belong to the parameters before the last update.
        zero_fill: Use zeros for the gradient of a parameter on which this rank's loss does not depend. Otherwise such
            parameters are skipped, and must be the same on all ranks.
        overlap: Average gradients while backward computes others. The result is bit-identical if the communicator sums
            in the order of ranks. The first update does not overlap.
        sharded: Each rank updates a share of each parameter, and keeps the optimizer's state for this share only, 1/n
            of its size. The result is bit-identical. For update rules that treat each element separately; hooks of an
            update rule (not of the optimizer) see the share. A snapshot contains the whole state, and can be loaded
            into a plain optimizer or with another number of ranks; all ranks save together.
        weighted: Give each example of all ranks the same weight, for batches of different sizes; otherwise each rank
            has the same weight. The loss must be a mean over examples, and the length of the loss function's first
            argument must be the number of examples. A rank without examples does not call it, and contributes zeros
            (`zero_fill`); so a loss that communicates needs examples on every rank.
        accumulate: Number of calls of `update` that make one update; the others only add gradients, and send nothing.
            The gradient is the mean over all these batches. Save snapshots only after an update. With an updater, use
            its own argument `accumulate` instead, which epochs and triggers take into account.

    Raises:
        TypeError: `sharded` is set, but the optimizer is not a `GradientMethod`.
        ValueError: `double_buffering` and `overlap` are both set; or `accumulate` is less than 1.
    """
    if double_buffering and overlap:
        raise ValueError("double_buffering and overlap exclude each other: choose one")
    make = DoubleBufferedExchange if double_buffering else OverlappedExchange if overlap else SynchronousExchange
    return MultiNodeOptimizer(
        actual_optimizer,
        communicator,
        make(communicator, zero_fill),
        Batches(communicator, weighted, accumulate),
        Shares(actual_optimizer, communicator) if sharded else None,
    )
