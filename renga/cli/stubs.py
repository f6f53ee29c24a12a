"""`renga stubs`: write stubs of `renga.functions`, `renga.optimizers` …, with all names that plugins have in them.

These modules look up a name when a program first uses it, so type checkers and editors cannot see the names. A stub
beside each module (``functions.pyi``) imports every name from its source. Renga's own stubs contain the names that it
ships. After you install another plugin, this command adds the plugin's names.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Sequence
from pathlib import Path

import renga
from renga.view import VIEWS, View
from renga_core.command_line import Parser, word
from renga_core.errors import RengaError
from renga_core.plugin import get_manager

__all__ = ["run", "stubs"]

_HEAD = "# Written by `renga stubs`: the names of a lazy module, and where each comes from.\n\n"


def run(argv: Sequence[str]) -> int:
    """Run ``renga stubs [--check] [--shipped] [--out FOLDER]``; with ``--check``, exit status 1 if a stub would change.

    Raises:
        RengaError: A plugin is broken, or a stub cannot be written.
    """
    parser = Parser(
        "renga stubs",
        "Write stubs (.pyi) of renga.functions, renga.optimizers and so on, for type checkers and editors, with the "
        "names of all plugins that are installed. Run it after installing a plugin.",
    )
    parser.add_argument("--check", action="store_true", help="write nothing; list the stubs that are out of date")
    parser.add_argument("--shipped", action="store_true", help="include only the names that come with Renga")
    parser.add_argument(
        "--out", type=word, metavar="FOLDER", help="folder to write to (default: beside the modules of Renga)"
    )
    arguments = parser.parse_all(argv)
    _require_all_plugins()
    folder = Path(renga.__file__).parent if arguments.out is None else Path(arguments.out) / "renga"
    stale = 0
    for name, text in stubs(shipped=arguments.shipped):
        path = folder / name
        if path.is_file() and path.read_text(encoding="utf-8") == text:
            continue
        stale += 1
        print(path)
        if not arguments.check:
            _write(path, text)
    if arguments.check:
        print(f"{stale} would change: renga stubs" if stale else "All stubs are up to date.")
    else:
        print(f"{stale} written." if stale else "Nothing to write: all stubs are up to date.")
    return 1 if arguments.check and stale else 0


def _require_all_plugins() -> None:
    """Raise an error if a plugin is broken, because its names would be missing from the stubs."""
    for plugin in get_manager().plugins():
        if plugin.error is not None:
            raise RengaError(
                f"nothing written: {plugin} is {plugin.status}, so its names are unknown.\n"
                f"Next: repair it, or disable it: RENGA_PLUGINS_DISABLE={plugin.name}"
            )


def stubs(*, shipped: bool = False) -> Iterator[tuple[str, str]]:
    """For each public module, yield the path of its stub inside the package, and the stub's text.

    Args:
        shipped: Leave out names of third parties.
    """
    rest = ["renga"]
    while rest:
        module = importlib.import_module(rest.pop())
        view = VIEWS[module.__name__]
        rest += [f"{view.module}.{name}" for name in view.modules]
        inside = [*view.module.split(".")[1:], *(["__init__"] if hasattr(module, "__path__") else [])]
        yield "/".join(inside) + ".pyi", _stub(view, shipped)


def _stub(view: View, shipped: bool) -> str:
    homes = dict(view.own)
    for name, entry in view.public.usable().items():
        if entry.offer.plugin.shipped or not shipped:
            homes.setdefault(name, entry.target.partition(":")[0])
    imports = [f"from {home} import {name} as {name}\n" for name, home in homes.items()]
    imports += [f"from {view.module} import {name} as {name}\n" for name in view.modules]
    public = sorted({*homes, *(view.modules if "." in view.module else ())})
    version = "__version__: str\n" if view.module == "renga" else ""
    names = "".join(f'    "{name}",\n' for name in public)
    return f"{_HEAD}{''.join(sorted(imports))}\n{version}__all__ = [\n{names}]\n"


def _write(path: Path, text: str) -> None:
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    except OSError as error:
        raise RengaError(
            f"{path}: cannot be written: {error.strerror}.\n"
            "Next: renga stubs --out FOLDER, and tell your type checker of the folder (mypy_path, stubPath)"
        ) from None
