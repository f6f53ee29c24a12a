# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_training.snapshots.files import SnapshotFile as SnapshotFile
from renga_training.snapshots.names import SnapshotNames as SnapshotNames
from renga_training.snapshots.policy import Best as Best
from renga_training.snapshots.policy import Newest as Newest
from renga_training.snapshots.policy import OneEvery as OneEvery
from renga_training.snapshots.policy import Policy as Policy
from renga_training.snapshots.store import SnapshotStore as SnapshotStore

__all__ = [
    "Best",
    "Newest",
    "OneEvery",
    "Policy",
    "SnapshotFile",
    "SnapshotNames",
    "SnapshotStore",
]
