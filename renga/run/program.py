"""Programs with a TOML file of settings, read as `renga train` reads its run files."""

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
    """Call `main` with the settings in a TOML file: the end of a program.

        if __name__ == "__main__":
            run_program(main, Path(__file__).with_name("config.toml"))

    The program is then called as ``python program.py [FILE.toml] [--set KEY=VALUE ...]``: what another file and the
    command line say goes before what stands in the file at `path`. A wrong setting ends it with a message.

    Args:
        main: Its parameters are the settings; their annotations are the types.
        path: The file that holds them all, but for those with defaults.
        argv: The words of the command line; those that the program was called with if None.

    Raises:
        SystemExit: A setting or a word of the command line is wrong, or `main` has raised a `RengaError`.
    """
    parser = Parser(Path(path).parent.name or "program", inspect.getdoc(main) or "")
    parser.add_argument("file", nargs="?", metavar="FILE.toml", help="settings, above those that come with the program")
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
    """Return the arguments for `function` that TOML files hold, checked against its signature.

    Args:
        function: Its parameters are the settings; their annotations are the types.
        paths: Files; a later one goes before an earlier one.
        words: Settings as text, which go before all files.

    Raises:
        UnknownSetting: There is no parameter of this name.
        WrongType: A value has another type than the parameter's annotation says.
        SettingsError: A file cannot be read, or a parameter without default is in none.
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
