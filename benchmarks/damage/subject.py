"""The saved objects: a run whose state after each iteration is known in advance."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from renga.distributed import create_communicator, create_multi_node_checkpointer
from renga.serializers import load_hdf5, load_npz, load_safetensors, save_hdf5, save_npz, save_safetensors
from renga.training import Trainer, extensions
from renga_core.training import Updater

__all__ = ["FORMATS", "Format", "State", "Writer", "make", "run_until_killed", "saved_as", "writers"]


class Format(NamedTuple):
    """A file format: functions that save, load strictly, and load without `strict` if supported."""

    save: Callable[[Path, Any], object]
    load: Callable[[Path, Any], object]
    load_loosely: Callable[[Path, Any], object] | None


FORMATS = {
    "npz": Format(save_npz, load_npz, functools.partial(load_npz, strict=False)),
    "hdf5": Format(save_hdf5, load_hdf5, None),
    "safetensors": Format(save_safetensors, load_safetensors, functools.partial(load_safetensors, strict=False)),
}


class State:
    """Weights, a counter, a text and None: all are determined by the iteration.

    Args:
        rows: Number of rows of the weights.
    """

    def __init__(self, rows: int = 40) -> None:
        self.rows = rows
        self.set(0)

    def set(self, iteration: int) -> None:
        """Set the state after this iteration."""
        rng = np.random.default_rng(iteration)
        self.iteration = iteration
        self.W = rng.normal(size=(self.rows, 8)).astype(np.float32)
        self.b = rng.normal(size=8)
        self.text = f"after iteration {iteration}"
        self.nothing = None

    def serialize(self, serializer: Any) -> None:
        """Save or load the state."""
        self.iteration = serializer("iteration", self.iteration)
        layer = serializer["model"]
        for name in ("W", "b", "text", "nothing"):
            setattr(self, name, layer(name, getattr(self, name)))

    def is_right(self) -> bool:
        """Whether all values belong to the iteration of the counter."""
        return self == _state(self.iteration, self.rows)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, State) and all(
            np.array_equal(one, two) and type(one) is type(two)
            for one, two in zip(vars(self).values(), vars(other).values(), strict=True)
        )

    __hash__ = None  # type: ignore[assignment]  # it changes


def _state(iteration: int, rows: int) -> State:
    state = State(rows)
    state.set(iteration)
    return state


class _Counting(Updater):
    """An update sets the state of the next iteration."""

    previous_epoch_detail = 0.0
    is_new_epoch = False
    epoch = 0

    def __init__(self, rows: int) -> None:
        self.state = State(rows)

    @property  # nothing sets this property
    def iteration(self) -> int:  # type: ignore[override]  # derived: no setter
        return self.state.iteration

    @property
    def epoch_detail(self) -> float:  # type: ignore[override]  # derived: no setter
        return float(self.state.iteration)

    def connect_trainer(self, trainer: Any) -> None: ...

    def finalize(self) -> None: ...

    def get_optimizer(self, name: str) -> Any:
        raise KeyError(name)

    def get_all_optimizers(self) -> dict[str, Any]:
        return {}

    def update(self) -> None:
        self.state.set(self.state.iteration + 1)

    def serialize(self, serializer: Any) -> None:
        self.state.serialize(serializer)


Writer = Callable[[Trainer], Callable[[], object]]
"""Adds a saving extension to a trainer; returns a function that loads the latest state."""


def saved_as(name: str) -> Writer:
    """Snapshots in a format; two are kept."""

    def add(trainer: Trainer) -> Callable[[], object]:
        snapshot = extensions.snapshot(FORMATS[name].save, n_retains=2, autoload=True)
        trainer.extend(snapshot, trigger=(1, "iteration"))
        return functools.partial(snapshot.load_newest, trainer)

    return add


def checkpointed(trainer: Trainer) -> Callable[[], object]:
    """Checkpoints of a distributed run; two are kept."""
    saver = create_multi_node_checkpointer("run", create_communicator("single"), 2, 1)
    trainer.extend(saver, trigger=(1, "iteration"))
    return functools.partial(saver.maybe_load, trainer)


def writers() -> dict[str, Writer]:
    """All writers, by name."""
    return {**{name: saved_as(name) for name in FORMATS}, "checkpoint": checkpointed}


def make(out: Path, rows: int, writer: Writer) -> tuple[Trainer, State, Callable[[], object]]:
    """A trainer that saves after each iteration; its state; and a function that loads the latest state."""
    updater = _Counting(rows)
    trainer = Trainer(updater, None, out)
    return trainer, updater.state, writer(trainer)


def run_until_killed(out: Path, rows: int, writer: Writer, tell: Callable[[int], object]) -> None:
    """Continue the run for ever; report each iteration after it has been saved."""
    trainer, state, load = make(out, rows, writer)
    if writer is checkpointed:
        load()
    trainer.extend(lambda trainer: tell(state.iteration), name="tell", trigger=(1, "iteration"), priority=-1000)
    trainer.run()
