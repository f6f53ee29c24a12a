"""The program of a simulated rank: a small training run."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_core import random
from renga_core.configuration import using_config
from renga_core.training import Updater
from renga_data.iterators import SerialIterator
from renga_distributed.extensions import create_multi_node_evaluator
from renga_distributed.optimizers import create_multi_node_optimizer
from renga_distributed.recovery import build_and_run, take_place
from renga_distributed.simulation.communicator import SimulatedCommunicator
from renga_distributed.simulation.models import Model, Stage
from renga_distributed.simulation.modes import EPOCHS, EXAMPLES, MODES, Mode
from renga_distributed.simulation.record import Case, Record
from renga_distributed.simulation.witnesses import Log, Snapshot, WatchedRecovery, Witness
from renga_training import Trainer
from renga_training.extensions import Evaluator
from renga_training.updaters import StandardUpdater

__all__ = ["make_program"]

_INPUTS = np.random.default_rng(0).standard_normal((EXAMPLES + 5, 3))


def make_program(case: Case, record: Record, out: str) -> Callable[[SimulatedCommunicator], Any]:
    """Make the program of a case.

    Args:
        case: The case to run.
        record: The record of events.
        out: Folder of the run.
    """
    mode = MODES[case.mode]
    examples = [(x, x[:1] * 2 - x[1:2], np.array(i)) for i, x in enumerate(_INPUTS)]

    def program(comm: SimulatedCommunicator) -> Any:
        comm.set_config("allreduce_grad_dtype", mode.wire)
        if mode.stages and not take_place(comm):
            return False
        return build_and_run(comm, lambda: build(comm), train)

    def train(trainer: Trainer) -> bool:
        trainer.run(show_loop_exception_msg=False)
        return trainer.complete

    def build(comm: SimulatedCommunicator) -> Trainer:
        random.seed(1 + (comm.rank if mode.stages else 0))
        with using_config("dtype", np.dtype(np.float64)):
            model: Any = Stage(mode, comm) if mode.stages else Model(mode, comm)
        sharing = None if mode.stages else comm
        iterator = SerialIterator(examples[:EXAMPLES], mode.batch // mode.accumulate, communicator=sharing, seed=2)
        taken: list[int] = []

        def convert(batch: Any, device: Any) -> tuple[Any, Any]:
            taken.extend(int(i) for _, _, i in batch)
            record.used[updater.iteration + 1, comm.rank] = list(taken)
            x = np.array([x for x, _, _ in batch]).reshape(-1, 3)
            return x, np.array([t for _, t, _ in batch]).reshape(-1, 1)

        updater = _make_updater(mode, comm, model, iterator, convert)
        before = updater.update

        def update() -> None:
            taken.clear()
            before()

        updater.update = update  # type: ignore[method-assign]  # of this one only
        trainer = Trainer(updater, (EPOCHS, "epoch"), out=out)
        trainer.reporter.add_observer("model", model)
        if not mode.stages:
            trainer.extend(_make_evaluator(examples[EXAMPLES:], model, comm))
        trainer.extend(Log(record))
        trainer.extend(Snapshot(comm, record, same=not mode.stages))
        recovery = WatchedRecovery(comm, trainer, seed=3, check_every=0 if mode.stages else 2)
        recovery.record = record
        trainer.recovery = recovery
        trainer.extend(Witness(model, record, recovery, dict(case.leaving), in_parts=mode.stages > 0))
        return trainer

    return program


class _TwoOptimizers(StandardUpdater):
    """Two optimizers, one after the other; the second uses the changes of the first."""

    def update_core(self) -> None:
        batches, completed = self.take(1)
        arguments = self.converter(batches[0], self.device)
        for name in ("main", "second"):
            self.get_optimizer(name).update(self.loss_func, *arguments)
        for _ in range(completed):
            for optimizer in self.get_all_optimizers().values():
                optimizer.new_epoch(auto=True)


class _Truncating(StandardUpdater):
    """Cuts the graph of a recurrent model after each update."""

    def update_core(self) -> None:
        super().update_core()
        self.get_optimizer("main").target.unchain()


def _make_updater(
    mode: Mode, comm: SimulatedCommunicator, model: Any, iterator: SerialIterator, convert: Callable[..., Any]
) -> Updater:
    if mode.stages:
        return StandardUpdater(iterator, mode.optimizer().setup(model), converter=convert)
    if mode.two_optimizers:
        made = {"main": _make_optimizer(mode, comm, model.l1), "second": _make_optimizer(mode, comm, model.l2)}
        return _TwoOptimizers(iterator, made, converter=convert, loss_func=model)
    make = _Truncating if mode.recurrent else StandardUpdater
    return make(iterator, _make_optimizer(mode, comm, model), converter=convert, accumulate=mode.accumulate)


def _make_optimizer(mode: Mode, comm: SimulatedCommunicator, link: Any) -> Any:
    made = create_multi_node_optimizer(
        mode.optimizer(),
        comm,
        mode.double_buffering,
        overlap=mode.overlap,
        sharded=mode.sharded,
        weighted=mode.weighted,
        accumulate=mode.collects,
    )
    made.setup(link)
    if mode.loss_scale:
        made.loss_scaling(initial=8.0)
    return made


def _make_evaluator(examples: list[Any], model: Model, comm: SimulatedCommunicator) -> Any:
    test = SerialIterator([example[:2] for example in examples], 4, repeat=False, shuffle=False, communicator=comm)
    evaluated = model.copy()  # which has its own state

    def evaluate(*batch: Any) -> Any:
        evaluated.forget()
        return evaluated(*batch)

    return create_multi_node_evaluator(Evaluator(test, evaluated, eval_func=evaluate), comm)
