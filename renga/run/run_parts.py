"""Looks up and checks all the parts that a run names, before any of them is made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from renga.run.part import Part, find_part
from renga.run.run_file import Choice, ExtensionChoice, RunDescription
from renga_core.kinds import DATASET, EXTENSION, ITERATOR, MODEL, OPTIMIZER, OPTIMIZER_HOOK, TRIGGER
from renga_core.plugin import ProviderUnavailable, get_manager, registry

__all__ = ["RunParts", "find_parts"]


@dataclass(frozen=True)
class RunParts:
    """The parts of a run with their arguments. `task` is made already, because other parts depend on it."""

    task: Part
    model: Part
    data: Part
    optimizer: Part
    hooks: tuple[Part, ...]
    iterator: Part
    converter: Part
    updater: Part
    evaluator: Part
    extensions: tuple[tuple[Part, Any], ...]


def find_parts(run: RunDescription, notes: list[str]) -> RunParts:
    """Look up all parts that a run names, and check their arguments.

    Args:
        run: The run.
        notes: Gets a sentence for each extension that is left out.

    Raises:
        RengaPluginError: A name is unknown, ambiguous, or cannot be used.
        SettingsError: An argument is unknown, missing, or of the wrong type.
    """
    kind = get_manager().kind
    task = find_part(kind("task"), run.task, "task", run)
    converter = replace(run.converter, use=run.converter.use or _said_by(task, "converter"))
    evaluator = replace(run.evaluator, use=run.evaluator.use or _said_by(task, "evaluator"))
    updater = replace(run.updater, use=run.updater.use or _said_by(task, "updater"))
    return RunParts(
        task=task,
        model=find_part(MODEL, run.model, "model", run, supplied=["communicator"], known_later=["n_out"]),
        data=find_part(DATASET, run.data, "data", run, supplied=["communicator", "batch_size"]),
        optimizer=find_part(OPTIMIZER, run.optimizer, "optimizer", run),
        hooks=tuple(find_part(OPTIMIZER_HOOK, hook, f"hooks[{number}]", run) for number, hook in enumerate(run.hooks)),
        iterator=find_part(ITERATOR, run.iterator, "iterator", run, supplied=["dataset", "batch_size", "communicator"]),
        converter=find_part(kind("converter"), converter, "converter", run),
        updater=find_part(
            kind("updater"), updater, "updater", run, supplied=["iterator", "optimizer", "converter", "device", "link"]
        ),
        evaluator=find_part(
            kind("evaluator"),
            evaluator,
            "evaluator",
            run,
            supplied=["iterator", "target", "task", "converter", "device", "train", "communicator"],
        ),
        extensions=tuple(_find_extensions(run, notes)),
    )


def _said_by(task: Part, name: str) -> str:
    """The name of the converter, evaluator or updater that a task needs for its networks."""
    return str(getattr(task.target, name))


def _find_extensions(run: RunDescription, notes: list[str]) -> Iterator[tuple[Part, Any]]:
    for number, choice in enumerate(run.extensions):
        key = choice.key or f"extensions[{number}]"
        try:
            part = find_part(EXTENSION, choice, key, run, supplied=["communicator", "task", "link", "examples"])
        except ProviderUnavailable as error:
            if isinstance(choice.use, str):
                raise
            # A list is a preference: a run works without the extension.
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
