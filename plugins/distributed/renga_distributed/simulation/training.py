"""A small training run on simulated ranks, and what must be true of it, whoever dies.

Invariants (`violations`):

1. Termination: no rank waits for ever, and none ends by an error, unless all that had the state have died.
2. After each iteration, parameters are the same on all ranks.
3. Each example is used once in each epoch, by one rank, counting the attempts that were committed.
4. Each iteration is made once: none is skipped or counted twice.
5. The log has one line for each iteration, in order, with the same numbers as without deaths; whoever wrote it.
6. Snapshots are the same on all ranks that take part.
7. The parameters are bit-identical to those of a run without deaths, after each iteration, as long as nobody's place
   stayed empty. Where it did, they are bit-identical to those of a run that had so many ranks from that iteration on
   because the others left; where ranks joined, they are the same up to rounding.
"""

from __future__ import annotations

import json
import os
import zlib
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import lru_cache
from random import Random
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import numpy as np

from renga_core import random
from renga_core.configuration import using_config
from renga_core.graph import Variable
from renga_core.link import Chain
from renga_core.training import Extension, TrainerLike, Updater
from renga_data.iterators import SerialIterator
from renga_distributed.extensions import create_multi_node_evaluator
from renga_distributed.links import MultiNodeBatchNormalization
from renga_distributed.optimizers import create_multi_node_optimizer
from renga_distributed.recovery import TrainerRecovery, build_and_run
from renga_distributed.recovery.membership import Event
from renga_distributed.simulation.communicator import SimulatedCommunicator
from renga_distributed.simulation.faults import Fault, draw_faults
from renga_distributed.simulation.simulate import Outcome, simulate
from renga_nn import functions as F
from renga_nn import links as L
from renga_optimizers import Adam, MomentumSGD
from renga_serializers.npz import DictionarySerializer
from renga_training import Trainer
from renga_training.extensions import Evaluator, LogReport
from renga_training.updaters import StandardUpdater

__all__ = ["MODES", "Case", "Record", "run", "violations"]

EXAMPLES, BATCH, EPOCHS = 16, 8, 3
ITERATIONS = EXAMPLES * EPOCHS // BATCH
_MEMORY = "/dev/shm"


class Mode(NamedTuple):
    """What is trained, and how."""

    dropout: bool = False
    normalization: str = ""
    optimizer: Callable[[], Any] = MomentumSGD
    overlap: bool = False
    double_buffering: bool = False
    accumulate: int = 1
    wire: str | None = None
    two_optimizers: bool = False
    loss_scale: bool = False


MODES: dict[str, Mode] = {
    "plain": Mode(),
    "adam": Mode(optimizer=Adam),
    "dropout": Mode(dropout=True),
    "overlap": Mode(overlap=True),
    "half": Mode(wire="float16", loss_scale=True),
    "double_buffering": Mode(double_buffering=True),
    "accumulate": Mode(accumulate=2),
    "batch_normalization": Mode(normalization="own"),
    "synchronized_batch_normalization": Mode(normalization="synchronized"),
    "two_optimizers": Mode(two_optimizers=True),
}


@dataclass(frozen=True)
class Case:
    """One simulated run.

    Attributes:
        mode: Key of `MODES`.
        seed: Of the order in which ranks go on.
        ranks, spares, newcomers, replace: As of `simulate`.
        faults: What happens to whom.
        leaving: Ranks from this number on leave before this iteration, by iteration: for the run to compare with.
    """

    mode: str
    seed: int
    ranks: int = 3
    spares: int = 0
    newcomers: int = 0
    replace: bool = True
    faults: tuple[Fault, ...] = ()
    leaving: tuple[tuple[int, int], ...] = ()

    @classmethod
    def drawn(cls, mode: str, seed: int) -> Case:
        """The case of a seed: how many ranks, whether others take their places, and what goes wrong."""
        rng = Random(f"{mode} {seed}")
        ranks = rng.choice((1, 2, 2, 3, 3, 3, 4))
        if MODES[mode].accumulate > 1:
            ranks = min(ranks, 2)  # so that each rank has a part of each batch, also when others join
        kind = rng.choice(("replace", "replace", "shrink", "grow"))
        spares = rng.choice((1, 2, 3)) if kind == "replace" else 0
        newcomers = rng.choice((1, 2)) if kind == "grow" else 0
        faults = draw_faults(rng, ranks, spares, newcomers, points(mode, ranks))
        return cls(mode, seed, ranks, spares, newcomers, kind == "replace", faults)


