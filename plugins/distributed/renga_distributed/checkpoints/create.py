"""The checkpoints of a run of several processes under ChainerMN's names, and what they promise."""

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
    """Return an extension that saves the state of all ranks, so that a run that was killed can go on.

    ::

        checkpointer = create_multi_node_checkpointer("mnist", comm)
        trainer.extend(checkpointer, trigger=(25, "iteration"))
        checkpointer.maybe_load(trainer, optimizer)
        trainer.run()

    Each rank writes a file of its own, ``<name>.<rank>.<iteration>``, whole or not at all. These files together are a
    generation, which counts when all are written: rank 0's is written last. `maybe_load` takes the latest generation of
    which no file is missing or damaged, by SHA-256; a damaged one is skipped with a warning that names the file. Ranks
    on different hosts may each have a folder of their own.

    As many processes as wrote it go on bit for bit as if nothing had happened. **Another number** can go on, too, where
    all have the same model (data-parallel training); only rank 0 needs to see its file then. What becomes of the
    position in the data is said in `renga_distributed.checkpoints.world_size_change`: with iterators that share their
    batches (``SerialIterator(…, communicator=comm)``), no example is lost or repeated. Where each rank has another
    model, only as many processes as before can go on, and others are told so.

    When training has ended well, the files are removed. After an exception or Ctrl-C they stay.

    Args:
        name: Of the run: another run that uses the same folder has another name.
        comm: Connects the ranks.
        cp_interval: How many generations to keep.
        gc_interval: Look for generations to remove each time so many more have been written.
        path: The folder; the trainer's if None. What is not a trainer needs one, and is saved by
            ``checkpointer.save(obj, iteration)``.

    Raises:
        ValueError: `cp_interval` or `gc_interval` is less than 1.

    Source: ChainerMN's documentation, *Fault tolerance*. There, files are named alike and hold each rank's whole state;
    damage is not looked for, and only the same number of processes can go on.
    """
    if cp_interval < 1 or gc_interval < 1:
        raise ValueError(f"cp_interval and gc_interval must be at least 1, not {cp_interval} and {gc_interval}")
    literal = name.replace("{", "{{").replace("}", "}}")
    names = SnapshotNames(f"{literal}.0.{{iteration}}", f"{literal}.{{rank}}.{{iteration}}")
    return MultiNodeCheckpointer(names, comm, [Newest(cp_interval)], gc_interval, path)
