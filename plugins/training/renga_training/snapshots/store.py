"""The snapshots of one run in a folder: finding, loading, writing and removing them."""

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
    """The snapshots of one name in a folder, as one rank sees them.

    The newest is that of the latest iteration, as the name says it, or else the file. What the file system says does
    not count, unless there is nothing else: a clock may have been set back, and a folder copied from another machine.

    A snapshot of several processes is a file of rank 0 and, with other names, a file of each other rank: its shards.
    Each rank removes its own files; rank 0 also those of ranks that are no more. So ranks may share a folder, or each
    have one on its own host.

    Args:
        folder: The folder. It need not be there before something is written.
        names: What the files are called.
        policies: What to keep: all that one of them chooses. None given: everything.
        rank, size: Of the process; of one that is alone, 0 and 1.
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
        """Return the snapshots, the newest first; a folder of such a name, which cannot be loaded, is among them."""
        files = [SnapshotFile.at(path, parsed.progress) for path, parsed in self._scan() if parsed.rank == 0]
        return sorted(files, key=lambda file: (file.progress or (), file.modified), reverse=True)

    def shards(self) -> list[Path]:
        """Return the files that ranks other than 0 have added, to snapshots that need not be there any more."""
        return [path for path, parsed in self._scan() if parsed.rank > 0]

    def path(self, iteration: int, rank: int = 0) -> Path:
        """Return where a rank's file of an iteration is, or would be."""
        return self.folder / self.names.of_iteration(iteration, rank)

    def _scan(self) -> Iterator[tuple[Path, ParsedName]]:
        for path in self.folder.iterdir() if self.folder.is_dir() else ():
            if parsed := self.names.parse(path.name):
                yield path, parsed

    # --- loading ------------------------------------------------------------------------------------------------------

    def load_newest(
        self, load: Callable[[Path], object], at_most: tuple[float, ...] | None = None
    ) -> SnapshotFile | None:
        """Load the newest snapshot that is whole, if there is any snapshot.

        Args:
            load: Loads a file: all of it, or nothing, by `FileDamaged` or `OSError`.
            at_most: The progress (see `SnapshotFile`) beyond which files are left out, because other ranks cannot go on
                from them; None: all count.

        Returns:
            Which it is; None if there is none.

        Raises:
            FileDamaged, OSError: None is whole: the newest's error. Notes tell of the others.
            Exception: What else `load` raises: the newest that is whole is of another run, say.
        """
        files = self.find()
        if at_most is not None:
            self._unusable |= {file.path.name for file in files if file.progress and file.progress > at_most}
            files = [file for file in files if file.progress is not None and file.progress <= at_most]
        return self.load_first(files, load)

    def load_first(self, files: Iterable[SnapshotFile], load: Callable[[Path], object]) -> SnapshotFile | None:
        """Load the first of these that is whole; else as `load_newest`. Those before it are named in one warning.

        What is damaged is not counted among those to keep from now on.
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
                warnings.warn(f"skipped a snapshot: {skipped}. Going on from {file.path}", stacklevel=3)
            return file
        if errors:
            for other in errors[1:]:
                errors[0].add_note(str(other))
            raise errors[0]
        return None

    def remove_leftovers(self) -> None:
        """Remove what writers that were killed have left of unfinished files."""
        remove_leftovers(self.folder)

    # --- writing ------------------------------------------------------------------------------------------------------

    def write(self, name: str, save: Callable[[Path], object]) -> Path:
        """Write a file, whole or not at all; return where it is. The folder is made if need be.

        Args:
            name: Of the file.
            save: Writes it to the path that it is given. Formats put a digest of all that a file holds into it, by
                which loading finds damage.

        Raises:
            OSError: It cannot be written. A file of this name, and all others, are as they were.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        path = self.folder / name
        with atomic_path(path) as temporary:
            save(temporary)
        self._unusable.discard(name)
        return path

    # --- removing -----------------------------------------------------------------------------------------------------

    def remove_old(self, new: Path) -> None:
        """Remove what no policy keeps, in a process that is alone. What has just been written, `new`, stays."""
        if self.policies:
            self.keep_only(self.choose(new))

    def choose(self, new: Path) -> set[str]:
        """Return the names of the snapshots to keep: `new`, and what policies choose of it and of those before it.

        What is of a later iteration is of a run that this one did not go on from; it, and what was found damaged, is
        not kept in the place of what is whole.
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
            warnings.warn(f"no old snapshot is removed now, because one cannot be read: {error}", stacklevel=3)
            chosen = [file.path.name for file in files]
        return {new.name, *chosen}

    def keep_only(self, names: AbstractSet[str]) -> None:
        """Remove this rank's files of all snapshots but these, and what is left of those that were never whole."""
        old = []
        for path, (rank, progress) in self._scan():
            is_own = rank == self.rank or (self.rank == 0 and rank >= self.size)
            snapshot = self.names.of_iteration(int(progress[0])) if rank > 0 else path.name
            if is_own and snapshot not in names and not path.is_dir():
                old.append(path.name)
        self.remove(old)

    def remove(self, names: Iterable[str]) -> None:
        """Remove files, if they are there."""
        for name in names:
            (self.folder / name).unlink(missing_ok=True)  # two programs may write into one folder
            self._unusable.discard(name)

    def remove_all(self) -> None:
        """Remove all snapshots, as far as they are this rank's."""
        self.keep_only(set())


def _make_latest(new: SnapshotFile, others: Iterable[SnapshotFile]) -> None:
    """Have the time of a new file be later than that of others: where it is all there is, it shall be right."""
    latest = max((other.modified for other in others if other is not new), default=0)
    if new.modified <= latest:
        os.utime(new.path, ns=(latest + 1, latest + 1))
