"""The snapshots that a run leaves in a folder.

- `store`: `SnapshotStore`, which finds them, loads the newest that is whole, writes them, and removes what is not kept.
- `policy`: which are kept: `Newest`, `Best`, `OneEvery`; several together.
- `names`: `SnapshotNames`, what files are called, those of other ranks included.
- `files`: `SnapshotFile`, what a file says of the run.

Used by `extensions.snapshot`, and by the checkpoints of several processes (`renga_distributed`)::

    keep = [Newest(2), Best("validation/main/accuracy"), OneEvery(minutes=30)]
    trainer.extend(extensions.snapshot(keep=keep, autoload=True), trigger=(1, "epoch"))
"""

from renga_training.snapshots.files import SnapshotFile
from renga_training.snapshots.names import SnapshotNames, with_rank
from renga_training.snapshots.policy import Best, Newest, OneEvery, Policy
from renga_training.snapshots.store import SnapshotStore

__all__ = ["Best", "Newest", "OneEvery", "Policy", "SnapshotFile", "SnapshotNames", "SnapshotStore", "with_rank"]
