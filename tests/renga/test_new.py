"""`renga new`: what it writes is installed into an environment of its own and passes its kit."""

import importlib
import os
import re
import subprocess
import sys

import pytest

from renga.cli.new import SORTS
from renga_core.plugin import registry


def refused(outcome, message):
    assert outcome.err == f"renga: error: {message}\n"
    assert (outcome.out, outcome.status) == ("", 2)


def folder_of(kind):
    return f"renga-try-{kind.replace('_', '-')}"


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    """One distribution of each kind."""
    folder = tmp_path_factory.mktemp("new")
    for kind in SORTS:
        command = [sys.executable, "-m", "renga", "new", kind, f"try-{kind}", "--out", str(folder)]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=100)
        assert done.returncode == 0, done.stderr
        assert f"Wrote {folder}/{folder_of(kind)}: " in done.stdout
    return folder


@pytest.fixture(scope="module")
def environment(written):
    """Environment variables under which all of them are installed."""
    site = written / "site"
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-build-isolation", "--no-deps"]
    folders = [str(written / folder_of(kind)) for kind in SORTS]
    subprocess.run([*pip, "--target", str(site), *folders], check=True, timeout=280)
    return {**os.environ, "PYTHONPATH": str(site), "PYTHONWARNINGS": "error"}


@pytest.mark.parametrize("kind", SORTS)
def test_it_passes_its_own_tests(written, environment, kind):
    if "onnx" in SORTS[kind].extras:
        pytest.importorskip("onnx", reason="pip install 'renga[onnx]'")
    tests = written / folder_of(kind) / "tests"
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, str(tests)]
    done = subprocess.run(command, cwd=written, env=environment, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stdout
    (told,) = [
        line for line in done.stdout.splitlines() if line.startswith(f"{SORTS[kind].kind} 'try_{kind}:try_{kind}'")
    ]
    assert re.search(r": declared .*, checked [1-9]\d*, failed 0, ", told)


@pytest.mark.parametrize("kind", SORTS)
def test_its_conformance_test_has_three_lines(written, kind):
    text = (written / folder_of(kind) / "tests" / "test_conformance.py").read_text()
    assert [line for line in text.splitlines() if line.strip()] == [
        f"from renga_testing.suites import {SORTS[kind].suite}",
        f"class TestTry{kind.title().replace('_', '')}({SORTS[kind].suite}):",
        f'    provider = "try_{kind}:try_{kind}"',
    ]


def test_each_plugin_passes_the_kit_of_plugins(written, environment):
    for kind in SORTS:
        command = [sys.executable, "-m", "renga", "check", f"plugin:try_{kind}"]
        done = subprocess.run(command, cwd=written, env=environment, capture_output=True, text=True, timeout=250)
        assert done.returncode == 0, done.stdout


def test_templates_name_kits_that_there_are():
    suites = importlib.import_module("renga_testing.suites")
    for sort in SORTS.values():
        assert registry(getattr(suites, sort.suite).kind).kind.name == sort.kind


def test_the_linter_likes_what_is_written(written):
    ruff = [sys.executable, "-m", "ruff"]
    if subprocess.run([*ruff, "--version"], capture_output=True).returncode:
        pytest.skip("ruff is not installed")
    options = ["--isolated", "--line-length", "120", "--select", "E,F,W,UP,B"]
    done = subprocess.run([*ruff, "check", *options, str(written)], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("name", ["My-Adam", "2fast", "a b", "class", "auto", "-x-", "a/../b", "é", "a--b", "lion_"])
def test_names_that_cannot_be(shell, name):
    outcome = shell.renga("new", "optimizer", "--out", ".", "--", name)
    assert outcome.status == 2
    assert f"'{name}' cannot be a name" in outcome.err
    assert shell.files() == []


def test_names_that_are_taken(shell):
    refused(
        shell.renga("new", "optimizer", "adam"),
        "'adam' cannot be a name: plugin 'optimizers' (renga 0.1.0) offers a optimizer 'adam'. Choose another.",
    )
    refused(
        shell.renga("new", "model", "nn"),
        "'nn' cannot be a name: there is a package renga_nn already. Choose another.",
    )
    assert shell.files() == []


def test_kinds_that_have_no_template(shell):
    refused(
        shell.renga("new", "optimiser", "lion"),
        "'optimiser' cannot be made. Did you mean 'optimizer'? There are templates for: " + ", ".join(SORTS) + ".",
    )


def test_a_kind_may_be_written_with_dashes(shell):
    assert shell.renga("new", "function-hook", "mine").status == 0
    assert "renga-mine/src/renga_mine/function_hook.py" in shell.files()


def test_nothing_is_overwritten(shell):
    (shell.folder / "renga-lion").mkdir()
    shell.write("renga-lion/mine", "precious")
    refused(
        shell.renga("new", "optimizer", "lion"),
        "renga-lion is there already, and is not overwritten. Choose another name, or another folder with --out DIR.",
    )
    assert shell.files() == ["renga-lion", "renga-lion/mine"]


def test_a_dangling_link_is_not_followed(shell):
    (shell.folder / "renga-lion").symlink_to("elsewhere")
    assert shell.renga("new", "optimizer", "lion").status == 2
    assert shell.files() == ["renga-lion"]


def test_nothing_is_half_written(shell, monkeypatch, tmp_path):
    from renga.cli import new

    real = new.Path.write_text

    def failing(self, text, **kwargs):
        if self.name == "README.md":
            raise OSError(28, "No space left on device")
        return real(self, text, **kwargs)

    monkeypatch.setattr(new.Path, "write_text", failing)
    with pytest.raises(new.NewError, match="renga-lion: cannot be written: No space left on device"):
        new.run(["optimizer", "lion", "--out", str(tmp_path / "deep" / "er")])
    assert list(tmp_path.glob("deep/er/*")) == []
    assert list(tmp_path.glob("deep/er/.*")) == []


OVER_THREADS = """
from contextlib import suppress

from renga_testing.suites import CommunicatorSuite
from renga_distributed.threads import ThreadsCommunicator, launch
from renga_try_communicator.communicator import TryCommunicator


class OverThreads(TryCommunicator):
    rank = property(lambda self: self.group.rank)
    size = property(lambda self: self.group.size)
    intra_rank, intra_size = rank, size

    def __init__(self, group=None):
        self.group = group or ThreadsCommunicator()

    def _exchange(self, obj):
        return self.group.allgather_obj(obj)

    def _put(self, obj, dest, tag):
        self.group.send_obj(obj, dest, tag)

    def _get(self, source, tag):
        return self.group.recv_obj(source, tag)

    def split(self, color, key):
        return OverThreads(self.group.split(color, key))


class TestOverThreads(CommunicatorSuite):
    provider = "try_communicator"
    target = OverThreads
    sizes = (2, 3)

    def launch(self, program, size, device):
        errors = [None] * size

        def work(group):
            try:
                program(OverThreads(group), device)
            except Exception as error:
                errors[group.rank] = error
                raise

        with suppress(Exception):
            launch(work, size)
        return errors
"""


def test_a_communicator_with_a_transport_passes_with_several_ranks(written, environment):
    """Nothing but the three methods, `split`, rank and size is left to its author."""
    tests = written / "test_over_threads.py"
    tests.write_text(OVER_THREADS)
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, str(tests)]
    done = subprocess.run(command, cwd=written, env=environment, capture_output=True, text=True, timeout=250)
    assert done.returncode == 0, done.stdout
    assert "failed 0, skipped 1 (not declared: fault_tolerant)" in done.stdout
