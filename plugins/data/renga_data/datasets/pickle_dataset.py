"""Examples of any kind in one file, as pickles.

Opening such a file runs any code that it contains. Open only files from sources that you trust.
"""

from __future__ import annotations

import os
import pickle
import threading
from contextlib import ExitStack
from types import TracebackType
from typing import IO, Any, Self

from renga_core.dataset import DatasetMixin
from renga_serializers.atomic import atomic_write

__all__ = ["PickleDataset", "PickleDatasetWriter", "open_pickle_dataset", "open_pickle_dataset_writer"]


class PickleDataset(DatasetMixin):
    """Examples in a file written by a `PickleDatasetWriter`. Each is read when it is requested.

    .. warning:: A pickle is a program. Reading a file **runs the code in it**: open only files that you trust.

    Threads may share it. If it was opened by `open_pickle_dataset`, processes may share it too, and it can be pickled;
    otherwise that depends on `reader`.

    Args:
        reader: Seekable binary file. If it has a method ``after_fork``, this is called before its first use in a forked
            process.

    Raises:
        ValueError: The file is not seekable.
        pickle.UnpicklingError: The file has another format.
    """

    def __init__(self, reader: IO[bytes]) -> None:
        if not reader.seekable():
            raise ValueError("a PickleDataset needs a file that can be read from any position; this one is a stream")
        self._reader = reader
        self._owner = os.getpid()
        self._lock = threading.Lock()
        self._starts: list[int] = []
        end = reader.seek(0, os.SEEK_END)
        reader.seek(0)
        while (start := reader.tell()) < end:
            try:
                pickle.load(reader)
            except Exception as error:  # wrong bytes raise many types
                name = getattr(reader, "name", reader)
                raise pickle.UnpicklingError(
                    f"{name} is not a file of pickled examples, or ends within example {len(self._starts)}: "
                    f"{type(error).__name__}: {error}"
                ) from error
            self._starts.append(start)

    def __len__(self) -> int:
        return len(self._starts)

    def get_example(self, i: int) -> Any:
        """Return example `i`."""
        if self._owner != os.getpid():
            self._after_fork()
        with self._lock:
            self._reader.seek(self._starts[i])
            return pickle.load(self._reader)

    def _after_fork(self) -> None:
        """Make a new lock in a forked process: a thread that does not exist there may hold the old one."""
        self._owner, self._lock = os.getpid(), threading.Lock()
        if hasattr(self._reader, "after_fork"):
            self._reader.after_fork()

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_owner", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _owner=os.getpid(), _lock=threading.Lock())

    def close(self) -> None:
        """Close the file."""
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class PickleDatasetWriter:
    """Writes examples for a `PickleDataset`. A context manager, which closes the file.

    Args:
        writer: Open binary file.
        protocol: Protocol of pickle.
    """

    def __init__(self, writer: IO[bytes], protocol: int = pickle.HIGHEST_PROTOCOL) -> None:
        self._writer = writer
        self._protocol = protocol

    def write(self, x: Any) -> None:
        """Add an example."""
        pickle.dump(x, self._writer, self._protocol)

    def flush(self) -> None:
        """Flush what has been written to the operating system."""
        self._writer.flush()

    def close(self) -> None:
        """Close the file."""
        self._writer.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()


class _FilePickleDataset(PickleDataset):
    """A file with a path, which each process opens itself."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = os.fspath(path)
        reader = open(path, "rb")  # noqa: SIM115 - `close` closes it
        try:
            super().__init__(reader)
        except BaseException:
            reader.close()
            raise

    def _after_fork(self) -> None:
        # A forked process would share the file position.
        self.__setstate__(self.__getstate__())

    def __getstate__(self) -> dict[str, Any]:
        return {"_path": self._path, "_starts": self._starts}

    def __setstate__(self, state: dict[str, Any]) -> None:
        super().__setstate__({**state, "_reader": open(state["_path"], "rb")})  # noqa: SIM115 - as above


class _FilePickleDatasetWriter(PickleDatasetWriter):
    """A file with a path, which appears only after it has been closed."""

    def __init__(self, path: str | os.PathLike[str], protocol: int) -> None:
        self._file = ExitStack()
        super().__init__(self._file.enter_context(atomic_write(path)), protocol)

    def close(self) -> None:
        self._file.close()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._file.__exit__(kind, error, traceback)


def open_pickle_dataset(path: str | os.PathLike[str]) -> PickleDataset:
    """Open a file of pickled examples.

    .. warning:: A pickle is a program. Opening a file **runs the code in it**: open only files that you trust.

    Returns:
        The data set; a context manager, which closes the file.

    Raises:
        OSError: The file does not exist.
        pickle.UnpicklingError: The file was not written by a `PickleDatasetWriter`, or is incomplete.
    """
    return _FilePickleDataset(path)


def open_pickle_dataset_writer(
    path: str | os.PathLike[str], protocol: int = pickle.HIGHEST_PROTOCOL
) -> PickleDatasetWriter:
    """Create a file of pickled examples.

    Returns:
        The writer; a context manager. The file appears when the writer is closed. If the ``with`` block raises an
        error, an existing file stays unchanged.

    Raises:
        OSError: The file cannot be written.

    Example:
        >>> import tempfile
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     with open_pickle_dataset_writer(f"{folder}/data") as writer:
        ...         writer.write(("one", 1))
        ...         writer.write(("two", 2))
        ...     with open_pickle_dataset(f"{folder}/data") as dataset:
        ...         dataset[1]
        ('two', 2)
    """
    return _FilePickleDatasetWriter(path, protocol)
