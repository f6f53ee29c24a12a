"""Install the faulty plugins, apply the kits to them, and write the table of what was refused and how.

``python tests/testing/suites/faulty_plugins.py`` writes docs/reference/conformance.md anew.
"""

from __future__ import annotations

import ast
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType

from renga_core.kinds import ARRAY_BACKEND
from renga_core.plugin import Kind, get_manager, registry
from renga_testing.fake_distribution import write_distribution

HERE = Path(__file__).parent
PAGE = HERE.parents[2] / "docs" / "reference" / "conformance.md"
KINDS = {kind.name: kind for kind in get_manager().kinds().values() if kind.suite}
RUN = """
import json, re
import pytest
from renga_testing.suites.outcome_counts import OutcomeCounts

tests, words = json.load(open("tests.json"))


class OnlyThese:
    @pytest.hookimpl(tryfirst=True)
    def pytest_pycollect_makeitem(self, collector, name):
        # What is not asked for is not collected: a kit has up to a thousand tests, and each is made for each plugin.
        wanted = isinstance(collector, pytest.Class) and tests[collector.name]
        return [] if wanted and name.startswith("test_") and name != wanted else None

    def pytest_collection_modifyitems(self, items):
        items[:] = [item for item in items if re.search(words[item.cls.__name__], item.name)]


counts = OutcomeCounts()
plain = ["--assert=plain", "--tb=native", "--basetemp=tmp", "-p", "no:cacheprovider", "-c", "/dev/null"]
pytest.main(["-q", *plain, "test_faulty.py"], plugins=[counts, OnlyThese()])
with open("outcome.json", "w") as file:
    json.dump({s.suite: [vars(o) for o in s.outcomes] for s in counts.summaries.values()}, file)
"""
KITS: dict[str, dict[str, object]] = {
    # Two ranks notice most of what is wrong.
    "communicator": {"sizes": (2,)},
    # What never ends, is given up sooner.
    "doctor_check": {"seconds": 5, "patience": 2},
    "launcher": {"seconds": 20},
}
"""What else a kit is given, by kind; a plugin may say more by its attribute `kit`."""
LIBRARIES = {"onnx_converter": "onnx"}
"""What a kit needs beside pytest, by kind."""
HEAD = """# What the conformance kits refuse

A kit is worth what it refuses. Each property that a kit tests is broken on purpose by a plugin in
`tests/testing/suites/faulty`, a real distribution that is installed for the test; the kit must refuse it, and say
what is wrong. This page is written by `python tests/testing/suites/faulty_plugins.py`, and a test compares it.
"""


@dataclass(frozen=True)
class Fault:
    """A plugin that is wrong in one way.

    Attributes:
        kind: Name of the kind, or ``plugin``.
        name: Of the class, or of the plugin.
        about: What is wrong with it.
        breaks: The test that must fail, maybe with one of its parameters; "" for one that is right in every way.
    """

    kind: str
    name: str
    about: str
    breaks: str

    @property
    def test_class(self) -> str:
        return f"Test_{self.kind}_{self.name}"

    @property
    def method(self) -> str:
        return self.breaks.partition("[")[0]

    @property
    def parameter(self) -> str:
        """A pattern for the names of the tests that must fail: with this parameter, or with any."""
        word = self.breaks.partition("[")[2].rstrip("]")
        return rf"\b{re.escape(word)}\b" if word else ""


def faults() -> list[Fault]:
    """All of them, by kind."""
    found = [Fault(kind, *row) for kind in KINDS for row in _classes(kind)]
    return found + [Fault("plugin", name, about, breaks) for name, (about, breaks, _) in _plugins().PLUGINS.items()]


def judge(kind: str, folder: Path) -> dict[Fault, list[dict[str, str]]]:
    """What the kit says of each faulty plugin of a kind: the outcomes of the test that it breaks.

    The plugins are installed into the folder, a site for each kind: a faulty backend would be taken for one more to
    test optimizers on. What has been found is kept there, and read if it is asked for again.
    """
    mine = [fault for fault in faults() if fault.kind == kind]
    found = folder / "outcome.json"
    if not found.exists():
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        _run(folder, _install_plugins(folder) if kind == "plugin" else _install(folder, KINDS[kind]), mine)
    outcomes = json.loads(found.read_text(encoding="utf-8"))
    return {fault: outcomes.get(fault.test_class, []) for fault in mine}


