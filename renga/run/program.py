"""Programs that read their settings from a TOML file, in the same way as `renga train`."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from renga.cli.output import print_error
from renga.run.part import parameters_of
from renga_core.command_line import Parser, assignment
from renga_core.errors import RengaError
from renga_core.settings import SettingsError, UnknownSetting, WrongType, describe, fit, parse, read_toml

__all__ = ["read_arguments", "run_program"]


def run_program(main: Callable[..., object], path: str | Path, argv: Sequence[str] | None = None) -> None:
    """Call `main` with the settings of a TOML file. Use it at the end of a program.

        if __name__ == "__main__":
            run_program(main, Path(__file__).with_name("config.toml"))

    Call the program as ``python program.py [FILE.toml] [--set KEY=VALUE ...]``. Settings of the command line override
    those of FILE.toml, which override the file at `path`. A wrong setting ends the program with a message.

    Args:
        main: A function whose parameters are the settings; their annotations are the types.
        path: The file with all settings; settings with defaults may be missing.
        argv: Arguments of the command line; None: those of the process.

    Raises:
        SystemExit: A setting or an argument is wrong, or `main` has raised a `RengaError`.
    """
    parser = Parser(Path(path).parent.name or "program", inspect.getdoc(main) or "")
    parser.add_argument("file", nargs="?", metavar="FILE.toml", help="settings that override those of the program")
    parser.add_argument("--set", action="append", type=assignment, default=[], metavar="KEY=VALUE", help="one setting")
    try:
        words = parser.parse_all(sys.argv[1:] if argv is None else argv)
        main(**read_arguments(main, [path, *([words.file] if words.file else [])], dict(words.set)))
    except RengaError as error:
        print_error(error, with_traceback=False)
        raise SystemExit(getattr(error, "exit_status", 1)) from error


def read_arguments(
    function: Callable[..., object], paths: Sequence[str | Path], words: Mapping[str, str] | None = None
) -> dict[str, Any]:
    """Return arguments for `function` from TOML files, checked against its signature.

    Args:
        function: A function whose parameters are the settings; their annotations are the types.
        paths: Files; later files override earlier ones.
        words: Settings as text, which override all files.

    Raises:
        UnknownSetting: No parameter has this name.
        WrongType: A value's type differs from the annotation of the parameter.
        SettingsError: A file cannot be read, or no file sets a parameter without a default.
    """
    parameters = {parameter.name: parameter for parameter in parameters_of(function)}
    found: dict[str, Any] = {}
    said = [(key, value, str(path), fit) for path in paths for key, value in read_toml(path).items()]
    for key, value, origin, read in [*said, *((key, text, "--set", parse) for key, text in (words or {}).items())]:
        if key not in parameters:
            raise UnknownSetting(key, origin, parameters)
        annotation = parameters[key].annotation
        try:
            found[key] = read(value, annotation)
        except TypeError:
            raise WrongType(key, origin, describe(annotation), value) from None
    for name, parameter in parameters.items():
        if parameter.default is inspect.Parameter.empty and name not in found:
            raise SettingsError(f"{name} is missing (from {', '.join(map(str, paths))})")
    return found