@dataclass
class Record:
    """What is noted of a run, from outside.

    Attributes:
        outcome: Of the simulation.
        parameters: Digests after each iteration, by iteration, of all ranks that noted them.
        values: The parameters themselves, at the end.
        used: The examples that each rank took in its last attempt, by iteration and rank.
        sizes: Size of the group that made each iteration.
        log: The lines of the log, as the ranks have written it.
        snapshots: Digests of the states that ranks saved, by iteration and attempt.
        events: What people are told.
    """

    outcome: Outcome | None = None
    parameters: defaultdict[int, set[int]] = field(default_factory=lambda: defaultdict(set))
    values: dict[str, Any] = field(default_factory=dict)
    used: dict[tuple[int, int], list[int]] = field(default_factory=dict)
    sizes: dict[int, int] = field(default_factory=dict)
    log: list[dict[str, Any]] = field(default_factory=list)
    snapshots: dict[int, set[tuple[int, ...]]] = field(default_factory=lambda: defaultdict(set))
    events: list[Event] = field(default_factory=list)


class _Model(Chain):
    def __init__(self, mode: Mode, comm: SimulatedCommunicator) -> None:
        super().__init__()
        self._dropout = mode.dropout
        with self.init_scope():
            self.l1 = L.Linear(3, 3)
            self.l2 = L.Linear(3, 1)
            if mode.normalization == "own":
                self.bn = L.BatchNormalization(3)
            elif mode.normalization:
                self.bn = MultiNodeBatchNormalization(3, comm)

    def forward(self, x: Any, t: Any) -> Variable:
        h = self.l1(x)
        if hasattr(self, "bn"):
            h = self.bn(h)
        if self._dropout:
            h = F.dropout(h, 0.3)
        loss = F.mean_squared_error(self.l2(h), t)
        from renga_core.reporter import report

        report({"loss": loss}, self)
        return loss


class _Watched(TrainerRecovery):
    """Notes the size of the group that votes."""

    record: Record

    def _vote(self) -> None:
        super()._vote()
        self.record.sizes[self._trainer.updater.iteration + 1] = self.communicator.size

    def _die(self) -> None:
        assert isinstance(self.communicator, SimulatedCommunicator)
        self.communicator.die()

    def _tell(self, event: Event) -> None:
        self.record.events.append(event)


class _Log(LogReport):
    """Writes into the record, as if that were the file."""

    def __init__(self, record: Record) -> None:
        super().__init__(trigger=(1, "iteration"), filename=None)
        self._record = record

    def _append(self, out: str, entry: dict[str, Any]) -> None:
        self._record.log.append(entry)

    def _rewrite(self, out: str) -> None:
        self._record.log[:] = self.log
        super()._rewrite(out)


class _Snapshot(Extension):
    """Communicates as one does that writes files, and notes what each rank would write."""

    trigger = (2, "iteration")
    priority = -100

    def __init__(self, comm: SimulatedCommunicator, record: Record) -> None:
        self._comm, self._record = comm, record

    def __call__(self, trainer: TrainerLike) -> None:
        self._comm.agree("snapshot", trainer.updater.iteration)
        saving = DictionarySerializer()
        saving.save(trainer)
        own = {key: value for key, value in saving.target.items() if key not in ("elapsed_time", "random")}
        lines = [entry["iteration"] for entry in json.loads(str(own.pop("extensions/_Log/log")))]
        digests = self._comm.allgather_obj(_digest(own | {"lines": np.array(lines)}))
        self._record.snapshots[trainer.updater.iteration].add(tuple(digests))
        self._comm.barrier()


class _Witness(Extension):
    """Notes the parameters after each iteration, on each rank."""

    communicates = False
    priority = -1000

    def __init__(self, model: Any, record: Record, recovery: TrainerRecovery, leaving: dict[int, int]) -> None:
        self._model, self._record, self._recovery, self._leaving = model, record, recovery, leaving

    def __call__(self, trainer: TrainerLike) -> None:
        iteration = trainer.updater.iteration
        values = {path: param.array for path, param in sorted(self._model.namedparams())}
        self._record.parameters[iteration].add(_digest(values))
        self._record.values = {path: array.copy() for path, array in values.items()}
        comm = self._recovery.communicator
        if comm.rank >= self._leaving.get(iteration + 1, comm.size):
            comm.ask_to_leave()


