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
from suites_on_a_library import about_the_library

from renga_core.kinds import FUNCTION, LINK, OPTIMIZER
from renga_core.plugin import registry

pytestmark = pytest.mark.torch
pytest.importorskip("torch")
pytest.importorskip("array_api_compat")

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "examples" / "third_party" / "renga-backend-torch"
PAGE = ROOT / "docs" / "reference" / "functions-by-backend.md"


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the distribution installed in it."""
    folder = tmp_path_factory.mktemp("backend_torch")
    copy = shutil.copytree(SOURCE, folder / "source")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps"]
    subprocess.run([*pip, "--target", str(folder / "site"), str(copy)], check=True, timeout=200)
    return folder / "site"


def run(*command: str | Path, cwd: Path, path: list[Path], timeout: float = 280, **variables: str) -> str:
    """What a command says, run where the folders in `path` are installed; warnings are errors."""
    path_there = {"PYTHONPATH": os.pathsep.join(map(str, path)), "PYTHONWARNINGS": "error"}
    # One thread: other tests run beside these, and PyTorch's threads turn while they wait.
    env = {**os.environ, **path_there, "OMP_NUM_THREADS": "1", **variables}
    line = [sys.executable, *map(str, command)]
    done = subprocess.run(line, cwd=cwd, env=env, capture_output=True, text=True, timeout=timeout)
    assert done.returncode == 0, f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}"
    return done.stdout


def test_it_is_listed(site: Path, tmp_path: Path) -> None:
    said = run("-m", "renga", "plugins", "show", "torch", cwd=tmp_path, path=[site])
    assert "renga-backend-torch 1.0.0" in said
    assert re.search(r"array_backend +torch +ready", said)
    assert len(re.findall(r"kernel +\w+\.torch +ready", said)) == 6


def test_listing_does_not_import_pytorch(site: Path, tmp_path: Path) -> None:
    program = tmp_path / "listing.py"
    program.write_text(
        "import sys\n"
        "from renga_core.kinds import ARRAY_BACKEND\n"
        "from renga_core.plugin import registry\n"
        "assert 'torch' in registry(ARRAY_BACKEND).names()\n"
        "assert 'torch' not in sys.modules\n"
    )
    run(program, cwd=tmp_path, path=[site])


@pytest.mark.timeout(900)
def test_its_own_tests_pass(site: Path, tmp_path: Path) -> None:
    """Those that train in single precision are left out: the next one compares the same losses of the same files."""
    left_out = ("-k", "not test_runs_agree_in_single_precision")
    command = ("-m", "pytest", "-q", "-p", "no:cacheprovider", SOURCE / "tests", *left_out)
    said = run(*command, cwd=tmp_path, path=[site], timeout=880)
    assert re.search(r"array_backend 'torch': declared 5 .*, checked \d+, failed 0", said), said


@pytest.mark.parametrize("program", ["row_lstm", "lenet", "vgg_small"])
def test_one_word_of_the_file_changes_the_backend(site: Path, tmp_path: Path, program: str) -> None:
    """The losses of 50 steps agree to 1e-4: ten times what was measured (the distribution's README)."""
    text = (SOURCE / f"{program}.toml").read_text().replace('[1, "epoch"]', '[1, "iteration"]')
    if program == "vgg_small":  # the largest learns soonest
        text = text.replace("epochs = 5", "epochs = 3")
    losses = {}
    for backend in ("torch", "numpy"):
        folder = tmp_path / backend
        folder.mkdir()
        (folder / "run.toml").write_text(text.replace('backend = "torch"', f'backend = "{backend}"'))
        device = {"torch": "torch:cpu"}.get(backend, backend)
        assert f"on {device}\n" in run("-m", "renga", "train", "run.toml", cwd=folder, path=[site])
        log = [json.loads(line) for line in (folder / "result" / "log.jsonl").read_text().splitlines()]
        losses[backend] = [entry["main/loss"] for entry in log]
        assert log[-1]["validation/main/accuracy"] > 0.85
    assert len(losses["numpy"]) > 60
    np.testing.assert_allclose(losses["torch"][:50], losses["numpy"][:50], rtol=1e-4)


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_suites_pass_on_it(site: Path, part: list[Path]) -> None:
    """No test is edited. What compares networks and NumPy's arrays with PyTorch is about no backend, and left out."""
    which = about_the_library("torch", part) + " and not pytorch and not test_networks"
    command = ("-m", "pytest", "-q", "-p", "no:cacheprovider", *part, "-k", which)
    said = run(*command, cwd=ROOT, path=[site], timeout=880, RENGA_CHECK_BACKENDS="torch")
    assert int(re.findall(r"(\d+) passed", said)[-1]) > 400


def test_the_page_knows_what_there_is() -> None:
    """docs/reference/functions-by-backend.md has been written since the last function was, and with both backends."""
    text = PAGE.read_text()
    assert "failed" not in text
    for kind in (FUNCTION, LINK, OPTIMIZER):
        head = re.search(rf"^\| {kind.name} \|(.*)$", text, re.MULTILINE)
        assert head is not None
        assert re.findall(r"`(\w+)`", head[1]) == ["numpy", "torch"]
        assert not [name for name in registry(kind).names() if f"`{name}`" not in text]
