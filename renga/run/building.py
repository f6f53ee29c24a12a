"""Builds a trainer from the description of a run. Writes nothing until the trainer runs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from renga.datasets import SubDataset
from renga.distributed import (
    AllreducePersistent,
    MultiNodeCheckpointer,
    TrainerRecovery,
    create_multi_node_evaluator,
)
from renga.distributed.links import create_mnbn_model
from renga.iterators import SerialIterator
from renga.run.device import find_device
from renga.run.distributed import (
    PartsOfRanks,
    RankSynchronizer,
    batch_of_all,
    find_communicator,
    has_several,
    reseed_by_rank,
)
from renga.run.folder import SNAPSHOT_NAMES, RunFile, never
from renga.run.length import IntervalOrEnd, Length
from renga.run.optimizing import make_optimizers
from renga.run.part import Part
from renga.run.precision import Precision, numpy_dtype
from renga.run.run_file import RunDescription
from renga.run.run_parts import RunParts, find_parts
from renga.training import Task, Trainer
from renga.training.extensions import Snapshot
from renga.training.snapshots import Best, Newest, OneEvery, Policy
from renga.training.updaters import call
from renga_comm_base.resilience import ResilientBase
from renga_core import random
from renga_core.backend import Device, using_device
from renga_core.communicator import CommunicatorBase
from renga_core.configuration import using_config
from renga_core.dataset import Dataset
from renga_core.errors import RengaError
from renga_core.graph import no_backprop_mode
from renga_core.link import Link
from renga_core.settings import SettingsError
from renga_core.training import TrainerLike

__all__ = ["Training", "build", "known_to", "make_data", "make_model"]


@dataclass(frozen=True)
class Training:
    """A run that has been built.

    Attributes:
        description: The description it was built from.
        trainer: Runs it.
        task: The task that the model is trained for.
        model: The trained link: the network with its loss.
        optimizers: Optimizers by name; only ``"main"``, unless the task has several.
        train: Data to train on.
        test: Data to evaluate on.
        device: The device that computes.
        communicator: Connects the processes of the run.
        batch_size: Number of examples in an update, of all processes together.
        notes: A sentence for each part that was left out, with the reason.
    """

    description: RunDescription
    trainer: Trainer
    task: Task
    model: Link
    optimizers: Mapping[str, Any]
    train: Dataset
    test: Dataset
    device: Device
    communicator: CommunicatorBase
    batch_size: int
    notes: tuple[str, ...]


def build(run: RunDescription, *, resume: bool = False, communicator: CommunicatorBase | None = None) -> Training:
    """Make all parts that a description names, and test the model on two examples.

    All names and arguments are checked first. Building does not use the whole data set and writes nothing;
    ``build(run).trainer.run()`` does.

    If the communicator joins several processes, all of them build the run and compute a share of each batch; the result
    is the same as with one process. Only rank 0 has the extensions that print, draw and write. Parts with a parameter
    `communicator` get it: data sets, models, iterators and extensions. With a resilient communicator, the run continues
    when ranks die: see `renga_distributed.recovery`.

    Args:
        run: The description.
        resume: Continue from the newest snapshot in the run's folder when the trainer runs. The number of processes may
            differ from the one that wrote it.
        communicator: The result of `find_communicator` for this run; None: make it here.

    Raises:
        RengaPluginError: A name is unknown, ambiguous, or cannot be used.
        SettingsError: An argument is unknown, missing, or of the wrong type; a batch is larger than the data set, or
            smaller than the number of processes.
        RengaError: The training data or the test data are empty.
        Exception: A part raised it; a note names the part.
    """
    notes: list[str] = []
    parts = find_parts(run, notes)
    device = find_device(run, notes)
    comm = find_communicator(run) if communicator is None else communicator
    _check_batches(run, parts, comm)
    batch_size = batch_of_all(run, comm)
    random.seed(run.seed)
    with using_config("dtype", numpy_dtype(run.dtype)):
        task = parts.task.make()
        train, test = data = make_data(parts.data, task, comm, batch_size)
        task.preprocessing = getattr(data, "preprocessing", None)
        _check_sizes(train, test, parts, run, batch_size)
        converter = parts.converter.make()
        with using_device(device):
            model = task.target(make_model(parts.model, task, **_supplied(parts.model, comm)))
            model.to_device(device)
            _try(task, model, train, device, parts, converter)
    several = has_several(comm)
    if several and run.distributed.synchronized_batch_normalization:
        model = create_mnbn_model(model, comm)
    repeat = parts.iterator.arguments.get("repeat", True)
    uneven = batch_size % comm.size > 0 or not repeat
    optimizers = make_optimizers(parts, task.optimized(model), run, comm, weighted=uneven)
    order = {"shuffle": False} if not task.shuffle and "shuffle" not in parts.iterator.arguments else {}
    batches = parts.iterator.make(train, batch_size, **known_to(parts.iterator, comm, **order))
    _check_iterator(batches, run, parts, comm)
    first, last = comm.share(batch_size)
    optimizer = optimizers["main"] if [*optimizers] == ["main"] else optimizers
    known = known_to(parts.updater, comm, device=device, link=model)
    updater = parts.updater.make(batches, optimizer, converter=converter, **known)
    trainer = Trainer(updater, Length(run.epochs), out=run.out)
    trainer.reporter.add_observer("main", model)  # each optimizer's link may be a part of the model
    own_test = SubDataset(test, *comm.share(len(test))) if several else test
    test_batches = SerialIterator(own_test, last - first, repeat=False, shuffle=False)
    evaluator = parts.evaluator.make(
        test_batches,
        model,
        **known_to(parts.evaluator, comm, task=task, converter=converter, device=device, train=train),
    )
    evaluator = create_multi_node_evaluator(evaluator, comm) if several else evaluator
    trainer.extend(evaluator, trigger=run.evaluator_trigger)
    if isinstance(comm, ResilientBase):
        parts_of_ranks = PartsOfRanks(run, comm, batches, test_batches, test, optimizers, repeat)
        trainer.recovery = TrainerRecovery(
            comm,
            trainer,
            seed=run.seed,
            on_change=parts_of_ranks.follow,
            check_every=run.distributed.compare_every,
            replace_diverged=run.distributed.diverged == "replace",
        )
    elif several:
        synchronizer = RankSynchronizer(comm, last - first)
        trainer.agree_to_stop = synchronizer.agree
        # Stateless triggers, so that any number of processes can load a snapshot.
        trainer.extend(synchronizer, trigger=_always)
        trainer.extend(AllreducePersistent(model, comm), trigger=_at_the_end_of_an_epoch)
    for part, trigger in parts.extensions:
        known = known_to(part, comm, task=task, link=model, examples=test)
        _extend(trainer, part, trigger.make() if isinstance(trigger, Part) else trigger, comm, known)
    trainer.extend(Precision(run.dtype), trigger=never)
    if comm.rank == 0 or isinstance(comm, ResilientBase):
        trainer.extend(RunFile(run, task.preprocessing), trigger=never)
    trainer.extend(_make_snapshot(run, comm, resume), "snapshot", trigger=IntervalOrEnd(run.snapshot))
    reseed_by_rank(run, comm)
    return Training(run, trainer, task, model, optimizers, train, test, device, comm, batch_size, tuple(notes))


def make_data(part: Part, task: Task, comm: CommunicatorBase, batch_size: int) -> tuple[Dataset, Dataset]:
    """Make the data sets (train, test). If the run does not say whether targets are classes or numbers, the task does.
    Data sets whose order depends on the batches (text) get the batch size.
    """
    known = {"target_type": task.target_type, "batch_size": batch_size}
    said = {name: value for name, value in known.items() if name not in part.arguments}
    data: tuple[Dataset, Dataset] = part.make(**known_to(part, comm, **said))
    return data


def make_model(part: Part, task: Task, **supplied: Any) -> Link:
    """Make the network. If the run does not set the number of outputs (`n_out`), the data set may supply it."""
    outputs = getattr(task.preprocessing, "outputs", None)
    if outputs is not None and "n_out" in part.parameters and "n_out" not in part.arguments:
        supplied["n_out"] = outputs
    model: Link = part.make(**supplied)
    return model


def _supplied(part: Part, comm: CommunicatorBase) -> dict[str, Any]:
    """Arguments that the run supplies to a part, by parameter name."""
    supplied: dict[str, Any] = {"communicator": comm} if "communicator" in part.parameters else {}
    if has_several(comm) and "start_method" in part.parameters and "start_method" not in part.arguments:
        supplied["start_method"] = "forkserver"  # MPI does not support fork
    return supplied


def known_to(part: Part, comm: CommunicatorBase, **known: Any) -> dict[str, Any]:
    """`_supplied`, and values of the run itself that a part has parameters for."""
    return {**_supplied(part, comm), **{name: value for name, value in known.items() if name in part.parameters}}


def _extend(trainer: Trainer, part: Part, trigger: Any, comm: CommunicatorBase, supplied: dict[str, Any]) -> None:
    if trigger is not None and "trigger" in part.parameters:
        # The log collects values over an interval and writes at its end; the trainer must call it in each iteration.
        supplied["trigger"], trigger = trigger, None
    extension = part.make(**supplied)
    if comm.rank == 0 or isinstance(comm, ResilientBase) or getattr(extension, "on_every_rank", True):
        trainer.extend(extension, trigger=trigger)


def _always(trainer: TrainerLike) -> bool:
    return True


def _at_the_end_of_an_epoch(trainer: TrainerLike) -> bool:
    return trainer.updater.is_new_epoch


def _make_snapshot(run: RunDescription, comm: CommunicatorBase, resume: bool) -> Any:
    keep: list[Policy] = [Newest(run.keep_newest)]
    if run.keep_best is not None:
        keep.append(Best(run.keep_best))
    if run.keep_every_minutes > 0:
        keep.append(OneEvery(run.keep_every_minutes))
    if has_several(comm):
        return MultiNodeCheckpointer(SNAPSHOT_NAMES, comm, keep, gc_interval=1, keep_at_end=True, autoload=resume)
    return Snapshot(
        target=None,
        filename=SNAPSHOT_NAMES.filename,
        savefun=None,
        condition=lambda: True,
        snapshot_on_error=False,
        snapshot_on_interrupt=True,
        keep=keep,
        autoload=resume,
        shard=SNAPSHOT_NAMES.shard,
    )


def _check_batches(run: RunDescription, parts: RunParts, comm: CommunicatorBase) -> None:
    per_rank = run.distributed.batch_size_per_rank
    if isinstance(comm, ResilientBase) and per_rank and "batch_size" in parts.data.parameters:
        raise SettingsError(
            f"distributed.batch_size_per_rank (from {run.origin('distributed.batch_size_per_rank')}): the order of "
            f"{parts.data.label} depends on the size of a batch, which would change when ranks of communicator "
            "'resilient' die or join. Next: leave it out, so that data.batch_size counts the examples of all"
        )


def _check_sizes(train: Dataset, test: Dataset, parts: RunParts, run: RunDescription, batch_size: int) -> None:
    for examples, purpose in ((train, "train on"), (test, "test")):
        if len(examples) == 0:
            raise RengaError(f"{parts.data.label} has no examples to {purpose}")
    if batch_size > len(train):  # one batch would contain examples more than once
        of_all = "" if batch_size == run.batch_size else f", {batch_size} for all processes"
        raise SettingsError(
            f"data.batch_size (from {run.origin('data.batch_size')}) is {run.batch_size}{of_all}, "
            f"more than the {len(train)} examples to train on"
        )


def _check_iterator(batches: Any, run: RunDescription, parts: RunParts, comm: CommunicatorBase) -> None:
    if has_several(comm) and not getattr(batches, "shares_batches", False):
        raise RengaError(
            f"{parts.iterator.label} cannot train in {comm.size} processes: it has no parameter `communicator`, by "
            "which processes share its batches. Next: use iterator 'serial', 'multithread' or 'multiprocess'."
        )
    if run.epochs > 1 and not getattr(batches, "repeat", True):
        raise SettingsError(
            f"iterator.repeat (from {run.origin('iterator.repeat')}) is false: batches would end after the first of "
            f"{run.epochs} epochs. Leave it out, or set run.epochs to 1"
        )


def _try(
    task: Task, model: Link, train: Dataset, device: Device, parts: RunParts, converter: Callable[..., Any]
) -> None:
    """Compute the loss of two examples, to find mismatched parts early and to initialize parameters."""
    what = f"{parts.model.label}, tested on {parts.data.label}"
    with _noted(what), using_config("train", False), no_backprop_mode(), task.evaluating(model):
        call(model, converter([train[0], train[1 % len(train)]], device))


@contextmanager
def _noted(what: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        error.add_note(f"This was {what}, before training.")
        raise
