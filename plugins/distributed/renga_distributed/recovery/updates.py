"""Updates that are made by all ranks or by none."""

from __future__ import annotations

import zlib
from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from renga_comm_base.resilience import ResilientBase
from renga_core import random
from renga_core.backend import to_host
from renga_core.errors import RengaError
from renga_core.graph import Variable
from renga_distributed.recovery.capture import Links, Undo, optimizer_state, position
from renga_distributed.recovery.membership import Membership

__all__ = ["Updates"]


class Updates(Membership):
    """A rank that makes updates with optimizers of `create_multi_node_optimizer`, and can repeat each.

    An update changes parameters after its optimizer's vote, and before that only what is kept here. One in which there
    are several votes, as there are with several optimizers, has its parameters copied first; so does the first one.

    Args:
        communicator: The group.
        optimizers: By name.
        iterators: Those of which updates take batches.
        seed: Of random numbers; that of `renga.random` if None.

    Raises:
        RengaError: An optimizer or iterator is not one that can be repeated.
    """

    def __init__(
        self, communicator: ResilientBase, optimizers: Mapping[str, Any], iterators: Sequence[Any], seed: int | None
    ) -> None:
        super().__init__(communicator)
        self._optimizers, self._iterators = optimizers, iterators
        self._seed = (random.get_state()["entropy"] or 0) if seed is None else seed
        self._links: Links | None = None
        self._votes, self._votes_of_last = 0, -1
        self._whole = True
        self._change_wanted = False
        for name, optimizer in optimizers.items():
            if not hasattr(optimizer, "vote_by"):
                raise RengaError(
                    f"optimizer {name!r} is not one of create_multi_node_optimizer, so ranks cannot vote on its updates"
                )
            optimizer.vote_by(self._vote)
        for iterator in iterators:
            if not getattr(iterator, "shares_batches", False):
                raise RengaError(
                    f"{type(iterator).__name__} would go on with the data of its rank only, so those of a rank that "
                    "dies would be lost. Next: make it over all data, with communicator="
                )

    @abstractmethod
    def _share_knowledge(self) -> None:
        """Tell the other ranks what this one alone knows, before the vote: it must not die with this rank."""

    def _begin_update(self, also: Sequence[Undo]) -> Undo:
        """Keep what an update changes before its vote; `also` undoes the rest of it."""
        self._votes = 0
        self._whole = self._votes_of_last not in (0, 1)
        self._reseed()
        self._links = Links([optimizer.target for optimizer in self._optimizers.values()])
        undo = [*also, self._links.undo, *map(position, self._iterators)]
        for optimizer in self._optimizers.values():
            undo.append(optimizer.keep())
            if self._whole:
                undo.append(optimizer_state(optimizer.actual_optimizer))

        def restore() -> None:
            if self._votes and not self._whole:
                raise RengaError(
                    "a rank has died after this one had changed its parameters in the same update: something "
                    "communicates after the vote, which it had not done before. Next: go on with --resume"
                )
            for each in undo:
                each()

        return restore

    def _make_update(self, make: Callable[[], object]) -> None:
        """Make an update; it has been made by all ranks when this returns."""
        make()
        if self._votes_of_last < 0:
            self._refuse_what_ranks_remember()
        votes = self._votes
        if self._whole or votes != 1:
            self._vote()
        self._votes_of_last = votes

    def _refuse_what_ranks_remember(self) -> None:
        """Raise RengaError, after the first update, if a link remembers something of its rank's batches."""
        for optimizer in self._optimizers.values():
            for path, link in optimizer.target.namedlinks():
                held = [name for name, value in vars(link).items() if type(value) is Variable]
                if held and hasattr(link, "reset_state"):  # others only show their last outputs
                    raise RengaError(
                        f"link {path} ({type(link).__name__}) remembers {', '.join(held)} from batch to batch, which "
                        "would be lost with its rank. Next: reset its state in each update, or use a communicator "
                        "that is not resilient"
                    )

    def _vote(self) -> None:
        """Make sure that all ranks have come here, and that they know what each of them knows."""
        comm = self.communicator
        if comm.size > 1 and self._links is not None:
            for array, before in self._links.changes():
                # The mean of the differences: what has not changed keeps its last digit.
                array[...] = before + comm.allreduce((array - before) / comm.size)
        self._share_knowledge()
        self._change_wanted = comm.commit()
        self._votes += 1

    def _reseed(self) -> None:
        """Draw what this rank is to draw in this part of this iteration, whichever process it is."""
        seed = (self._seed << 32) + self.communicator.rank
        random.seed((seed << 64) + (self._iteration() << 32) + zlib.crc32(self.position.encode()))

    def _admit(self) -> bool:
        """Let ranks join and leave, if some want to. Returns whether this one stays."""
        wanted, self._change_wanted = self._change_wanted, False
        if not wanted or self.admit():
            return True
        self.ready = False
        return False

    def _regroup(self) -> None:
        for iterator in self._iterators:
            position(iterator)()  # drops batches that were made for other shares
        for optimizer in self._optimizers.values():
            optimizer.forget_exchange()
        self._change_wanted = False

    def _fingerprint(self) -> int:
        places = [(iterator.epoch, iterator.epoch_detail) for iterator in self._iterators]
        digest = zlib.crc32(f"{self._iteration()} {places} {self._votes_of_last}".encode())
        for optimizer in self._optimizers.values():
            if optimizer.synchronized:  # until then, ranks may have parameters of their own
                for _, param in sorted(optimizer.target.namedparams(include_uninit=False)):
                    bytes_ = np.ascontiguousarray(to_host(param.array)).reshape(-1).view(np.uint8)
                    digest = zlib.crc32(bytes_.data, digest)
        return digest

    def _update_state(self) -> Any:
        """What `_take_update_state` takes; the optimizers' serialized state is not in it."""
        optimizers = {name: (each.synchronized, _own(each)) for name, each in self._optimizers.items()}
        return self.position, self._seed, self._votes_of_last, optimizers

    def _take_update_state(self, state: Any) -> None:
        self.position, self._seed, self._votes_of_last, optimizers = state
        for name, (synchronized, hyperparams) in optimizers.items():
            if synchronized:
                self._optimizers[name].assume_synchronized()
            _own(self._optimizers[name]).update(hyperparams)


def _own(optimizer: Any) -> dict[str, Any]:
    """The hyperparameters of an optimizer, which are not in its serialized state."""
    found: dict[str, Any] = vars(optimizer.hyperparam) if hasattr(optimizer, "hyperparam") else {}
    return found