def _run(folder: Path, tests: str, mine: list[Fault]) -> None:
    """Apply the kits, to each plugin the test that it breaks; to one that breaks none, all."""
    file = folder / "test_faulty.py"
    file.write_text("from renga_testing.suites import *\n\n" + tests, encoding="utf-8")
    tests = {fault.test_class: fault.method for fault in mine}
    parameters = {fault.test_class: fault.parameter for fault in mine}
    (folder / "tests.json").write_text(json.dumps([tests, parameters]), encoding="utf-8")
    kept = "RENGA_NUMBA_CACHE"
    environment = {name: os.environ[name] for name in os.environ if not name.startswith("RENGA_") or name == kept}
    environment |= {"PYTHONPATH": str(folder / "site"), "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    environment["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
    # One backend: what is said of the others is no other thing, and they are not everywhere.
    others = {offer.plugin.name for offer, _ in registry(ARRAY_BACKEND).list()} - {"numpy"}
    environment["RENGA_PLUGINS_DISABLE"] = ",".join(sorted(others))
    done = subprocess.run(
        [sys.executable, "-c", RUN], cwd=folder, env=environment, capture_output=True, text=True, timeout=800
    )
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]


def message(fault: Fault, outcomes: list[dict[str, str]]) -> str:
    """What the kit says of a fault; "" if it did not notice."""
    said = [o["message"] for o in outcomes if o["result"] == "failed"]
    if not said:
        return ""
    # Neither addresses nor paths nor the last digits, which are not the same on every machine.
    plain = re.sub(r" at 0x[0-9a-f]+", "", said[0])
    plain = re.sub(r"[^ (]*/site/", "", plain)
    plain = re.sub(r"((Validation|Inference)Error: |be computed: ).*", r"\1…", plain)  # what versions of onnx say
    plain = re.sub(r"(in one of four threads: ).*", r"\1…", plain)  # which numbers, is chance
    return re.sub(r"-?\d+\.\d{4,}", lambda number: f"{float(number[0]):.3g}", plain)


def page(judged: dict[str, dict[Fault, list[dict[str, str]]]]) -> str:
    """The table of each kind, as a page."""
    lines = [HEAD]
    for kind, found in judged.items():
        lines += [f"## {kind}\n", "| property | plugin | is refused with |", "|---|---|---|"]
        for fault, outcomes in found.items():
            if fault.breaks:
                said = message(fault, outcomes).replace("|", "\\|").replace("<", "&lt;")
                prop = fault.breaks.removeprefix("test_").replace("_", " ")
                lines.append(f"| {prop} | {fault.name}: {fault.about} | {said} |")
        lines.append("")
    return "\n".join(lines)


def _plugins() -> ModuleType:
    spec = importlib.util.spec_from_file_location("faulty_plugin_sources", HERE / "faulty" / "plugin.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _sources(kind: str) -> dict[str, str]:
    """The sources of a kind's plugins by the names of their modules: of one file, or of a folder of several."""
    place = HERE / "faulty" / kind
    files = {f"faulty_{kind}.{file.stem}": file for file in sorted(place.glob("*.py"))}
    files = files or {f"faulty_{kind}": place.with_suffix(".py")}
    return {module: file.read_text(encoding="utf-8") for module, file in files.items()}


def _trees(kind: str) -> list[tuple[str, ast.ClassDef]]:
    """The classes of a kind that say what they break, each with its module. Nothing is imported."""
    nodes = [(module, node) for module, source in _sources(kind).items() for node in ast.parse(source).body]
    return [
        (module, node) for module, node in nodes if isinstance(node, ast.ClassDef) and "breaks" in _attributes(node)
    ]


def _attributes(node: ast.ClassDef) -> dict[str, ast.expr]:
    assigned = [part for part in node.body if isinstance(part, ast.Assign)]
    return {target.id: part.value for part in assigned for target in part.targets if isinstance(target, ast.Name)}


def _classes(kind: str) -> list[tuple[str, str, str]]:
    return [
        (node.name, ast.get_docstring(node) or "", ast.literal_eval(_attributes(node)["breaks"]))
        for _, node in _trees(kind)
    ]


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _install_plugins(folder: Path) -> str:
    """Install each plugin as a distribution of its own, and return their tests."""
    tests = []
    for name, (_, _, source) in _plugins().PLUGINS.items():
        target = f"faulty_{name}_target"
        thin = source.replace("{name}", name).replace("{target}", target)
        modules = {f"faulty_{name}_plugin": thin, target: _plugins().TARGET, "faulty_library": ""}
        points = {name: f"faulty_{name}_plugin"}
        write_distribution(folder / "site", f"faulty-{name}", modules=modules, entry_points=points)
        seconds = 0.3 if name == "hanging_probe" else 10
        tests.append(
            f"class Test_plugin_{name}(PluginSuite):\n    plugin = {name!r}\n    seconds_to_probe = {seconds}\n"
        )
    return "\n\n".join(tests)


def _install(folder: Path, kind: Kind[object]) -> str:
    """Install all faulty providers of a kind as one distribution, and return their tests."""
    distribution = f"faulty_{kind.name}"
    described = []
    for module, node in _trees(kind.name):
        given, methods = _attributes(node), {part.name for part in node.body if isinstance(part, ast.FunctionDef)}
        fields = {
            "name": _snake(node.name),
            "target": f"{module}:{ast.literal_eval(given['target']) if 'target' in given else node.name}",
            "revision": 1,
            "summary": "wrong on purpose",
            "capabilities": ast.literal_eval(given["declares"]) if "declares" in given else set(),
        }
        if "probe" in methods:
            fields["probe"] = f"{module}:{node.name}.probe"
        if kind.name == "file_format":
            named = f".{_snake(node.name)}"
            fields["suffixes"] = ast.literal_eval(given["suffixes"]) if "suffixes" in given else (named,)
        if kind.name == "kernel":
            operation = ast.literal_eval(given["op"]) if "op" in given else "max_pooling"
            fields |= {"op": operation, "backend": "numpy", "supports": f"{module}:{node.name}.supports"}
        if kind.name == "onnx_converter":
            for field, default in (("function", "Cubed"), ("call", "cubed")):
                fields[field] = ast.literal_eval(given[field]) if field in given else f"{module}:{default}"
        described.append(f"{kind.spec.__name__}({', '.join(f'{key}={value!r}' for key, value in fields.items())})")
    thin = (
        "from renga import hookimpl\n"
        f"from {kind.spec.__module__} import {kind.spec.__name__}\n\n\n"
        f"@hookimpl\ndef {kind.hook}():\n    return [{', '.join(described)}]\n"
    )
    write_distribution(
        folder / "site",
        distribution.replace("_", "-"),
        modules={**_sources(kind.name), f"{distribution}_plugin": thin},
        entry_points={distribution: f"{distribution}_plugin"},
    )
    return "\n\n".join(_test(kind, module, node) for module, node in _trees(kind.name))


def _test(kind: Kind[object], module: str, node: ast.ClassDef) -> str:
    """The three lines of an author; and what else the kit of this kind takes."""
    suite = kind.suite.partition(":")[2]
    text = f"class Test_{kind.name}_{node.name}({suite}):\n    provider = 'faulty_{kind.name}:{_snake(node.name)}'\n"
    kit = _attributes(node).get("kit")
    for name, value in {**KITS.get(kind.name, {}), **(ast.literal_eval(kit) if kit else {})}.items():
        text += f"    {name} = {value!r}\n"
    if kind.name == "communicator":
        text += f"    from {module} import launch\n"
    if any(isinstance(part, ast.FunctionDef) and part.name == "reference" for part in node.body):
        text += f"    from {module} import {node.name} as faulty\n    reference = faulty.reference\n"
    return text


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as place:
        judged = {kind: judge(kind, Path(place, kind)) for kind in ("plugin", *KINDS)}
    PAGE.write_text(page(judged), encoding="utf-8")
