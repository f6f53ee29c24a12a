"""`SnapshotStore`: finds, loads, writes and removes the snapshots of a run in a folder."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from pathlib import Path

from renga_core.serializers import FileDamaged
from renga_serializers.atomic import atomic_path, remove_leftovers
from renga_training.snapshots.files import SnapshotFile
from renga_training.snapshots.names import ParsedName, SnapshotNames
from renga_training.snapshots.policy import Policy

__all__ = ["SnapshotStore"]


class SnapshotStore:
    """The snapshots with one name pattern in a folder, as seen by one rank.

    The newest snapshot has the largest iteration, according to its name or else its contents. File times are used only
    if nothing else is known: clocks may be set back, and folders copied from other machines.

    A snapshot of several processes consists of a file of rank 0 and a file of each other rank (a shard), with other
    names. Each rank removes its own files; rank 0 also those of ranks that no longer exist. So ranks may share a
    folder, or each use a folder on its own host.

    Args:
        folder: The folder. It need not exist before something is written.
        names: The names of the files.
        policies: A snapshot is kept if one of them keeps it. Without policies, all are kept.
        rank, size: Rank and number of processes; 0 and 1 for a single process.
    """

    def __init__(
        self,
        folder: str | os.PathLike[str],
        names: SnapshotNames,
        policies: Sequence[Policy] = (),
        *,
        rank: int = 0,
        size: int = 1,
    ) -> None:
        self.folder = Path(folder)
        self.names = names
        self.policies = tuple(policies)
        self.rank = rank
        self.size = size
        self._unusable: set[str] = set()

    # --- finding ------------------------------------------------------------------------------------------------------

    def find(self) -> list[SnapshotFile]:
        """Return the snapshots, newest first. A folder with such a name, which cannot be loaded, is included."""
        files = [SnapshotFile.at(path, parsed.progress) for path, parsed in self._scan() if parsed.rank == 0]
        return sorted(files, key=lambda file: (file.progress or (), file.modified), reverse=True)

    def shards(self) -> list[Path]:
        """Return the files of ranks other than 0, even if the snapshots no longer exist."""
        return [path for path, parsed in self._scan() if parsed.rank > 0]

    def path(self, iteration: int, rank: int = 0) -> Path:
        """Return the path of a rank's file for an iteration, whether or not it exists."""
        return self.folder / self.names.of_iteration(iteration, rank)

    def _scan(self) -> Iterator[tuple[Path, ParsedName]]:
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if parsed := self.names.parse(path.name):
                yield path, parsed

    # --- loading ------------------------------------------------------------------------------------------------------

    def load_newest(
        self, load: Callable[[Path], object], at_most: tuple[float, ...] | None = None
    ) -> SnapshotFile | None:
        """Load the newest undamaged snapshot, if there is any snapshot.

        Args:
            load: Loads a file completely, or raises `FileDamaged` or `OSError`.
            at_most: The largest progress (see `SnapshotFile`) to load, because other ranks cannot resume from later
                files; None: no limit.

        Returns:
            The loaded file; None if there is no snapshot.

        Raises:
            FileDamaged, OSError: All are damaged: the newest file's error. Notes list the others.
            Exception: Another error of `load`: for example, the newest undamaged snapshot is of another run.
        """
        files = self.find()
        if at_most is not None:
            self._unusable |= {file.path.name for file in files if file.progress and file.progress > at_most}
            files = [file for file in files if file.progress is not None and file.progress <= at_most]
        return self.load_first(files, load)

    def load_first(self, files: Iterable[SnapshotFile], load: Callable[[Path], object]) -> SnapshotFile | None:
        """Load the first undamaged one of these files; otherwise as `load_newest`. One warning lists the skipped files.

        From now on, damaged files do not count as snapshots to keep.
        """
        errors: list[FileDamaged | OSError] = []
        for file in files:
            try:
                load(file.path)
            except (FileDamaged, OSError) as error:
                errors.append(error)
                self._unusable.add(file.path.name)
                continue
            if errors and self.rank == 0:
                skipped = "; ".join(map(str, errors))
                warnings.warn(f"skipped a snapshot: {skipped}. Resuming from {file.path}", stacklevel=3)
            return file
        if errors:
            for other in errors[1:]:
                errors[0].add_note(str(other))
            raise errors[0]
        return None

    def remove_leftovers(self) -> None:
        """Remove unfinished files of killed processes."""
        remove_leftovers(self.folder)

    # --- writing ------------------------------------------------------------------------------------------------------

    def write(self, name: str, save: Callable[[Path], object]) -> Path:
        """Write a file and return its path. After an error, no partial file is left. Creates the folder if necessary.

        Args:
            name: Name of the file.
            save: Writes the file to the given path. Formats include a digest of the contents, by which loading finds
                damage.

        Raises:
            OSError: The file cannot be written; existing files are unchanged.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / name
        with atomic_path(path) as temporary:
            save(temporary)
        self._unusable.discard(name)
        return path

    # --- removing -----------------------------------------------------------------------------------------------------

    def remove_old(self, new: Path) -> None:
        """Remove snapshots that no policy keeps, for a single process. The file just written, `new`, stays."""
        if self.policies:
            self.keep_only(self.choose(new))

    def choose(self, new: Path) -> set[str]:
        """Return the names of the snapshots to keep: `new`, and those of it and earlier ones that policies choose.

        Snapshots of later iterations belong to a run that was not continued. They and damaged files do not take the
        place of good snapshots.
        """
        files = [file for file in self.find() if not file.path.is_dir()]
        now = next((file for file in files if file.path.name == new.name), None)
        if now is None or not self.policies:
            return {new.name, *(file.path.name for file in files)}
        if now.progress is None:
            _make_latest(now, files)
        earlier = [
            file
            for file in files
            if file is not now
            and file.path.name not in self._unusable
            and not (now.progress and file.progress and file.progress > now.progress)
        ]
        try:
            chosen = [file.path.name for policy in self.policies for file in policy.choose([now, *earlier])]
        except OSError as error:
            warnings.warn(f"no old snapshot is removed now, because one of them cannot be read: {error}", stacklevel=3)
            chosen = [file.path.name for file in files]
        return {new.name, *chosen}

    def keep_only(self, names: AbstractSet[str]) -> None:
        """Remove this rank's files, except for these snapshots, and remains of incomplete snapshots."""
        old = []
        for path, (rank, progress) in self._scan():
            is_own = rank == self.rank or (self.rank == 0 and rank >= self.size)
            snapshot = self.names.of_iteration(int(progress[0])) if rank > 0 else path.name
            if is_own and snapshot not in names and not path.is_dir():
                old.append(path.name)
        self.remove(old)

    def remove(self, names: Iterable[str]) -> None:
        """Remove files, if they exist."""
        for name in names:
            (self.folder / name).unlink(missing_ok=True)  # another program may have removed it
            self._unusable.discard(name)

    def remove_all(self) -> None:
        """Remove all files of snapshots that belong to this rank."""
        self.keep_only(set())


def _make_latest(new: SnapshotFile, others: Iterable[SnapshotFile]) -> None:
    """Set the time of a new file later than those of the others, for the case that only times are known."""
    latest = max((other.modified for other in others if other is not new), default=0)
    if new.modified <= latest:
        os.utime(new.path, ns=(latest + 1, latest + 1))
