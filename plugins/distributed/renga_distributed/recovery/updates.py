"""Updates that either all ranks make, or none."""

from __future__ import annotations

import zlib
from abc import abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import numpy as np

from renga_comm_base.resilience import ResilientBase
from renga_core import random
from renga_core.backend import to_host
from renga_core.errors import RengaError
from renga_core.link import Link
from renga_core.serializers import AbstractSerializer
from renga_distributed.optimizers.private import Private
from renga_distributed.recovery.capture import Links, Undo, optimizer_state, plain, position
from renga_distributed.recovery.membership import Membership
from renga_distributed.recovery.model_part import ModelPart, check_parts, has_a_part
from renga_distributed.recovery.recurrent import RecurrentState
from renga_distributed.recovery.replicas import Replicas

__all__ = ["Updates"]


class Updates(Membership):
    """A rank whose updates, by optimizers of `create_multi_node_optimizer`, can be repeated.

    An update changes parameters only after its optimizer's vote; other changes are recorded here and can be undone. If
    an update has several votes (several optimizers), its parameters are copied first. The first update is treated
    alike.

    If a rank holds state alone (shares of an optimizer's state, accumulated gradients, states of recurrent links, a
    part of a model), an update has one vote, at its end, and everything is copied first. Replicas then have the state
    after the last update that all ranks have made. See `replicas`.

    Args:
        communicator: The group.
        optimizers: The optimizers, by name.
        iterators: The iterators that provide batches for updates.
        seed: Seed of random numbers; None: the seed of `renga.random`.

    Raises:
        RengaError: An optimizer or iterator does not support repeated updates.
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
        targets = {name: optimizer.target for name, optimizer in optimizers.items()}
        self._in_parts = has_a_part(targets.values())
        for name, optimizer in optimizers.items():
            if hasattr(optimizer, "vote_by"):
                optimizer.vote_by(self._optimizer_votes)
            if self._in_parts and getattr(optimizer, "communicator", None) is communicator:
                raise RengaError(
                    f"optimizer {name!r} would average the gradients of all ranks, but here each rank has its own part "
                    "of the model. Next: use a plain optimizer on each rank"
                )
            if not (self._in_parts or hasattr(optimizer, "vote_by")):
                raise RengaError(
                    f"optimizer {name!r} is not one of create_multi_node_optimizer, so ranks cannot vote on its "
                    "updates. Next: make it by that; or, if each rank has a part of the model, put that into a "
                    "MultiNodeChainList"
                )
        for iterator in iterators:
            if not (self._in_parts or getattr(iterator, "shares_batches", False)):
                raise RengaError(
                    f"{type(iterator).__name__} has the data of its own rank only: if a rank dies, its data are lost. "
                    "Next: create the iterator over all data, with communicator="
                )
        parts = self._private_parts(targets)
        self._replicas = Replicas(communicator, parts) if parts else None

    def _private_parts(self, targets: Mapping[str, Link]) -> dict[str, Private]:
        """Return the state that only this rank holds, by name; names are the same on all ranks."""
        found: dict[str, Private] = {}
        for name, optimizer in self._optimizers.items():
            if hasattr(optimizer, "vote_by"):
                found |= {f"{each} of {name}": part for each, part in optimizer.private.items()}
        if self._in_parts:
            found["model"] = ModelPart(self._serialize_part)
        if RecurrentState.there_is(targets):
            found["recurrent"] = RecurrentState(targets)
        return found

    @abstractmethod
    def _serialize_part(self, serializer: AbstractSerializer) -> None:
        """Save or load the state that updates change, if each rank has a part of the model."""

    @abstractmethod
    def _share_knowledge(self) -> None:
        """Send other ranks the state that only this rank has, before the vote, so that it survives this rank."""

    def _begin_update(self, also: Sequence[Undo]) -> Undo:
        """Keep the state that an update changes before its vote; `also` undoes the rest."""
        self._votes = 0
        self._whole = self._replicas is not None or self._votes_of_last not in (0, 1)
        self._reseed()
        self._links = Links([optimizer.target for optimizer in self._optimizers.values()])
        undo = [*also, self._links.undo, *map(position, self._iterators)]
        for optimizer in self._optimizers.values():
            if hasattr(optimizer, "keep"):
                undo.append(optimizer.keep())
            if self._whole:
                undo.append(optimizer_state(plain(optimizer)))

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
        """Make an update; when this returns, all ranks have made it."""
        make()
        votes = self._votes
        if self._whole or votes != 1:
            self._vote()
        self._votes_of_last = votes

    def _optimizer_votes(self) -> None:
        """Vote on the update of one optimizer, unless one vote at the end covers all optimizers."""
        if self._replicas is None:
            self._vote()

    def _vote(self) -> None:
        """Wait for all ranks, and exchange their state."""
        comm = self.communicator
        if comm.size > 1 and self._links is not None and not self._in_parts:
            for array, before in self._links.changes():
                # The mean of differences, so that unchanged values stay exact.
                array[...] = before + comm.allreduce((array - before) / comm.size)
        self._share_knowledge()
        self._change_wanted = self._commit()
        self._votes += 1

    def _commit(self) -> bool:
        """Vote. Afterwards the next rank has a replica of this rank's own state. See `ResilientBase.commit`."""
        if self._replicas is not None:
            self._replicas.offer()
        wanted = self.communicator.commit()
        self._adopt_private()
        return wanted

    # --- what only one rank holds -------------------------------------------------------------------------------------

    @property
    def _may_differ(self) -> bool:
        """Whether ranks may have different models."""
        comm = self.communicator
        return self._in_parts or any(
            getattr(each, "communicator", comm) is not comm for each in self._optimizers.values()
        )

    def _check_models(self) -> None:
        """Check, before training, that all ranks have the same model, or all have a part. Collective.

        Raises:
            RengaError: They do not.
        """
        if not self._may_differ:
            return  # the first update gives all ranks the same parameters
        digests = [_digest_of(optimizer.target) for optimizer in self._optimizers.values()]
        hyperparameters = {name: _own(optimizer) for name, optimizer in self._optimizers.items()}
        told = self.communicator.allgather_obj((self._in_parts, self._seed, digests, hyperparameters))
        parted, seeds, models, all_hyperparameters = zip(*told, strict=True)
        self._seed = seeds[0]  # newcomers get the seed of any rank
        if any(parted):
            check_parts(all_hyperparameters, parted)
        elif any(each != digests for each in models):
            raise RengaError(
                "each rank has its own part of a model: if a rank dies, its part is lost. (The parameters of the ranks "
                "differ, and their optimizers do not average over all ranks.)\nNext: put the part of each rank into a "
                "MultiNodeChainList"
            )

    def _find_private(self) -> None:
        if self._replicas is not None:
            self._replicas.find()

    def _renew_private(self) -> None:
        if self._replicas is not None:
            self._replicas.renew()

    def _adopt_private(self) -> None:
        if self._replicas is not None:
            self._replicas.adopt()

    def _reseed(self) -> None:
        """Seed random numbers by rank, iteration and part, independent of the process."""
        seed = (self._seed << 32) + self.communicator.rank
        random.seed((seed << 64) + (self._iteration() << 32) + zlib.crc32(self.position.encode()))

    def _admit(self) -> bool:
        """Let ranks join and leave, if requested. Returns whether this rank stays."""
        wanted, self._change_wanted = self._change_wanted, False
        if wanted and self._replicas is not None:
            self._replicas.spread()  # several may leave at once, neighbours, too
        if not wanted or self.admit():
            return True
        self.ready = False
        return False

    def _regroup(self) -> None:
        for iterator in self._iterators:
            position(iterator)()  # drops batches that were made for other shares
        for optimizer in self._optimizers.values():
            if hasattr(optimizer, "forget_exchange"):
                optimizer.forget_exchange()
        self._change_wanted = False

    def _fingerprint(self) -> int:
        if self._in_parts:
            return zlib.crc32(f"{self._iteration()} {self._votes_of_last}".encode())
        places = [(iterator.epoch, iterator.epoch_detail) for iterator in self._iterators]
        digest = zlib.crc32(f"{self._iteration()} {places} {self._votes_of_last}".encode())
        for optimizer in self._optimizers.values():
            if optimizer.synchronized:  # before that, parameters of ranks may differ
                digest = _digest_of(optimizer.target, digest)
        return digest

    def _update_state(self) -> Any:
        """What `_take_update_state` takes; the optimizers' serialized state is not in it."""
        synchronized = {name: getattr(each, "synchronized", False) for name, each in self._optimizers.items()}
        hyperparams = {name: _own(each) for name, each in self._optimizers.items()}
        return self.position, self._seed, self._votes_of_last, synchronized, hyperparams

    def _take_update_state(self, state: Any) -> None:
        self.position, self._seed, self._votes_of_last, synchronized, hyperparams = state
        for name, optimizer in self._optimizers.items():
            if synchronized[name] and hasattr(optimizer, "assume_synchronized"):
                optimizer.assume_synchronized()
            _own(optimizer).update(hyperparams[name])

    @contextmanager
    def _serializing_own(self) -> Iterator[None]:
        """In this block, only this rank serializes optimizers, and sharded state is its own shard."""
        with ExitStack() as stack:
            for optimizer in self._optimizers.values():
                if hasattr(optimizer, "serializing_own_share"):
                    stack.enter_context(optimizer.serializing_own_share())
            yield


def _digest_of(link: Link, digest: int = 0) -> int:
    """Return a digest of names, shapes and values of all initialized parameters of a link."""
    for path, param in sorted(link.namedparams(include_uninit=False)):
        digest = zlib.crc32(f"{path} {param.shape} {param.dtype}".encode(), digest)
        bytes_ = np.ascontiguousarray(to_host(param.array)).reshape(-1).view(np.uint8)
        digest = zlib.crc32(bytes_.data, digest)
    return digest


def _own(optimizer: Any) -> dict[str, Any]:
    """Return the hyperparameters of an optimizer, which its serialized state does not contain."""
    found: dict[str, Any] = vars(optimizer.hyperparam) if hasattr(optimizer, "hyperparam") else {}
    return found
