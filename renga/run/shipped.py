"""The run files that ship with Renga (`renga/shipped_runs/`), by name."""

from __future__ import annotations

from pathlib import Path

from renga_core.errors import did_you_mean
from renga_core.settings import InvalidFile, Setting, read_run_file

__all__ = ["DEFAULT_RUN", "read_run", "shipped_runs"]

FOLDER = Path(__file__).parent.parent / "shipped_runs"
DEFAULT_RUN = "lenet"


def shipped_runs() -> dict[str, Path]:
    """Return the run files that ship with Renga, by file name without a leading ``digits_``."""
    return {path.stem.removeprefix("digits_"): path for path in sorted(FOLDER.glob("*.toml"))}


def read_run(word: str) -> dict[str, Setting]:
    """Return the settings of a run file, given by path or by the name of a run that ships with Renga.

    Raises:
        SettingsError: There is no such file or name, the file cannot be read, or a key or type in it is wrong.
    """
    path = Path(word)
    if path.suffix == ".toml" or len(path.parts) > 1 or path.is_file():
        return _with_plugin_beside(read_run_file(path), path)
    runs = shipped_runs()
    if path.is_dir():
        raise InvalidFile(
            f"'{word}' is a folder. Next: give a run file (TOML), or the name of a run: {', '.join(runs)}."
        )
    if word not in runs:
        raise InvalidFile(f"no run named '{word}'.{did_you_mean(word, runs)} Known: {', '.join(runs)}, or a TOML file.")
    return read_run_file(runs[word], origin=f"run {word}")


def _with_plugin_beside(settings: dict[str, Setting], path: Path) -> dict[str, Setting]:
    """Return the settings; the path of the run's plugin is relative to the folder of the run file."""
    plugin = settings.get("run.plugin")
    if plugin is None or plugin.value is None:
        return settings
    return {**settings, plugin.key: plugin._replace(value=str(Path(path.parent, plugin.value).resolve()))}
