"""The third party's distribution, built, installed into an environment of its own, selected by name and trained."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

SOURCE = Path(__file__).parents[2] / "examples" / "third_party" / "renga-lion"


@pytest.fixture(scope="module")
def environment(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Environment variables under which the distribution is installed: a folder of its own, put on the path."""
    folder = tmp_path_factory.mktemp("third_party")
    copy = shutil.copytree(SOURCE, folder / "source")
    site = folder / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps"]
    subprocess.run([*pip, "--target", str(site), str(copy)], check=True, timeout=200)
    return {**os.environ, "PYTHONPATH": str(site), "PYTHONWARNINGS": "error"}


def renga(*arguments: str, cwd: Path, env: dict[str, str]) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "renga", *arguments]
    return subprocess.run(command, cwd=cwd, env=env, capture_output=True, text=True, timeout=250)


def test_it_is_listed(environment: dict[str, str], tmp_path: Path) -> None:
    done = renga("plugins", "show", "lion", cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    assert "renga-lion 1.0.0" in done.stdout
    assert "mixer" in done.stdout


def test_a_run_file_selects_it_and_it_learns(environment: dict[str, str], tmp_path: Path) -> None:
    done = renga("train", str(SOURCE / "digits-lion.toml"), cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    import json

    log = [json.loads(line) for line in (tmp_path / "result" / "log.jsonl").read_text().splitlines()]
    assert log[-1]["validation/main/accuracy"] > 0.9


def test_its_own_tests_pass(environment: dict[str, str], tmp_path: Path) -> None:
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(SOURCE / "tests")]
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=200)
    assert done.returncode == 0, done.stdout


def test_without_it_the_name_is_unknown(tmp_path: Path) -> None:
    done = renga("train", str(SOURCE / "digits-lion.toml"), cwd=tmp_path, env={**os.environ})
    assert done.returncode == 2
    assert "no model named 'mixer'" in done.stderr
    assert not (tmp_path / "result").exists()
