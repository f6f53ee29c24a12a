"""array-api-strict, which has the array-API standard and nothing else, as a backend: nothing more is asked for."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from suites_on_a_library import about_the_library

from renga_testing.fake_distribution import write_distribution

pytest.importorskip("array_api_strict")

ROOT = Path(__file__).parents[2]
RUNS = ROOT / "examples" / "third_party" / "renga-backend-torch"


STRICT = """
    import inspect
    import sys

    import array_api_strict
    from renga import Provider, hookimpl
    from renga_backend_array_api import StandardArray, StandardBackend, StandardNamespace

    from renga_testing.suites import array_names as names

    METHODS = {*names.ATTRIBUTES, *names.METHODS}
    FUNCTIONS = {*names.ELEMENTWISE, *names.STANDARD, *names.BEYOND, *names.CONSTANTS, *names.DTYPES}
    FUNCTIONS |= {name.partition(".")[0] for name in FUNCTIONS}  # linalg


    def expect(name, documented):
        if name in documented or name.startswith("_"):
            return
        module = sys._getframe(2).f_globals.get("__name__", "")
        beside = ("renga_backend_array_api", "renga_testing.suites")
        by_renga = module.startswith("renga") and not module.startswith(beside)
        if by_renga:
            raise AssertionError(f"{module} asks for {name!r}, which is not documented")


    class StrictArray(StandardArray, library=array_api_strict):
        __slots__ = ()


    class Watched:
        # An attribute of arrays that is not documented. The others are asked for most of the time, which costs nothing.

        def __init__(self, name, found):
            self.name, self.found = name, found

        def __get__(self, array, owner):
            if array is not None:
                expect(self.name, METHODS)
            return self.found.__get__(array, owner) if hasattr(self.found, "__get__") else self.found

        def __set__(self, array, value):
            self.found.__set__(array, value)


    for name in dir(StrictArray):
        if not name.startswith("_") and name not in METHODS:
            setattr(StrictArray, name, Watched(name, inspect.getattr_static(StrictArray, name)))


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


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a distribution that offers array-api-strict by `renga_backend_array_api`.

    Its classes refuse each name that Renga asks for and is not in docs/reference/array-subset.md.
    """
    folder = tmp_path_factory.mktemp("strict")
    write_distribution(folder, "renga-strict", modules={"strict": STRICT}, entry_points={"strict": "strict"})
    return folder


def test_it_passes_the_kit(site: Path, tmp_path: Path) -> None:
    kit = tmp_path / "test_strict.py"
    kit.write_text(
        "from renga_testing.suites import ArrayBackendSuite\n\n\n"
        "class TestStrict(ArrayBackendSuite):\n    provider = 'strict'\n"
    )
    said = run("-m", "pytest", "-q", "-p", "no:cacheprovider", kit, cwd=tmp_path, site=site)
    assert re.search(r"array_backend 'strict': declared 3 .*, checked \d+, failed 0", said), said


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_renga_asks_for_no_more_than_is_documented(site: Path, part: list[Path]) -> None:
    """Functions, links, distributions and optimizers pass on a library that has the standard and nothing else.

    Its arrays are NumPy's: strided ones are computed with as they are there, and the names asked for are the same.
    """
    which = about_the_library("strict", part) + " and not test_noncontiguous"
    said = run("-m", "pytest", "-q", "-p", "no:cacheprovider", *part, "-k", which, cwd=ROOT, site=site)
    assert int(re.findall(r"(\d+) passed", said)[-1]) > 400


@pytest.mark.parametrize("program", ["lenet", "row_lstm"])
def test_networks_learn_on_it(site: Path, tmp_path: Path, program: str) -> None:
    learn = ("-m", "renga", "train", RUNS / f"{program}.toml", "--backend", "strict", "--out", program)
    assert "on strict\n" in run(*learn, cwd=tmp_path, site=site)
    log = (tmp_path / program / "log.jsonl").read_text().splitlines()
    assert json.loads(log[-1])["validation/main/accuracy"] > 0.85


def run(*command: str | Path, cwd: Path, site: Path) -> str:
    """What a command says, run where a folder of distributions is installed; warnings are errors."""
    env = {**os.environ, "PYTHONPATH": str(site), "PYTHONWARNINGS": "error", "RENGA_CHECK_BACKENDS": "strict"}
    line = [sys.executable, *map(str, command)]
    done = subprocess.run(line, cwd=cwd, env=env, capture_output=True, text=True, timeout=880)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout
