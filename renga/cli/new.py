"""`renga new`: create a package with a new plugin, which installs and passes its conformance kit unchanged."""

from __future__ import annotations

import importlib.util
import keyword
import os
import re
import secrets
import shutil
from collections.abc import Sequence
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from string import Template
from typing import NamedTuple

from renga_core.command_line import Parser
from renga_core.errors import RengaError, did_you_mean
from renga_core.plugin import Registry, get_manager

__all__ = ["NewError", "run"]

NAME = re.compile(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*")


class NewError(RengaError):
    """The name cannot be used, or the folder exists; nothing was written."""

    exit_status = 2


class Sort(NamedTuple):
    """What differs between the templates of different kinds.

    Attributes:
        kind: Name of the kind in the registry.
        suite: Its conformance kit.
        fields: Further lines of the plugin's description, in which ``$name``, ``$package`` and ``$module`` are
            replaced.
        target: The attribute of the module; ``$cls`` stands for the name in the form of a class name.
        extras: Further extras of Renga that its tests need, such as ``,onnx``.
    """

    kind: str
    suite: str
    fields: str = ""
    target: str = "$cls"
    extras: str = ""


_BACKEND_CAPABILITIES = """
            capabilities=frozenset({"dlpack_zero_copy", "float16", "numpy_methods", "numpy_names", "views"}),"""

_OPTIMIZER_CAPABILITIES = """
            capabilities=frozenset({"reference"}),"""

_COMPILER_CAPABILITIES = """
            capabilities=frozenset({"same_bits"}),"""

_DATASET_CAPABILITIES = """
            capabilities=frozenset({"unshared"}),"""

_CALLED_FIELDS = """
            capabilities=frozenset({"empty"}),
            inputs="$package.$module:inputs","""

_FORMAT_SUFFIXES = """
            suffixes=(".$name",),"""

SORTS = {
    "backend": Sort("array_backend", "ArrayBackendSuite", _BACKEND_CAPABILITIES),
    "kernel": Sort("kernel", "KernelSuite"),
    "function": Sort("function", "FunctionSuite", _CALLED_FIELDS, "$name"),
    "function_hook": Sort("function_hook", "FunctionHookSuite"),
    "link": Sort("link", "LinkSuite", _CALLED_FIELDS),
    "communicator": Sort("communicator", "CommunicatorSuite"),
    "optimizer": Sort("optimizer", "OptimizerSuite", _OPTIMIZER_CAPABILITIES),
    "optimizer_hook": Sort("optimizer_hook", "OptimizerHookSuite"),
    "model": Sort("model", "ModelSuite"),
    "dataset": Sort("dataset", "DatasetSuite", _DATASET_CAPABILITIES, "get_$name"),
    "iterator": Sort("iterator", "IteratorSuite"),
    "task": Sort("task", "TaskSuite"),
    "converter": Sort("converter", "ConverterSuite"),
    "updater": Sort("updater", "UpdaterSuite"),
    "evaluator": Sort("evaluator", "EvaluatorSuite"),
    "extension": Sort("extension", "ExtensionSuite"),
    "file_format": Sort("file_format", "FileFormatSuite", _FORMAT_SUFFIXES),
    "compiler": Sort("compiler", "CompilerSuite", _COMPILER_CAPABILITIES),
    "onnx_converter": Sort("onnx_converter", "OnnxConverterSuite", extras=",onnx"),
    "command": Sort("command", "CommandSuite", target="run"),
    "trigger": Sort("trigger", "TriggerSuite"),
    "doctor_check": Sort("doctor_check", "DoctorCheckSuite", target="check"),
    "launcher": Sort("launcher", "LauncherSuite", target="launch"),
}
"""The templates, by the word for each on the command line."""


def run(argv: Sequence[str]) -> int:
    """Run ``renga new KIND NAME [--out DIR]``."""
    parser = Parser(
        "renga new", "Create a Python package with a new plugin. It works unchanged: install it, then put in your code."
    )
    parser.add_argument("kind", metavar="KIND", help=", ".join(SORTS))
    parser.add_argument("name", metavar="NAME", help="name by which users will choose it, in lower case: my-adam")
    parser.add_argument(
        "--out",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="create the folder renga-NAME in this folder (default: the current one)",
    )
    arguments = parser.parse_all(argv)
    arguments.kind = arguments.kind.replace("-", "_")
    if arguments.kind not in SORTS:
        near = did_you_mean(arguments.kind, SORTS)
        raise NewError(f"there is no template for '{arguments.kind}'.{near} Templates: {', '.join(SORTS)}.")
    words = _words(arguments.kind, arguments.name)
    folder = arguments.out / words["distribution"]
    _write(folder, _render(arguments.kind, words))
    article = "an" if arguments.kind[0] in "aeiou" else "a"
    print(f"Wrote {folder}: {article} {arguments.kind} that works; change it as you need.")
    print(f"Next: pip install -e '{folder}[test]' && renga check {words['registered']}:{words['name']}")
    return 0


def _words(kind: str, name: str) -> dict[str, str]:
    """The values for the placeholders of the templates.

    Raises:
        NewError: The name cannot be used.
    """
    if not NAME.fullmatch(name) or keyword.iskeyword(name) or name == "auto":
        raise NewError(
            f"'{name}' cannot be a name: use lower-case letters and digits, with - in between, as in my-adam"
        )
    plain = name.removeprefix("renga-").replace("-", "_")
    sort, package = SORTS[kind], f"renga_{plain}"
    if importlib.util.find_spec(package) is not None:
        raise NewError(f"'{name}' cannot be a name: a package {package} exists already. Choose another name.")
    for offer, _ in Registry(get_manager().kind(sort.kind), get_manager()).list():
        if offer.name == plain:
            raise NewError(f"'{name}' cannot be a name: {offer.plugin} offers {sort.kind} '{plain}'. Choose another.")
    cls = "".join(part.capitalize() for part in plain.split("_"))
    return {
        "kind": kind,
        "registered": sort.kind,
        "name": plain,
        "plugin": plain,
        "distribution": package.replace("_", "-"),
        "package": package,
        "module": kind,
        "cls": cls,
        "target": Template(sort.target).substitute(name=plain, cls=cls),
        "hook": get_manager().kind(sort.kind).hook,
        "suite": sort.suite,
        "extras": sort.extras,
        "fields": Template(sort.fields).substitute(name=plain, package=package, module=kind),
        "renga": version("renga"),
    }


def _render(kind: str, words: dict[str, str]) -> dict[str, str]:
    """The files of the distribution: path and text. A kind's own template replaces the common one."""
    templates = files("renga") / "templates"
    found = {entry.name: entry for where in ("common", kind) for entry in (templates / where).iterdir()}
    places = {"plugin.py": "src/{package}", "__init__.py": "src/{package}", f"{kind}.py": "src/{package}"}
    places["test_conformance.py"] = "tests"
    rendered = {f"src/{words['package']}/py.typed": ""}
    for name, entry in found.items():
        if name.endswith(".template"):
            name = name.removesuffix(".template")
            path = os.path.join(places.get(name, "").format(**words), name)
            rendered[path] = Template(entry.read_text(encoding="utf-8")).substitute(words)
    return rendered


def _write(folder: Path, texts: dict[str, str]) -> None:
    """Write all files, or none: write to a temporary folder, then rename it.

    Raises:
        NewError: The folder exists, or cannot be written.
    """
    if folder.exists() or folder.is_symlink():
        raise NewError(
            f"{folder} exists already and is not overwritten. Choose another name, or another folder with --out DIR."
        )
    temporary = folder.with_name(f".{folder.name}.{secrets.token_hex(4)}.tmp")
    try:
        for path, text in texts.items():
            (temporary / path).parent.mkdir(parents=True, exist_ok=True)
            (temporary / path).write_text(text, encoding="utf-8")
        temporary.rename(folder)
    except OSError as error:
        raise NewError(f"{folder}: cannot be written: {error.strerror or error}") from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)
