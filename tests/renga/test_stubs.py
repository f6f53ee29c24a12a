"""`renga stubs`: what type checkers and editors see is what there is."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from renga.cli.stubs import stubs

LION = {"lion_target": "class Lion:\n    alpha: float\n", "py": ""}
SOURCE = "@hookimpl\ndef renga_optimizers(): return [Provider('lion', 'lion_target:Lion', 1, 'x')]\n"


def test_those_in_the_tree_are_as_they_should_be(shell):
    outcome = shell.renga("stubs", "--shipped", "--check")
    assert (outcome.status, outcome.out) == (0, "All stubs are up to date.\n"), (
        "after a change of names, run: renga stubs --shipped"
    )


def test_each_is_python_that_gives_the_names_of_its_module():
    for path, text in stubs(shipped=True):
        there: dict[str, object] = {}
        exec(text, there)
        assert set(there["__all__"]) <= set(there), path


def test_a_broken_plugin_does_not_lose_its_names(shell):
    shell.install("lion", SOURCE, modules=LION)
    shell.renga("stubs", "--out", "typings")
    stub = shell.folder / "typings" / "renga" / "optimizers.pyi"
    before = stub.read_text()
    shell.install("lion", "def (\n", modules=LION)
    outcome = shell.renga("stubs", "--out", "typings")
    assert (outcome.status, stub.read_text()) == (1, before)
    assert "nothing written: plugin 'lion'" in outcome.err
    assert "RENGA_PLUGINS_DISABLE=lion" in outcome.err


def test_with_a_third_partys_names(shell):
    shell.install("lion", SOURCE, modules=LION)
    checked = shell.renga("stubs", "--check")
    assert (checked.status, checked.out.splitlines()[-1]) == (1, "1 would change: renga stubs")
    outcome = shell.renga("stubs", "--out", "typings")
    assert (outcome.status, outcome.err) == (0, "")
    written = (shell.folder / "typings" / "renga" / "optimizers.pyi").read_text()
    assert "from lion_target import Lion as Lion\n" in written
    assert '    "Lion",\n' in written
    again = shell.renga("stubs", "--out", "typings")
    assert again.out == "Nothing to write: all stubs are up to date.\n"
    assert "Lion" not in dict(stubs(shipped=True))["optimizers.pyi"]


def test_a_folder_that_cannot_be_written_to_says_so(shell):
    shell.write("typings", "a file")
    outcome = shell.renga("stubs", "--out", "typings")
    assert outcome.status == 1
    assert "cannot be written: Not a directory." in outcome.err


def test_mypy_sees_them(shell):
    pytest.importorskip("mypy")
    lines = [
        "import renga",
        "import renga.functions as F",
        "reveal_type(renga.optimizers.SGD(lr=0.1))",
        "F.relu(1, 2, 3, 4)",
        "renga.optimizers.Adm",
    ]
    shell.write("program.py", "\n".join(lines))
    root = Path(__file__).parents[2]
    sources = os.pathsep.join(map(str, [root, root / "core", *(root / "plugins").iterdir()]))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--no-incremental", "--follow-imports=silent", "program.py"],
        cwd=shell.folder,
        env={**shell.environment, "MYPYPATH": sources},
        capture_output=True,
        text=True,
        timeout=250,
    )
    assert 'program.py:3: note: Revealed type is "renga_optimizers.sgd.SGD"' in done.stdout, done.stdout
    assert 'program.py:4: error: Too many arguments for "relu"' in done.stdout, done.stdout
    assert 'program.py:5: error: Module has no attribute "Adm"' in done.stdout, done.stdout
