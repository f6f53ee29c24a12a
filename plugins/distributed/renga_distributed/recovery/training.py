"""`TrainerRecovery`: training that continues when ranks die."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Sequence

from renga_comm_base.resilience import ResilientBase
from renga_core.errors import RengaError
from renga_core.training import Extension
from renga_distributed.recovery.capture import Undo, attributes, nothing, serialized
from renga_distributed.recovery.divergence import compare
from renga_distributed.recovery.extension_call import ExtensionCall
from renga_distributed.recovery.trainer_state import TrainerState
from renga_training.interrupt import Interruption
from renga_training.trainer import Entry, Trainer

__all__ = ["TrainerRecovery"]


class TrainerRecovery(TrainerState):
    """Runs a trainer so that it survives failures of ranks: the other ranks have the state in memory.

    ::

        trainer = Trainer(updater, (20, "epoch"))
        trainer.recovery = TrainerRecovery(communicator, trainer)
        trainer.run()

    Training is a sequence of parts: each update, and each call of an extension that communicates. If a rank dies in a
    part, all ranks return to its start, a new group is formed, new processes get the whole state, and the part is
    repeated. The result is bit-identical to a run without failures; or, if the rank is not replaced, to a run with the
    smaller number of ranks from that iteration on.

    How this works:

    - `MultiNodeOptimizer` lets all ranks vote after averaging gradients and before changing parameters. Before the
      vote, observations and running means of batch normalization are made the same on all ranks, because values of a
      single rank would die with it.
    - Random numbers (dropout) are seeded for each part, from the seed, the rank and the iteration.
    - Iterators are made with ``communicator=``, so that each batch is shared by the current ranks.
    - All ranks have the extensions that print and write (`Extension.on_every_rank` is False), but only the current rank
      0 calls them. Others call `Extension.follow`, and the next rank 0 continues. A printed line may appear twice if
      rank 0 dies just after printing it; files of Renga's extensions are exact. Extensions without `follow` continue
      from their initial state.
    - Extensions that communicate are repeated from the state that they `serialize`, and from their former attributes.

    If an updater needs several votes, because it has several optimizers, its parameters are copied before each update.

    State that only one rank has is also kept on the next rank (see `replicas`), and given to the replacement:

    - shares of an optimizer made with ``sharded=True``, and gradients with ``accumulate=``. Without a replacement, they
      are divided among the remaining ranks.
    - the state of recurrent links between batches. Call ``loss.unchain_backward()`` in each update.
    - the part of a model in a `MultiNodeChainList`, with its plain optimizer and iterator. See `take_place`.

    If a rank dies together with the next one, training stops with an error that names the lost state. It also stops if
    a rank with a recurrent state or a part of a model is not replaced.

    Args:
        communicator: The group.
        trainer: The trainer, complete except for extensions.
        seed: Seed of random numbers; None: the seed of `renga.random`.
        on_change: Called on each rank at the start and whenever the group has changed.
        check_every: Compare the parameters of all ranks after this number of iterations; 0: never. A NaN on one rank
            reaches all ranks in the next update, so only 1 finds its source.
        replace_diverged: End a rank whose parameters differ from the others', as if it had died. Otherwise, or if it is
            unclear which rank is wrong, training stops with an error.

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
        check_every: int = 0,
        replace_diverged: bool = True,
    ) -> None:
        super().__init__(communicator, trainer, seed, on_change)
        if check_every and self._in_parts:
            raise RengaError(
                "check_every compares the parameters of all ranks, but here each rank has its own part of the model. "
                "Next: leave it out"
            )
        self._check_every, self._replace_diverged = check_every, replace_diverged
        trainer.agree_to_stop = self._synchronizer.agree
        self.position = "resume"

    # --- the loop -----------------------------------------------------------------------------------------------------

    def run(self, entries: Sequence[Entry], interruption: Interruption) -> None:
        """Called by `Trainer.run` in place of its own loop.

        Raises:
            KeyboardInterrupt: The user pressed Ctrl-C.
            RengaError: Training cannot continue after a rank has died.
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
                ends = self.attempt(lambda: serialized(self._trainer.stop_trigger), lambda: self._ends(interruption))
                if ends == "complete":
                    self._trainer.complete = True
                    return
                if ends == "interrupt":
                    self.position = ends
                    continue
            elif part == "interrupt":
                self.attempt(nothing, self._interrupt)
                self._trainer.stop_here([], interruption)
                return
            elif part == "admit":
                goes_on = self.attempt(nothing, self._admit)
            else:
                self.attempt(nothing, self._resume if part == "resume" else self._initialize)
            if not goes_on:
                return
            after = parts.index(part) + 1
            self.position = parts[after] if after < len(parts) else "stop"

    # --- the parts ----------------------------------------------------------------------------------------------------

    def _resume(self) -> None:
        for entry in self._entries:
            entry.extension.resume(self._trainer)
        self._check_models()
        self._commit()

    def _initialize(self) -> None:
        trainer = self._trainer
        trainer.start_clock()
        trainer.initialize([entry for entry in self._entries if self.acts(entry.extension)])
        self._commit()
        self._initialized = True

    def _ends(self, interruption: Interruption) -> str:
        """Whether training ends here, and why: the same on all ranks."""
        trainer = self._trainer
        asked = interruption.requested or trainer.stop_reason is not None
        ends = ""
        if self._synchronizer.agree(asked):
            ends = "interrupt"
        elif trainer.stop_trigger(trainer):
            ends = "complete"
        iteration = trainer.updater.iteration
        if self._check_every and iteration and iteration % self._check_every == 0:
            self._compare(iteration)
        self._change_wanted = self._commit()
        self._leading.follow()
        return ends

    def _compare(self, iteration: int) -> None:
        """Compare the parameters of all ranks. Raises RengaError if they differ and training must stop."""
        links = [optimizer.target for optimizer in self._optimizers.values()]
        verdict = compare(self.communicator, links, self._fingerprint(), iteration)
        if verdict is not None and not (verdict.wrong and self._replace_diverged):
            raise RengaError(f"{verdict.sentence}. Next: go on from the last snapshot before that, with --resume")
        if verdict is not None and self.communicator.rank in verdict.wrong:
            print(f"renga: {verdict.sentence}; it ends here", file=sys.stderr, flush=True)
            self._die()

    def _die(self) -> None:
        """End this process so that the others notice; MPI's exit would wait for them."""
        os.kill(os.getpid(), signal.SIGKILL)

    def _interrupt(self) -> None:
        for entry in self._entries:
            if self.acts(entry.extension):
                entry.extension.on_interrupt(self._trainer)
        self._commit()

    def _before_update(self) -> Undo:
        self._trainer.observation = {}
        return self._begin_update([attributes(self._trainer.updater)])

    def _update(self) -> None:
        trainer = self._trainer
        with trainer.reporter.scope(trainer.observation):
            self._make_update(trainer.updater.update)

    def _share_knowledge(self) -> None:
        self._synchronizer(self._trainer)

    def _extend(self, entry: Entry) -> None:
        trainer, extension, trigger = self._trainer, entry.extension, entry.trigger
        with trainer.reporter.scope(trainer.observation):
            if extension.on_every_rank and (extension.communicates or getattr(trigger, "communicates", False)):
                call = ExtensionCall(trainer, entry, self._commit, self._before_call)
                self.attempt(call.begin, call.make)
            elif trigger(trainer):
                if extension.on_every_rank:
                    extension(trainer)
                else:
                    self._leading.call(extension)

    def _before_call(self) -> None:
        # Snapshots contain rank 0's log entries of this iteration, on all ranks.
        self._leading.follow()
        self._reseed()
