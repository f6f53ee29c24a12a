"""`MultiNodeOptimizer`: lets several processes train one model."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from typing import Any, Self

from renga_comm_base.resilience import ResilientBase
from renga_core.communicator import CommunicatorBase
from renga_core.configuration import using_config
from renga_core.link import Link
from renga_core.optimizer import Optimizer
from renga_core.serializers import AbstractSerializer
from renga_core.tracepoints import side_effect
from renga_distributed.optimizers.accumulated import Accumulated
from renga_distributed.optimizers.batches import Batch, Batches
from renga_distributed.optimizers.communicating_losses import recording_communication
from renga_distributed.optimizers.exchange import SynchronousExchange
from renga_distributed.optimizers.parameters import SameParameters
from renga_distributed.optimizers.private import Private
from renga_distributed.optimizers.sharding import Shares

__all__ = ["MultiNodeOptimizer"]


class MultiNodeOptimizer:
    """The optimizer that `create_multi_node_optimizer` makes.

    Attributes and methods that are not defined here belong to the plain optimizer, and `isinstance` treats it as one.
    Hooks are called with the plain optimizer.

    Args:
        actual_optimizer: The plain optimizer.
        communicator: Between the ranks.
        exchange: Averages gradients.
        batches: Weights of the batches.
        shares: Divides the update; None: each rank does the whole update.
    """

    def __init__(
        self,
        actual_optimizer: Optimizer,
        communicator: CommunicatorBase,
        exchange: SynchronousExchange,
        batches: Batches,
        shares: Shares | None,
    ) -> None:
        # Assignment would set attributes of the plain optimizer.
        self.__dict__.update(
            actual_optimizer=actual_optimizer,
            communicator=communicator,
            _exchange=exchange,
            _batches=batches,
            _shares=shares,
            _accumulated=Accumulated(actual_optimizer, batches, communicator),
            _same=SameParameters(communicator),
            _vote=communicator.commit if isinstance(communicator, ResilientBase) else None,
        )

    def __getattr__(self, name: str) -> Any:
        if name == "actual_optimizer":  # `copy` reads it before it exists
            raise AttributeError(name)
        return getattr(self.actual_optimizer, name)

    def __setattr__(self, name: str, value: Any) -> None:
        setattr(self.actual_optimizer, name, value)

    @property  # type: ignore[misc]  # `isinstance` reads it; nobody sets it
    def __class__(self) -> Any:
        return type(self.actual_optimizer)

    def setup(self, link: Link) -> Self:
        """See the plain optimizer. Ranks may have different parameters: the first update takes those of rank 0."""
        self.actual_optimizer.setup(link)
        return self

    def update(self, lossfun: Callable[..., Any] | None = None, *args: Any, **kwds: Any) -> None:
        """Change the parameters once, by the means of all ranks' gradients; all ranks call it together.

        The first call broadcasts the parameters of rank 0, before the loss is computed. If the loss initializes
        parameters, they are broadcast after it, and it is computed again. If gradients already exist and parameters
        turn out to differ, the gradients are useless, and this call changes nothing else, as in ChainerMN.

        Args:
            lossfun: Function that returns the loss, a Variable with one element; None if gradients are computed
                already, multiplied by `loss_scale` if there is one.
            args, kwds: Arguments of `lossfun`.

        Raises:
            MismatchError: Ranks have different parameters or gradients; raised on every rank.
            RuntimeError: `setup` has not been called; or the loss would have to be computed again, but has exchanged
                messages with ranks outside the group, which would not answer a second time.
            TypeError: ``weighted`` is set, but the first argument has no length.
            ValueError: `lossfun` is missing, but the batches must be known (``weighted``, ``accumulate``).
        """
        optimizer = self.actual_optimizer
        link = optimizer.target
        if link is None:
            optimizer.update()  # raises the error that `setup` is missing
        elif lossfun is not None:
            batch = self._batches.add(args, kwds)
            if batch is None:
                return
            loss = [self._loss(lossfun, args, kwds, batch.examples)]
            del args, kwds
            if batch.missing:
                self._meet("loss")
            self._backward(loss, batch)
            if batch.missing:
                self._meet("backward")
            if not batch.last:
                return
        elif self._batches.counted:
            raise ValueError("weighted, or accumulate > 1: call update(lossfun, *args), so that the batches are known")
        else:
            side_effect(self._update_by_gradients)
            return
        self._update_by_means()

    def _update_by_gradients(self) -> None:
        """Update with gradients that the program has computed, unless they are useless."""
        optimizer = self.actual_optimizer
        if self._same.ensure(optimizer.target):
            self._exchange.restart()
            return
        for param in optimizer.target.params(include_uninit=False):
            # Rescale to the same loss scale on all ranks, even if some have no gradient for a parameter.
            param.rescale_grad(optimizer.loss_scale or 1.0)
        self._update_by_means()

    def _update_by_means(self) -> None:
        usable = self._exchange.average(self.actual_optimizer)
        if self._vote is not None:
            self._vote()
        if usable:
            self.actual_optimizer.update()

    # --- failures of ranks: for `renga_distributed.recovery`
    # -------------------------------------------------------------

    def vote_by(self, vote: Callable[[], object]) -> None:
        """Call `vote` in each update, after gradients have been averaged and before anything is changed."""
        self.__dict__["_vote"] = vote

    @property
    def private(self) -> dict[str, Private]:
        """State that only this rank has between calls of `update`, by name."""
        found: dict[str, Private] = {} if self._shares is None else {"shares": self._shares}
        return found | ({"accumulated": self._accumulated} if self._batches.accumulates else {})

    def keep(self) -> Callable[[], None]:
        """Keep what an update changes before the vote, except the model; return what puts it back."""
        exchange, same = dict(vars(self._exchange)), self._same.known
        accumulated = {key: array.copy() for key, array in self._accumulated.own().items()}

        def restore() -> None:
            vars(self._exchange).update(exchange)
            self._same.known = same
            self._accumulated.take(accumulated)

        return restore

    @contextmanager
    def serializing_own_share(self) -> Iterator[None]:
        """Inside this block, `serialize` is for this rank alone, with only its own share."""
        shares, self.__dict__["_shares"] = self._shares, None
        try:
            yield
        finally:
            self.__dict__["_shares"] = shares

    def forget_exchange(self) -> None:
        """The group has other ranks now: discard everything sent or planned for the earlier ranks."""
        self._exchange.forget()

    @property
    def synchronized(self) -> bool:
        """Whether all ranks have the same parameters."""
        return bool(self._same.known)

    def assume_synchronized(self) -> None:
        """Record that this rank has received the parameters of the others."""
        self._same.known = list(self.actual_optimizer.target.params(include_uninit=False))

    def weigh(self, weighted: bool) -> None:
        """From now on, give each example, or each rank, the same weight."""
        self._batches.weighted = weighted

    def _loss(self, lossfun: Callable[..., Any], args: tuple[Any, ...], kwds: Mapping[str, Any], examples: int) -> Any:
        """The loss, computed with the same parameters on all ranks; None if there are no examples."""
        link = self.actual_optimizer.target
        if self._same.ensure(link):
            self._exchange.restart()
        with recording_communication(link, self.communicator) as recorder:
            loss = lossfun(*args, **kwds) if examples else None
        if self._same.ensure(link):  # the loss function has initialized parameters
            recorder.refuse_to_repeat()
            self._exchange.restart()
            del loss
            with using_config("in_recomputing", True):  # moving averages are updated already
                loss = lossfun(*args, **kwds) if examples else None
        return loss

    def _meet(self, where: str) -> None:
        """If a rank computes no loss, raise an error on ranks whose loss communicates, which would wait for ever.

        Raises:
            MismatchError: A loss communicates; raised on every rank.
        """
        self.communicator.agree(f"the end of the {where} of a batch for which some ranks have no examples", None)

    def _backward(self, loss: list[Any], batch: Batch) -> None:
        """Add the gradients of a loss, to which nothing else refers, to those of earlier batches."""
        optimizer = self.actual_optimizer
        if batch.first:
            optimizer.discard_grads()
        elif batch.last and batch.rescale != 1:
            for param in optimizer.target.params():
                if param.grad is not None:
                    param.grad = param.grad * batch.rescale
        if loss[0] is not None:
            # If ranks must meet after backward, nothing may be under way.
            watch = batch.last and not batch.missing
            with self._exchange.during_backward(optimizer.target) if watch else nullcontext():
                share = loss.pop() if batch.factor == 1 else loss.pop() * batch.factor
                # Always with a scale: a recorded step could not replay the rescaling that would follow here.
                share.backward(loss_scale=optimizer.loss_scale or 1.0)

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the plain optimizer, and with `double_buffering` the gradients for the next update.

        With ``sharded``, all ranks must save at the same time, and also load into an optimizer that has been used; all
        save and load the whole state.
        """
        optimizer = self.actual_optimizer
        shares = self._shares
        if optimizer.target is not None and shares is not None:
            optimizer.serialize(shares.whole(serializer, optimizer.target))
        else:
            optimizer.serialize(serializer)
        self._exchange.serialize(serializer, optimizer.target)
