"""Lines of text files."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Sequence
from typing import IO, Any

from renga_core.dataset import DatasetMixin

__all__ = ["TextDataset"]

Path = str | os.PathLike[str]
Option = str | None | Sequence[str | None]


class TextDataset(DatasetMixin):
    """The lines of a text file, or tuples of lines of several files. Each is read when it is requested.

    The positions of lines are determined once, at the start. It can be pickled, and used by several threads and
    processes. The files must not change.

    Args:
        paths: A file, for examples that are lines; or a list of files with the same number of lines, for tuples of
            lines. Lines keep their line ends.
        encoding, errors, newline: See `open`; for all files, or a list with one value for each.
        filter_func: Called with an example's lines; returns whether to keep it.

    Raises:
        ValueError: There is no file, the files have different numbers of lines, or a list of options has another
            length.
        UnicodeError: A file is not valid text in this encoding.
        OSError: A file does not exist.
    """

    def __init__(
        self,
        paths: Path | Sequence[Path],
        encoding: Option = None,
        errors: Option = None,
        newline: Option = None,
        filter_func: Callable[..., bool] | None = None,
    ) -> None:
        self._paths = [paths] if isinstance(paths, (str, os.PathLike)) else list(paths)
        if not self._paths:
            raise ValueError("a TextDataset needs at least one file")
        options = [self._for_each(*o) for o in (("encoding", encoding), ("errors", errors), ("newline", newline))]
        self._options = list(zip(*options, strict=True))
        self._opened: tuple[int, list[IO[str]]] | None = None
        self._closed = False
        self._lock = threading.Lock()
        self._starts = self._find_lines(filter_func)

    def __len__(self) -> int:
        return len(self._starts)

    def get_example(self, i: int) -> str | tuple[str, ...]:
        """Return line `i`, or the tuple of lines `i`."""
        starts = self._starts[i]
        with self._lock:
            lines = []
            for file, start in zip(self._files(), starts, strict=True):
                file.seek(start)
                lines.append(_read_line(file))
        return lines[0] if len(lines) == 1 else tuple(lines)

    def close(self) -> None:
        """Close the files. Reading a line raises ValueError then."""
        for file in () if self._opened is None else self._opened[1]:
            file.close()
        self._closed = True

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name not in ("_opened", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _opened=None, _closed=False, _lock=threading.Lock())

    def __del__(self) -> None:
        if hasattr(self, "_opened"):  # not if the arguments were invalid
            self.close()

    def _for_each(self, name: str, option: Option) -> list[str | None]:
        options = [option] * len(self._paths) if option is None or isinstance(option, str) else list(option)
        if len(options) != len(self._paths):
            raise ValueError(f"{name} has {len(options)} entries for {len(self._paths)} files")
        return options

    def _files(self) -> list[IO[str]]:
        """The files, opened by this process, because a forked process would share the file position."""
        if self._closed:
            raise ValueError(f"{', '.join(str(path) for path in self._paths)}: this TextDataset has been closed")
        if self._opened is None or self._opened[0] != os.getpid():
            files: list[IO[str]] = []
            self._opened = os.getpid(), files
            for path, (encoding, errors, newline) in zip(self._paths, self._options, strict=True):
                files.append(open(path, encoding=encoding, errors=errors, newline=newline))  # noqa: SIM115 - see close
        return self._opened[1]

    def _find_lines(self, keep: Callable[..., bool] | None) -> list[tuple[int, ...]]:
        """The positions of the lines that are kept, in each file."""
        files = self._files()
        starts = []
        number = 0
        while True:
            positions = tuple(file.tell() for file in files)
            lines = [_read_line(file) for file in files]
            if not all(lines):
                break
            number += 1
            if keep is None or keep(*lines):
                starts.append(positions)
        if any(lines):
            ended = [str(path) for path, line in zip(self._paths, lines, strict=True) if not line]
            raise ValueError(f"files have different numbers of lines: {', '.join(ended)} ends after {number}")
        return starts


def _read_line(file: IO[str]) -> str:
    try:
        return file.readline()
    except UnicodeError as error:
        error.add_note(f"This was in {file.name}.")
        raise
