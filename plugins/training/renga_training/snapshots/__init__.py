"""The snapshots in a run's folder.

- `store`: `SnapshotStore`, which finds, loads, writes and removes snapshots.
- `policy`: which snapshots are kept: `Newest`, `Best`, `OneEvery`; several can be combined.
- `names`: `SnapshotNames`, the names of files, including those of other ranks.
- `files`: `SnapshotFile`, what a file says about the run.

Used by `extensions.snapshot`, and by the checkpoints of several processes (`renga_distributed`)::

    keep = [Newest(2), Best("validation/main/accuracy"), OneEvery(minutes=30)]
    trainer.extend(extensions.snapshot(keep=keep, autoload=True), trigger=(1, "epoch"))
"""

from renga_training.snapshots.files import SnapshotFile
from renga_training.snapshots.names import SnapshotNames, with_rank
from renga_training.snapshots.policy import Best, Newest, OneEvery, Policy
from renga_training.snapshots.store import SnapshotStore

__all__ = ["Best", "Newest", "OneEvery", "Policy", "SnapshotFile", "SnapshotNames", "SnapshotStore", "with_rank"]