class _TwoOptimizers(StandardUpdater):
    """Two optimizers, one after the other; the second sees what the first has done."""

    def update_core(self) -> None:
        batches, completed = self.take(1)
        arguments = self.converter(batches[0], self.device)
        for name in ("main", "second"):
            self.get_optimizer(name).update(self.loss_func, *arguments)
        for _ in range(completed):
            for optimizer in self.get_all_optimizers().values():
                optimizer.new_epoch(auto=True)


def _program(case: Case, record: Record, out: str) -> Callable[[SimulatedCommunicator], Any]:
    mode = MODES[case.mode]
    inputs = np.random.default_rng(0).standard_normal((EXAMPLES + 5, 3))
    examples = [(x, x[:1] * 2 - x[1:2], np.array(i)) for i, x in enumerate(inputs)]

    def program(comm: SimulatedCommunicator) -> Any:
        comm.set_config("allreduce_grad_dtype", mode.wire)
        return build_and_run(comm, lambda: build(comm), train)

    def train(trainer: Trainer) -> bool:
        trainer.run(show_loop_exception_msg=False)
        return trainer.complete

    def build(comm: SimulatedCommunicator) -> Trainer:
        random.seed(1)
        with using_config("dtype", np.dtype(np.float64)):
            model = _Model(mode, comm)
        iterator = SerialIterator(examples[:EXAMPLES], BATCH // mode.accumulate, communicator=comm, seed=2)
        taken: list[int] = []

        def convert(batch: Any, device: Any) -> tuple[Any, Any]:
            taken.extend(int(i) for _, _, i in batch)
            iteration = updater.iteration + 1
            record.used[iteration, comm.rank] = list(taken)
            x = np.array([x for x, _, _ in batch]).reshape(-1, 3)
            return x, np.array([t for _, t, _ in batch]).reshape(-1, 1)

        def optimizer(link: Any) -> Any:
            made = create_multi_node_optimizer(
                mode.optimizer(), comm, mode.double_buffering, overlap=mode.overlap, weighted=mode.accumulate == 1
            )
            made.setup(link)
            if mode.loss_scale:
                made.loss_scaling(initial=8.0)
            return made

        made: Any = {"main": optimizer(model.l1), "second": optimizer(model.l2)} if mode.two_optimizers else None
        updater: Updater
        if mode.two_optimizers:
            updater = _TwoOptimizers(iterator, made, converter=convert, loss_func=model)
        else:
            updater = StandardUpdater(iterator, optimizer(model), converter=convert, accumulate=mode.accumulate)
        before = updater.update

        def update() -> None:
            taken.clear()
            before()

        updater.update = update  # type: ignore[method-assign]  # of this one only
        trainer = Trainer(updater, (EPOCHS, "epoch"), out=out)
        trainer.reporter.add_observer("model", model)
        test = SerialIterator(
            [example[:2] for example in examples[EXAMPLES:]], 4, repeat=False, shuffle=False, communicator=comm
        )
        evaluator = Evaluator(test, model)
        trainer.extend(create_multi_node_evaluator(evaluator, comm))
        trainer.extend(_Log(record))
        trainer.extend(_Snapshot(comm, record))
        recovery = _Watched(comm, trainer, seed=3, check_every=2)
        recovery.record = record
        trainer.recovery = recovery
        trainer.extend(_Witness(model, record, recovery, dict(case.leaving)))
        return trainer

    return program


def run(case: Case) -> Record:
    """Run a case; return what was noted."""
    record = Record()
    with TemporaryDirectory(dir=_MEMORY if os.path.isdir(_MEMORY) else None) as out:
        record.outcome = simulate(
            _program(case, record, out),
            case.ranks,
            case.seed,
            case.faults,
            spares=case.spares,
            newcomers=case.newcomers,
            replace=case.replace,
        )
    return record


@lru_cache(maxsize=4096)
def undisturbed(mode: str, ranks: int, leaving: tuple[tuple[int, int], ...] = ()) -> Record:
    """The run to compare with: nobody dies; ranks leave before given iterations."""
    return run(Case(mode, 0, ranks, leaving=leaving))


@lru_cache
def points(mode: str, ranks: int) -> int:
    """How many communication points a rank has in a run without deaths."""
    outcome = undisturbed(mode, ranks).outcome
    assert outcome is not None
    return max(outcome.points.values())


def violations(case: Case, record: Record) -> list[str]:
    """The invariants that do not hold, in words; see the module."""
    outcome = record.outcome
    assert outcome is not None
    if outcome.problem is not None:
        return [f"termination: {outcome.problem}"]
    gone = {int(death.split()[1]) for death in outcome.deaths} | {f.process for f in case.faults if f.kind == "leave"}
    lost = gone.issuperset(range(case.ranks))
    found = [
        f"process {number} ended by {type(error).__name__}: {error}"
        for number, error in outcome.errors.items()
        if not (lost and "all ranks that had the state" in str(error))
    ]
    if found or (lost and not any(outcome.results.values())):
        return found
    if sorted(record.parameters) != list(range(1, ITERATIONS + 1)):
        return [f"iterations: {sorted(record.parameters)} were made, not 1 to {ITERATIONS}"]
    found += _same_everywhere(record) + _each_example_once(record) + _log_is_complete(record)
    return found or _same_as_undisturbed(case, record)


def _same_everywhere(record: Record) -> list[str]:
    found = []
    for iteration, digests in record.parameters.items():
        if len(digests) > 1:
            found.append(f"parameters: after iteration {iteration} ranks have {len(digests)} different ones")
    for iteration, tuples in record.snapshots.items():
        if any(len(set(digests)) > 1 for digests in tuples):
            found.append(f"snapshot: that of iteration {iteration} is not the same on all ranks: {tuples}")
    return found


def _each_example_once(record: Record) -> list[str]:
    found = []
    per_epoch = EXAMPLES // BATCH
    for epoch in range(EPOCHS):
        used: list[int] = []
        for iteration in range(epoch * per_epoch + 1, (epoch + 1) * per_epoch + 1):
            for rank in range(record.sizes.get(iteration, 0)):
                used += record.used.get((iteration, rank), [])
        if sorted(used) != list(range(EXAMPLES)):
            found.append(f"examples: epoch {epoch + 1} used {sorted(used)}, not each of {EXAMPLES} once")
    return found


def _log_is_complete(record: Record) -> list[str]:
    lines = [entry["iteration"] for entry in record.log]
    return [] if lines == list(range(1, ITERATIONS + 1)) else [f"log: its lines are of iterations {lines}"]


def _same_as_undisturbed(case: Case, record: Record) -> list[str]:
    sizes = [record.sizes[iteration] for iteration in range(1, ITERATIONS + 1)]
    falling = all(after <= before for before, after in zip([case.ranks, *sizes], sizes, strict=False))
    if falling:
        steps = zip(range(1, ITERATIONS + 1), [sizes[0], *sizes], sizes, strict=False)
        leaving = tuple((iteration, after) for iteration, before, after in steps if after < before)
        reference = undisturbed(case.mode, sizes[0], leaving)
        if reference.parameters != record.parameters:
            first = min(i for i in record.parameters if reference.parameters[i] != record.parameters[i])
            return [f"bit-identity: parameters differ from iteration {first} on; sizes of the group {sizes}"]
    elif case.mode in ("plain", "adam", "overlap", "synchronized_batch_normalization", "two_optimizers"):
        reference = undisturbed(case.mode, case.ranks)
        for path, array in reference.values.items():
            if not np.allclose(array, record.values[path], rtol=1e-6, atol=1e-9):
                return [f"parameters: {path} differs from the undisturbed run's by more than rounding"]
    else:
        return []
    return _same_log(record, reference)


def _same_log(record: Record, reference: Record) -> list[str]:
    for mine, other in zip(record.log, reference.log, strict=True):
        for key in (mine.keys() | other.keys()) - {"elapsed_time"}:
            if key not in mine or key not in other or not np.allclose(mine[key], other[key], rtol=1e-6, atol=1e-9):
                return [f"log: {key} of iteration {mine['iteration']} is {mine.get(key)}, not {other.get(key)}"]
    return []


def _digest(arrays: dict[str, Any]) -> int:
    found = 0
    for key in sorted(arrays):
        array: Any = np.ascontiguousarray(arrays[key])
        found = zlib.crc32(f"{key}{array.dtype}{array.shape}".encode(), found)
        found = zlib.crc32(array.reshape(-1).view(np.uint8), found)
    return found
