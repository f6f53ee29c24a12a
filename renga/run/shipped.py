"""The run files that Renga brings (`renga/runs/`), by name."""

from __future__ import annotations

from pathlib import Path

from renga_core.errors import did_you_mean
from renga_core.settings import InvalidFile

__all__ = ["DEFAULT_RUN", "find_run", "shipped_runs"]

FOLDER = Path(__file__).parent.parent / "runs"
DEFAULT_RUN = "lenet"


def shipped_runs() -> dict[str, Path]:
    """Return the run files in the package by name: the part of the file's name after the data set's."""
    return {path.stem.partition("_")[2] or path.stem: path for path in sorted(FOLDER.glob("*.toml"))}


def find_run(word: str) -> Path:
    """Return the run file that `word` means: a path if it looks like one or is one, else the name of a shipped run.

    Raises:
        InvalidFile: It is neither.
    """
    path = Path(word)
    if path.suffix == ".toml" or len(path.parts) > 1 or path.is_file():
        return path
    runs = shipped_runs()
    if word not in runs:
        raise InvalidFile(f"no run named '{word}'.{did_you_mean(word, runs)} Known: {', '.join(runs)}, or a TOML file.")
    return runs[word]
