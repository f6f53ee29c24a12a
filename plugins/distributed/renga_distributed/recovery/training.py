"""Training that goes on when ranks die."""

from __future__ import annotations

import json
import zlib
from collections.abc import Callable, Sequence
from contextlib import ExitStack, suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from renga_comm_base.resilience import ResilientBase
from renga_core import random
from renga_core.backend import to_host
from renga_core.errors import RengaError
from renga_core.training import Extension
from renga_distributed.extensions.rank_synchronizer import RankSynchronizer
from renga_distributed.recovery.capture import Links, Undo, attributes, iterators_of, optimizer_state, position
from renga_distributed.recovery.leading import Leading
from renga_distributed.recovery.membership import Event, Membership
from renga_distributed.recovery.memory import saved
from renga_serializers.npz import DictionarySerializer, NpzDeserializer
from renga_training.interrupt import Interruption
from renga_training.out_folder import FolderInUse, hold_folder
from renga_training.trainer import Entry, Trainer

__all__ = ["TrainerRecovery"]

LOG = "recovery.jsonl"


class TrainerRecovery(Membership):
    """Runs a trainer's loop such that it survives the death of ranks, the state being in the memory of those left.

    ::

        trainer = Trainer(updater, (20, "epoch"))
        trainer.recovery = TrainerRecovery(communicator, trainer)
        trainer.run()

    Training is a row of parts: each update, and each call of an extension that communicates. If a rank dies in one of
    them, its start is restored on all, the group is made again, newcomers get the whole state, and the part is
    repeated. The run ends bit-identical to one in which nobody died, or, where nobody takes the place, to one that had
    so many ranks from that iteration on.

    What makes that possible:

    - `MultiNodeOptimizer` asks all ranks for a vote between averaging gradients and changing parameters. Before it,
      observations become the same on all ranks, and so do running means of batch normalization: what a rank alone knows
      would die with it.
    - Random numbers (dropout) are drawn anew in each part, from the seed, the rank and the iteration.
    - Iterators are made with ``communicator=``, so that each batch is shared by those who are there.
    - All ranks have the extensions that print and write (`Extension.on_every_rank` is False), but only the present rank
      0 calls them. Others call `Extension.follow`, and whoever becomes rank 0 goes on with them. A line that is printed
      may come twice if rank 0 dies just after printing it; files of Renga's extensions are exact. One that does not
      define `follow` goes on from the state that it had at first.
    - Extensions that communicate are repeated from the state that they `serialize`, and the attributes that they had.

    An updater that asks for several votes, because it has several optimizers, has its parameters copied before each
    update. Not supported: optimizers made with `sharded` or `accumulate`, models of which each rank has a part, and
    links with a state that is each rank's own (a recurrent layer that remembers from batch to batch).

    Args:
        communicator: The group.
        trainer: The trainer, which has all that it will have except extensions.
        seed: Of random numbers; that of `renga.random` if None.
        on_change: Called, on each rank, at the beginning and whenever the group has changed, to adapt to its size.

    Raises:
        RengaError: Something is not supported.
    """

    def __init__(
        self,
        communicator: ResilientBase,
        trainer: Trainer,
        *,
        seed: int | None = None,
        on_change: Callable[[], object] | None = None,
    ) -> None:
        super().__init__(communicator)
        self._trainer = trainer
        self._seed = (random.get_state()["entropy"] or 0) if seed is None else seed
        self._on_change = on_change
        self._iterators: list[Any] = iterators_of(trainer.updater)
        self._optimizers = trainer.updater.get_all_optimizers()
        self._synchronizer = RankSynchronizer(communicator, 1)
        trainer.agree_to_stop = self._synchronizer.agree
        self._check()
        for each in self._optimizers.values():
            each.vote_by(self._vote)
        self._entries: Sequence[Entry] = ()
        self._leading = Leading(trainer)
        self._links: Links | None = None
        self._votes = 0
        self._whole = True
        self._votes_of_last = -1
        self._change_wanted = False
        self._initialized = False
        self._stack = ExitStack()
        self.position = "resume"

    def _check(self) -> None:
        for name, optimizer in self._optimizers.items():
            if not hasattr(optimizer, "vote_by"):
                raise RengaError(
                    f"optimizer {name!r} is not one of create_multi_node_optimizer, so ranks cannot vote on its updates"
                )
        for iterator in self._iterators:
            if not getattr(iterator, "shares_batches", False):
                raise RengaError(
                    f"{type(iterator).__name__} would go on with the data of its rank only, so those of a rank that "
                    "dies would be lost. Next: make it over all data, with communicator="
                )

    # --- the loop -----------------------------------------------------------------------------------------------------

    def run(self, entries: Sequence[Entry], interruption: Interruption) -> None:
        """What `Trainer.run` calls in place of its own loop.

        Raises:
            KeyboardInterrupt: The user wished to stop.
            RengaError: It cannot go on after a rank has died.
        """
        self._entries = entries
        self._leading.begin(
            {str(entry.extension.name): entry.extension for entry in entries if not entry.extension.on_every_rank}
        )
        with self._stack:
            self._leading.active = self.communicator.rank == 0 and self.ready
            if self.enter():
                self._go_on(interruption)

    def acts(self, extension: Extension) -> bool:
        """Whether an extension is called on this rank."""
        return extension.on_every_rank or self._leading.active

    def _go_on(self, interruption: Interruption) -> None:
        names = [str(entry.extension.name) for entry in self._entries]
        parts = ["resume", "initialize", "stop", "admit", "update", *(f"extension {name}" for name in names)]
        entries = dict(zip(parts[5:], self._entries, strict=True))
        while True:
            part, goes_on = self.position, True
            if part in entries:
                self._extend(entries[part])
            elif part == "update":
                self.attempt(self._before_update, self._update)
            elif part == "stop":
                if ends := self.attempt(self._before_stop, lambda: self._ends(interruption)):
                    self._end(ends, interruption)
                    return
            elif part == "admit":
                goes_on = self.attempt(_nothing, self._admit)
            else:
                self.attempt(_nothing, self._resume if part == "resume" else self._initialize)
            if not goes_on:
                return
            after = parts.index(part) + 1
            self.position = parts[after] if after < len(parts) else "stop"

    # --- the parts ----------------------------------------------------------------------------------------------------

    def _resume(self) -> None:
        for entry in self._entries:
            entry.extension.resume(self._trainer)
        self.communicator.commit()

    def _initialize(self) -> None:
        trainer = self._trainer
        trainer.start_clock()
        trainer.initialize([entry for entry in self._entries if self.acts(entry.extension)])
        self.communicator.commit()
        self._initialized = True

    def _before_stop(self) -> Undo:
        trigger = self._trainer.stop_trigger
        return _state_of(trigger)

    def _ends(self, interruption: Interruption) -> str:
        """Whether training ends here, and how: the same on all ranks."""
        trainer = self._trainer
        asked = interruption.requested or trainer.stop_reason is not None
        ends = ""
        if self._synchronizer.agree(asked):
            ends = "interrupt"
        elif trainer.stop_trigger(trainer):
            ends = "complete"
        self._change_wanted = self.communicator.commit()
        self._leading.follow()
        return ends

    def _end(self, how: str, interruption: Interruption) -> None:
        if how == "complete":
            self._trainer.complete = True
            return
        self.position = how
        self.attempt(_nothing, self._interrupt)
        self._trainer.stop_here([], interruption)

    def _interrupt(self) -> None:
        for entry in self._entries:
            if self.acts(entry.extension):
                entry.extension.on_interrupt(self._trainer)
        self.communicator.commit()

    def _admit(self) -> bool:
        wanted, self._change_wanted = self._change_wanted, False
        return not wanted or self.admit()

    def _before_update(self) -> Undo:
        updater = self._trainer.updater
        self._votes = 0
        self._whole = self._votes_of_last not in (0, 1)
        self._trainer.observation = {}
        self._reseed()
        self._links = links = Links([optimizer.target for optimizer in self._optimizers.values()])
        undo = [attributes(updater), links.undo, *map(position, self._iterators)]
        for optimizer in self._optimizers.values():
            undo.append(optimizer.keep())
            if self._whole:
                undo.append(optimizer_state(optimizer.actual_optimizer))

        def restore() -> None:
            if self._votes and not self._whole:
                raise RengaError(
                    "a rank has died after this one had changed its parameters in the same update: the updater "
                    "communicates after the vote, which it had not done before. Next: go on with --resume"
                )
            for each in undo:
                each()

        return restore

    def _update(self) -> None:
        trainer = self._trainer
        with trainer.reporter.scope(trainer.observation):
            trainer.updater.update()
            votes = self._votes
            if self._whole or votes != 1:
                self._vote()
        self._votes_of_last = votes

    def _vote(self) -> None:
        """Make sure that all ranks have come here, and that they know what each of them knows."""
        if self.communicator.size > 1 and self._links is not None:
            for array, before in self._links.changes():
                # The mean of the differences: what has not changed keeps its last digit.
                array[...] = before + self.communicator.allreduce((array - before) / self.communicator.size)
        self._synchronizer(self._trainer)
        self.communicator.commit()
        self._votes += 1

    def _extend(self, entry: Entry) -> None:
        trainer, extension, trigger = self._trainer, entry.extension, entry.trigger
        with trainer.reporter.scope(trainer.observation):
            if extension.on_every_rank and (extension.communicates or getattr(trigger, "communicates", False)):
                undo: list[Undo] = []
                self.attempt(lambda: self._before_call(entry, undo), lambda: self._call(entry, undo))
            elif trigger(trainer):
                if extension.on_every_rank:
                    extension(trainer)
                else:
                    self._leading.call(extension)

    def _before_call(self, entry: Entry, undo: list[Undo]) -> Undo:
        undo[:] = [_state_of(entry.trigger)]

        def restore() -> None:
            for each in undo:
                each()

        return restore

    def _call(self, entry: Entry, undo: list[Undo]) -> None:
        trainer, extension = self._trainer, entry.extension
        if entry.trigger(trainer):
            # Snapshots hold what rank 0 has logged in this iteration, on all ranks.
            self.communicator.commit()
            self._leading.follow()
            self._reseed()
            undo += [attributes(extension), _state_of(extension), _contents(trainer.observation)]
            undo.append(Links([optimizer.target for optimizer in self._optimizers.values()]).undo)
            for optimizer in self._optimizers.values():
                undo.append(attributes(optimizer.actual_optimizer))
                if (hyperparam := getattr(optimizer, "hyperparam", None)) is not None:
                    undo.append(attributes(hyperparam))
            extension(trainer)
            self.communicator.commit()
        elif getattr(entry.trigger, "communicates", False):
            self.communicator.commit()

    def _reseed(self) -> None:
        """Draw what this rank is to draw in this part of this iteration, whichever process it is."""
        seed = (self._seed << 32) + self.communicator.rank
        random.seed((seed << 64) + (self._iteration() << 32) + zlib.crc32(self.position.encode()))

    # --- one state for all --------------------------------------------------------------------------------------------

    def _iteration(self) -> int:
        # Extensions are called in the iteration that the updater has completed.
        return self._trainer.updater.iteration + (not self.position.startswith("extension"))

    def _regroup(self) -> None:
        for iterator in self._iterators:
            position(iterator)()  # drops batches that were made for other shares
        for optimizer in self._optimizers.values():
            optimizer.forget_exchange()
        self._change_wanted = False
        if self._iterators:
            first, last = self.communicator.share(self._iterators[0].batch_size)
            self._synchronizer.examples = last - first
        if self._on_change is not None:
            self._on_change()

    def _fingerprint(self) -> int:
        updater = self._trainer.updater
        digest = zlib.crc32(f"{updater.iteration} {updater.epoch_detail} {self._votes_of_last}".encode())
        for optimizer in self._optimizers.values():
            if optimizer.synchronized:  # until then, ranks may have parameters of their own
                for _, param in sorted(optimizer.target.namedparams(include_uninit=False)):
                    digest = zlib.crc32(np.ascontiguousarray(to_host(param.array)).reshape(-1).view(np.uint8), digest)
        return digest

    def _state(self) -> Any:
        saving, trainer = DictionarySerializer(), self._trainer
        saving.save(trainer)
        return {
            "arrays": saving.target,
            "position": self.position,
            "observation": {key: _on_host(value) for key, value in trainer.observation.items()},
            "out": trainer.out,
            "initialized": self._initialized,
            "seed": self._seed,
            "votes": self._votes_of_last,
            "stop": (self._synchronizer.stop, trainer.stop_reason),
            "pending": self._leading.pending,
            "optimizers": {
                name: (each.synchronized, dict(vars(each.hyperparam))) for name, each in self._optimizers.items()
            },
        }

    def _load(self, state: Any) -> None:
        trainer = self._trainer
        trainer.out = state["out"]
        Path(trainer.out).mkdir(parents=True, exist_ok=True)
        here = [entry for entry in self._entries if entry.extension.on_every_rank]
        if state["initialized"]:
            trainer.start_clock()
            for entry in here:
                if not entry.extension.communicates:
                    entry.extension.resume(trainer)
        NpzDeserializer(state["arrays"]).load(trainer)
        if state["initialized"]:
            for entry in here:
                entry.extension.initialize(trainer)
        for name, (synchronized, hyperparams) in state["optimizers"].items():
            optimizer = self._optimizers[name]
            if synchronized:
                optimizer.assume_synchronized()
            vars(optimizer.hyperparam).update({k: v for k, v in hyperparams.items() if k != "_parent"})
        trainer.observation = state["observation"]
        self.position, self._seed, self._votes_of_last = state["position"], state["seed"], state["votes"]
        self._initialized = state["initialized"]
        self._synchronizer.stop, reason = state["stop"]
        if reason is not None:
            trainer.stop(reason)
        self._leading.pending = state["pending"]

    def _settled(self) -> None:
        if self.communicator.rank == 0 and not self._leading.active:
            if not self._initialized:
                self._leading.active = True  # `initialize` is still to come
            else:
                self._hold_folder()
                self._leading.take_over()

    def _tell(self, event: Event) -> None:
        """Tell people, on standard error and in the folder of the run."""
        super()._tell(event)
        with suppress(OSError), open(Path(self._trainer.out, LOG), "a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(event)) + "\n")

    def _hold_folder(self) -> None:
        """Keep other runs out of the folder, as the rank did whose place this one takes."""
        with suppress(FolderInUse):  # the lock of a process that has died may take a moment to go
            self._stack.enter_context(hold_folder(self._trainer.out))


def _nothing() -> Undo:
    return lambda: None


def _state_of(obj: Any) -> Undo:
    """Keep what an object serializes; a trigger may be any function, and need not have a state."""
    if not hasattr(obj, "serialize"):
        return lambda: None
    before = saved(obj)
    return lambda: obj.serialize(before)


def _contents(mapping: dict[str, Any]) -> Undo:
    before = dict(mapping)

    def undo() -> None:
        mapping.clear()
        mapping.update(before)

    return undo


def _on_host(value: Any) -> Any:
    array = getattr(value, "array", value)
    return to_host(array) if hasattr(array, "ndim") else array
