"""``renga port FILE | FOLDER … [--write]``."""

from __future__ import annotations

import difflib
import sys
import tokenize
from collections.abc import Iterator, Sequence
from pathlib import Path

from renga_core.command_line import Parser
from renga_core.errors import RengaError
from renga_serializers.atomic import atomic_write

__all__ = ["PortError", "run"]

_COLOURS = {"+": "\033[32m", "-": "\033[31m", "@": "\033[36m"}


class PortError(RengaError):
    """The command cannot run."""

    exit_status = 2


def run(argv: Sequence[str]) -> int:
    """Print the changes of the programs in `argv`, and what is left to do; with ``--write``, write them.

    Returns:
        0: everything was rewritten; 1: something is left to do by hand, or a file is not a Python program.

    Raises:
        PortError: libcst is not installed, a file does not exist, or there are no programs.
    """
    parser = Parser("renga port", "Rewrite programs for Chainer to Renga's own API. Prints the changes.")
    parser.add_argument("paths", nargs="+", metavar="FILE | FOLDER", help="a program, or a folder with programs")
    parser.add_argument("--write", action="store_true", help="write the changes into the files")
    arguments = parser.parse_all(argv)
    try:
        import libcst
    except ImportError as error:
        raise PortError("renga port needs libcst: pip install 'renga[port]'") from error
    files = [file for path in arguments.paths for file in _programs(Path(path))]
    if not files:
        raise PortError(f"renga port: there are no Python programs (.py) in {', '.join(arguments.paths)}")
    from renga_chainer.port.rewriting import port

    status = changed = 0
    told: list[str] = []
    for file in files:
        try:
            source, encoding = _read(file)
            ported = port(source)
        except (SyntaxError, UnicodeDecodeError, libcst.ParserSyntaxError) as error:
            reason = f"line {error.raw_line}: {error.message}" if isinstance(error, libcst.ParserSyntaxError) else error
            told.append(f"{file}: unchanged: not a valid Python 3 program ({reason})")
            status = 1
            continue
        _print_difference(file, source, ported.source)
        told += [f"{file}:{r.line}: {r.what}: {r.why}" for r in ported.notes]
        told += [f"{file}:{r.line}: TO DO: {r.what}: {r.why}: {r.todo}" for r in ported.left]
        status = 1 if ported.left else status
        if ported.source != source:
            changed += 1
            if arguments.write:
                with atomic_write(file) as out:
                    out.write(ported.source.encode(encoding))
    what = "rewritten" if arguments.write else "would be rewritten (--write does it)"
    print(*told, f"{changed} of {len(files)} files {what}", sep="\n", file=sys.stderr)
    return status


def _programs(path: Path) -> Iterator[Path]:
    """Return the file, or all programs in the folder and its subfolders, without hidden ones."""
    if path.is_dir():
        for file in sorted(path.rglob("*.py")):
            if not any(part.startswith(".") for part in file.relative_to(path).parts):
                yield file
    elif path.exists():
        yield path
    else:
        raise PortError(f"renga port: there is no file or folder {str(path)!r}")


def _read(file: Path) -> tuple[str, str]:
    """Read the program with its line ends, and its encoding.

    Raises:
        SyntaxError, UnicodeDecodeError: The declared encoding is wrong.
    """
    with file.open("rb") as stream:
        encoding, _ = tokenize.detect_encoding(stream.readline)
    return file.read_bytes().decode(encoding), encoding


def _print_difference(file: Path, before: str, after: str) -> None:
    colours = _COLOURS if sys.stdout.isatty() else {}
    lines = difflib.unified_diff(
        before.splitlines(keepends=True), after.splitlines(keepends=True), f"{file} (Chainer)", f"{file} (Renga)"
    )
    for line in lines:
        text = line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n"
        colour = colours.get(line[0], "")
        print(f"{colour}{text[:-1]}\033[0m" if colour else text[:-1])
