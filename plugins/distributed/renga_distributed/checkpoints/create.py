"""Checkpoints of a run of several processes, under ChainerMN's names."""

from __future__ import annotations

import os

from renga_core.communicator import CommunicatorBase
from renga_distributed.checkpoints.checkpointer import MultiNodeCheckpointer
from renga_training.snapshots import Newest, SnapshotNames

__all__ = ["create_multi_node_checkpointer"]


def create_multi_node_checkpointer(
    name: str,
    comm: CommunicatorBase,
    cp_interval: int = 5,
    gc_interval: int = 5,
    path: str | os.PathLike[str] | None = None,
) -> MultiNodeCheckpointer:
    """Return an extension that saves the state of all ranks, so that a killed run can be resumed.

    ::

        checkpointer = create_multi_node_checkpointer("mnist", comm)
        trainer.extend(checkpointer, trigger=(25, "iteration"))
        checkpointer.maybe_load(trainer, optimizer)
        trainer.run()

    Each rank writes its own file, ``<name>.<rank>.<iteration>``, atomically. These files form a generation, which is
    valid when all are written: rank 0's file is written last. `maybe_load` loads the latest generation without a
    missing or damaged file, checked by SHA-256; a damaged file gives a warning with its name. Ranks on different hosts
    may use separate folders.

    The same number of processes resumes bit for bit as if nothing had happened. **Another number** can resume too, if
    all ranks have the same model (data-parallel training); then only rank 0 needs to see its file.
    `renga_distributed.checkpoints.world_size_change` describes the position in the data: with iterators that share
    their batches (``SerialIterator(…, communicator=comm)``), no example is lost or repeated. If ranks have different
    models, only the same number of processes can resume; otherwise an error explains it.

    When training ends normally, the files are removed. After an exception or Ctrl-C they remain.

    Args:
        name: Name of the run. Runs that share a folder need different names.
        comm: Connects the ranks.
        cp_interval: Number of generations to keep.
        gc_interval: Remove old generations after each of this number of writes.
        path: The folder; None: the trainer's folder. An object that is not a trainer needs it, and is saved by
            ``checkpointer.save(obj, iteration)``.

    Raises:
        ValueError: `cp_interval` or `gc_interval` is less than 1.

    Source: ChainerMN's documentation, *Fault tolerance*. There, files have the same names and contain each rank's whole
    state. Damage is not detected, and only the same number of processes can resume.
    """
    if cp_interval < 1 or gc_interval < 1:
        raise ValueError(f"cp_interval and gc_interval must be at least 1, not {cp_interval} and {gc_interval}")
    literal = name.replace("{", "{{").replace("}", "}}")
    names = SnapshotNames(f"{literal}.0.{{iteration}}", f"{literal}.{{rank}}.{{iteration}}")
    return MultiNodeCheckpointer(names, comm, [Newest(cp_interval)], gc_interval, path)
