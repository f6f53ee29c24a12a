"""The third party's backend, installed into an environment of its own: selected by name, tested, trained on."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from renga_core.testing.fake_distribution import write_distribution

pytestmark = pytest.mark.torch
pytest.importorskip("torch")
pytest.importorskip("array_api_compat")

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "examples" / "third_party" / "renga-backend-torch"
SCRIPT = ROOT / "docs" / "reference" / "functions_by_backend.py"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the distribution installed in it."""
    folder = tmp_path_factory.mktemp("backend_torch")
    copy = shutil.copytree(SOURCE, folder / "source")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps"]
    subprocess.run([*pip, "--target", str(folder / "site"), str(copy)], check=True, timeout=200)
    return folder / "site"


def run(*command: str | Path, cwd: Path, path: list[Path], timeout: float = 280) -> str:
    """What a command says, run where the folders in `path` are installed; warnings are errors."""
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(map(str, path)), "PYTHONWARNINGS": "error"}
    line = [sys.executable, *map(str, command)]
    done = subprocess.run(line, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def test_it_is_listed(site: Path, tmp_path: Path) -> None:
    said = run("-m", "renga", "plugins", "show", "torch", cwd=tmp_path, path=[site])
    assert "renga-backend-torch 1.0.0" in said
    assert re.search(r"array_backend +torch +ready", said)
    assert len(re.findall(r"kernel +\w+\.torch +ready", said)) == 5


def test_listing_does_not_import_pytorch(site: Path, tmp_path: Path) -> None:
    program = tmp_path / "listing.py"
    program.write_text(
        "import sys\n"
        "from renga_core.plugin import ARRAY_BACKEND, registry\n"
        "assert 'torch' in registry(ARRAY_BACKEND).names()\n"
        "assert 'torch' not in sys.modules\n"
    )
    run(program, cwd=tmp_path, path=[site])


def test_its_own_tests_pass(site: Path, tmp_path: Path) -> None:
    said = run("-m", "pytest", "-q", "-p", "no:cacheprovider", SOURCE / "tests", cwd=tmp_path, path=[site])
    assert re.search(r"array_backend 'torch': declared 5 .*, checked \d+, failed 0", said), said


@pytest.mark.parametrize(("program", "tolerance"), [("row_lstm", 1e-5), ("lenet", 0.1)])
def test_one_word_of_the_file_changes_the_backend(site: Path, tmp_path: Path, program: str, tolerance: float) -> None:
    """Losses agree; with ReLU only nearly, once a unit is within rounding of 0 (the distribution's README)."""
    text = (SOURCE / f"{program}.toml").read_text()
    losses = {}
    for backend in ("torch", "numpy"):
        folder = tmp_path / backend
        folder.mkdir()
        (folder / "run.toml").write_text(text.replace('backend = "torch"', f'backend = "{backend}"'))
        assert f"on {backend}\n" in run("-m", "renga", "train", "run.toml", cwd=folder, path=[site])
        log = [json.loads(line) for line in (folder / "result" / "log.jsonl").read_text().splitlines()]
        losses[backend] = [entry["main/loss"] for entry in log]
        assert log[-1]["validation/main/accuracy"] > 0.85
    np.testing.assert_allclose(losses["torch"], losses["numpy"], rtol=tolerance)


@pytest.mark.slow
def test_the_suites_of_all_functions_pass_on_it(site: Path, tmp_path: Path) -> None:
    """No test is edited. The page in the documentation knows the same functions and backends."""
    page = tmp_path / "page.md"
    run(SCRIPT, "--output", page, cwd=tmp_path, path=[site])
    assert "failed" not in page.read_text()
    assert _rows(page) == _rows(SCRIPT.with_name("functions-by-backend.md"))


STRICT = """
    import sys

    import array_api_strict
    from renga import Provider, hookimpl
    from renga_core.backend.standard import StandardArray, StandardBackend, StandardNamespace

    from renga_core.testing.suites import array_names as names

    METHODS = {*names.ATTRIBUTES, *names.METHODS}
    FUNCTIONS = {*names.ELEMENTWISE, *names.STANDARD, *names.BEYOND, *names.CONSTANTS, *names.DTYPES, "linalg"}


    def expect(name, documented):
        module = sys._getframe(2).f_globals.get("__name__", "")
        beside = ("renga_core.backend.standard", "renga_core.testing.suites")
        by_renga = module.startswith("renga") and not module.startswith(beside)
        if by_renga and name not in documented and not name.startswith("_"):
            raise AssertionError(f"{module} asks for {name!r}, which is not documented")


    class StrictArray(StandardArray, library=array_api_strict):
        __slots__ = ()

        def __getattribute__(self, name):
            found = super().__getattribute__(name)
            expect(name, METHODS)
            return found


    class StrictNamespace(StandardNamespace):
        def __getattribute__(self, name):
            found = super().__getattribute__(name)
            expect(name, FUNCTIONS)
            return found


    def make():
        backend = StandardBackend("strict", StrictArray)
        backend.xp = StrictNamespace(StrictArray)
        return backend


    @hookimpl
    def renga_array_backends():
        can = {"numpy_methods", "numpy_names", "views"}
        return [Provider("strict", "strict:make", 1, "the standard", needs=("strict",), capabilities=can)]
"""


@pytest.mark.slow
def test_renga_asks_for_no_more_than_is_documented(site: Path, tmp_path: Path) -> None:
    """On array-api-strict, which has the standard and nothing else, all functions pass their tests and networks learn.

    It is spelled as Renga's code wants it by the classes in `standard`, which know no library. Here these refuse each
    name that is asked for by Renga and is not in docs/reference/array-subset.md.
    """
    pytest.importorskip("array_api_strict")
    both = [site, tmp_path / "site"]
    write_distribution(both[1], "renga-strict", modules={"strict": STRICT}, entry_points={"strict": "strict"})
    kit = tmp_path / "test_strict.py"
    kit.write_text(
        "from renga_core.testing.suites import ArrayBackendSuite\n\n\n"
        "class TestStrict(ArrayBackendSuite):\n    provider = 'strict'\n"
    )
    options = ("-m", "pytest", "-q", "-p", "no:cacheprovider")
    said = run(*options, kit, cwd=tmp_path, path=both)
    assert re.search(r"array_backend 'strict': declared 3 .*, checked \d+, failed 0", said), said
    said = run(*options, ROOT / "tests" / "nn" / "functions", "-k", "strict", cwd=ROOT, path=both)
    assert int(re.findall(r"(\d+) passed", said)[-1]) > 3000
    for program in ("lenet", "row_lstm"):
        learn = ("-m", "renga", "train", SOURCE / f"{program}.toml", "--backend", "strict", "--out", program)
        assert "on strict\n" in run(*learn, cwd=tmp_path, path=both)
        log = (tmp_path / program / "log.jsonl").read_text().splitlines()
        assert json.loads(log[-1])["validation/main/accuracy"] > 0.85


def _rows(page: Path) -> tuple[list[str], set[str]]:
    """The backends and the functions in a page's table."""
    text = page.read_text()
    heads = re.findall(r"^\| function \|(.*)\|$", text, re.MULTILINE)
    return heads, set(re.findall(r"^\| `(\w+)` \|", text, re.MULTILINE))
