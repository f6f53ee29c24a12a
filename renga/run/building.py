"""From a description to a trainer that is ready to run. Until it runs, nothing is written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from renga.run.description import Choice, ExtensionChoice, RunDescription
from renga.run.device import find_device
from renga.run.distributed import Together, batch_of_all, find_communicator, own_numbers
from renga.run.folder import PARTS, RunFile, SnapshotAlone, never
from renga.run.length import Length
from renga.run.parts import Part, find_part
from renga.run.precision import INITIAL_LOSS_SCALE, Precision
from renga_core import random
from renga_core.backend import Device, using_device
from renga_core.communicator import CommunicatorBase
from renga_core.configuration import using_config
from renga_core.dataset import Dataset
from renga_core.errors import RengaError
from renga_core.graph import no_backprop_mode
from renga_core.link import Link
from renga_core.optimizer import GradientMethod, Optimizer
from renga_core.plugin import (
    DATASET,
    EXTENSION,
    ITERATOR,
    LINK,
    MODEL,
    OPTIMIZER,
    OPTIMIZER_HOOK,
    TRIGGER,
    ProviderUnavailable,
    registry,
)
from renga_core.settings import SettingsError
from renga_core.training import TrainerLike
from renga_data.convert import concat_examples
from renga_data.datasets import SubDataset
from renga_data.iterators import SerialIterator
from renga_distributed.checkpoints import MultiNodeCheckpointer
from renga_distributed.extensions import AllreducePersistent, create_multi_node_evaluator
from renga_distributed.links import create_mnbn_model
from renga_distributed.optimizers import create_multi_node_optimizer
from renga_training import Trainer
from renga_training.extensions import Evaluator
from renga_training.updaters import StandardUpdater

__all__ = ["Training", "build"]

_KEPT_SNAPSHOTS = 2  # the newest, and the one before it in case the newest is damaged


@dataclass(frozen=True)
class Training:
    """A run that has been built.

    Attributes:
        description: Of what it was built.
        trainer: Runs it.
        model: The classifier: the described model, and its loss and accuracy.
        optimizer: Trains it.
        train: Data to train on.
        test: Data to evaluate on.
        device: Where it computes.
        communicator: Connects the processes that train it.
        batch_size: How many examples an update takes, those of all processes together.
        notes: What was left out, and why, in a sentence each.
    """

    description: RunDescription
    trainer: Trainer
    model: Link
    optimizer: Optimizer
    train: Dataset
    test: Dataset
    device: Device
    communicator: CommunicatorBase
    batch_size: int
    notes: tuple[str, ...]


@dataclass(frozen=True)
class _Parts:
    model: Part
    classifier: Callable[..., Link]
    data: Part
    optimizer: Part
    hooks: tuple[Part, ...]
    iterator: Part
    extensions: tuple[tuple[Part, Any], ...]


def build(run: RunDescription, *, resume: bool = False, communicator: CommunicatorBase | None = None) -> Training:
    """Make everything that a description names, and try the model on two examples.

    All names and arguments are checked before anything is made. Nothing is computed on all data and nothing is written:
    ``build(run).trainer.run()`` does.

    Where the communicator joins several processes, all of them build the run, each computes its share of each batch,
    and together they train as one process would. Only rank 0 has the extensions that print, draw and write. Parts with
    a parameter `communicator` get it: data sets, models, iterators and extensions.

    Args:
        run: What to build.
        resume: Go on from the newest snapshot in the folder of the run when the trainer runs, with as many processes
            as wrote it or others.
        communicator: What `find_communicator` has made for this run; None to make it here.

    Raises:
        RengaPluginError: A name is unknown, ambiguous, or cannot be used.
        SettingsError: An argument is unknown, missing, or of a wrong type; a batch is larger than the data set, or
            smaller than the number of processes.
        RengaError: There is no example to train on, or none to test.
        Exception: What the parts themselves raise; a note says which part it was.
    """
    notes: list[str] = []
    parts = _find_parts(run, notes)
    device = find_device(run, notes)
    comm = find_communicator(run) if communicator is None else communicator
    batch_size = batch_of_all(run, comm)
    random.seed(run.seed)
    with using_config("dtype", np.dtype(run.dtype)):
        train, test = parts.data.make(**_supplied(parts.data, comm))
        _check_sizes(train, test, parts, run, batch_size)
        with using_device(device):
            model = parts.classifier(parts.model.make(**_supplied(parts.model, comm)))
            model.to_device(device)
            _try(model, train, device, parts)
    if comm.size > 1 and run.distributed.synchronized_batch_normalization:
        model = create_mnbn_model(model, comm)
    uneven = batch_size % comm.size > 0 or not parts.iterator.arguments.get("repeat", True)
    optimizer = _make_optimizer(parts, model, run, comm, weighted=uneven)
    for hook in parts.hooks:
        optimizer.add_hook(hook.make())
    batches = parts.iterator.make(train, batch_size, **_supplied(parts.iterator, comm))
    _check_iterator(batches, run, parts, comm)
    first, last = comm.share(batch_size)
    updater = StandardUpdater(batches, optimizer, device=device)
    trainer = Trainer(updater, Length(run.epochs), out=run.out)
    own_test = SubDataset(test, *comm.share(len(test))) if comm.size > 1 else test
    evaluator = Evaluator(SerialIterator(own_test, last - first, repeat=False, shuffle=False), model, device=device)
    trainer.extend(create_multi_node_evaluator(evaluator, comm) if comm.size > 1 else evaluator)
    if comm.size > 1:
        together = Together(comm, last - first)
        trainer.agree_to_stop = together.agree
        # Triggers without a state: another number of processes, one included, can load a snapshot.
        trainer.extend(together, trigger=_always)
        trainer.extend(AllreducePersistent(model, comm), trigger=_at_the_end_of_an_epoch)
    for part, trigger in parts.extensions:
        _extend(trainer, part, trigger.make() if isinstance(trigger, Part) else trigger, comm)
    trainer.extend(Precision(run.dtype), trigger=never)
    if comm.rank == 0:
        trainer.extend(RunFile(run), trigger=never)
    trainer.extend(_make_snapshot(comm, resume), "snapshot", trigger=run.snapshot)
    own_numbers(run, comm)
    return Training(run, trainer, model, optimizer, train, test, device, comm, batch_size, tuple(notes))


def _find_parts(run: RunDescription, notes: list[str]) -> _Parts:
    return _Parts(
        model=find_part(MODEL, run.model, "model", run, supplied=["communicator"]),
        classifier=registry(LINK).load("classifier", origin="what every run needs"),
        data=find_part(DATASET, run.data, "data", run, supplied=["communicator"]),
        optimizer=find_part(OPTIMIZER, run.optimizer, "optimizer", run),
        hooks=tuple(find_part(OPTIMIZER_HOOK, hook, f"hooks[{number}]", run) for number, hook in enumerate(run.hooks)),
        iterator=find_part(ITERATOR, run.iterator, "iterator", run, supplied=["dataset", "batch_size", "communicator"]),
        extensions=tuple(_find_extensions(run, notes)),
    )


def _find_extensions(run: RunDescription, notes: list[str]) -> Iterator[tuple[Part, Any]]:
    for number, choice in enumerate(run.extensions):
        key = choice.key or f"extensions[{number}]"
        try:
            part = find_part(EXTENSION, choice, key, run, supplied=["communicator"])
        except ProviderUnavailable as error:
            if isinstance(choice.use, str):
                raise
            # A list wishes, and a run can do without.
            notes.append(_left_out(choice, error))
            continue
        trigger: Any = choice.trigger
        if isinstance(trigger, Choice):
            trigger = find_part(TRIGGER, trigger, f"{key}.trigger", run)
        yield part, trigger


def _left_out(choice: ExtensionChoice, error: ProviderUnavailable) -> str:
    statuses = {offer.name: offer.status for offer, _ in registry(EXTENSION).list()}
    known = [statuses[name] for name in choice.use if name in statuses]
    why = f"{known[0].reason}; {known[0].next_step}" if known else str(error)
    return f"without {' or '.join(choice.use)}: {why}"


def _supplied(part: Part, comm: CommunicatorBase) -> dict[str, Any]:
    """What a part asks of the run by the names of its parameters."""
    supplied: dict[str, Any] = {"communicator": comm} if "communicator" in part.parameters else {}
    if comm.size > 1 and "start_method" in part.parameters and "start_method" not in part.arguments:
        supplied["start_method"] = "forkserver"  # MPI does not bear being forked
    return supplied


def _extend(trainer: Trainer, part: Part, trigger: Any, comm: CommunicatorBase) -> None:
    supplied = _supplied(part, comm)
    if trigger is not None and "trigger" in part.parameters:
        # It collects over an interval, and this is the interval: the trainer calls it in each iteration.
        supplied["trigger"], trigger = trigger, None
    extension = part.make(**supplied)
    if comm.rank == 0 or getattr(extension, "on_every_rank", True):
        trainer.extend(extension, trigger=trigger)


def _always(trainer: TrainerLike) -> bool:
    return True


def _at_the_end_of_an_epoch(trainer: TrainerLike) -> bool:
    return trainer.updater.is_new_epoch


def _make_snapshot(comm: CommunicatorBase, resume: bool) -> Any:
    if comm.size == 1:
        return SnapshotAlone(_KEPT_SNAPSHOTS, resume)
    return MultiNodeCheckpointer(PARTS, comm, _KEPT_SNAPSHOTS, gc_interval=1, keep=True, autoload=resume)


def _make_optimizer(parts: _Parts, model: Link, run: RunDescription, comm: CommunicatorBase, weighted: bool) -> Any:
    optimizer = parts.optimizer.make()
    if run.dtype == "float16" and isinstance(optimizer, GradientMethod):
        optimizer.use_fp32_update()
    how = run.distributed
    if comm.size > 1 or how.double_buffering:
        if how.double_buffering and how.overlap:
            raise SettingsError(
                f"distributed.overlap (from {run.origin('distributed.overlap')}) and distributed.double_buffering "
                f"(from {run.origin('distributed.double_buffering')}): either hides communication; choose one"
            )
        optimizer = create_multi_node_optimizer(
            optimizer,
            comm,
            how.double_buffering,
            overlap=how.overlap,
            sharded=how.sharded,
            weighted=weighted and comm.size > 1,
        )
    optimizer.setup(model)
    if run.loss_scale == "dynamic":
        optimizer.loss_scaling(initial=INITIAL_LOSS_SCALE)
    elif run.loss_scale is not None:
        try:
            optimizer.set_loss_scale(run.loss_scale)
        except ValueError as error:
            raise SettingsError(f"run.loss_scale (from {run.origin('run.loss_scale')}): {error}") from error
    return optimizer


def _check_sizes(train: Dataset, test: Dataset, parts: _Parts, run: RunDescription, batch_size: int) -> None:
    for examples, purpose in ((train, "train on"), (test, "test")):
        if len(examples) == 0:
            raise RengaError(f"{parts.data.label} has no examples to {purpose}")
    if batch_size > len(train):  # it would go round and round the data within one batch
        of_all = "" if batch_size == run.batch_size else f", {batch_size} for all processes"
        raise SettingsError(
            f"data.batch_size (from {run.origin('data.batch_size')}) is {run.batch_size}{of_all}, "
            f"more than the {len(train)} examples to train on"
        )


def _check_iterator(batches: Any, run: RunDescription, parts: _Parts, comm: CommunicatorBase) -> None:
    if comm.size > 1 and not getattr(batches, "shares_batches", False):
        raise RengaError(
            f"{parts.iterator.label} cannot train in {comm.size} processes: it has no parameter `communicator`, by "
            "which they would share its batches. Next: use iterator 'serial', 'multithread' or 'multiprocess'."
        )
    if run.epochs > 1 and not getattr(batches, "repeat", True):
        raise SettingsError(
            f"iterator.repeat (from {run.origin('iterator.repeat')}) is false: batches would end after the first of "
            f"{run.epochs} epochs. Leave it out, or set run.epochs to 1"
        )


def _try(model: Link, train: Dataset, device: Device, parts: _Parts) -> None:
    """Compute the loss of two examples: what does not fit together shows now, and parameters get their shapes."""
    with using_config("train", False), no_backprop_mode(), _noted(f"{parts.model.label}, tried on {parts.data.label}"):
        model(*concat_examples([train[0], train[1 % len(train)]], device))


@contextmanager
def _noted(what: str) -> Iterator[None]:
    try:
        yield
    except Exception as error:
        error.add_note(f"This was {what}, before training.")
        raise
