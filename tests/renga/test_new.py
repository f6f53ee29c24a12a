"""`renga new`: what it writes is installed into an environment of its own and passes its kit."""

import contextlib
import importlib.util
import io
import os
import re
import subprocess
import sys

import pytest

from renga.cli import new
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
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            assert new.run([kind, f"try-{kind}", "--out", str(folder)]) == 0
        assert f"Wrote {folder}/{folder_of(kind)}: " in said.getvalue()
    return folder


# One process builds all wheels, as pip would in a process for each: 20 s less.
BUILD = """
import os, sys
from setuptools import build_meta

_, wheels, *folders = sys.argv  # which setuptools replaces
for folder in folders:
    os.chdir(folder)
    build_meta.build_wheel(wheels)
"""


@pytest.fixture(scope="module")
def environment(written):
    """Environment variables under which all of them are installed."""
    site, wheels = written / "site", written / "wheels"
    folders = [str(written / folder_of(kind)) for kind in SORTS]
    build = [sys.executable, "-c", BUILD, str(wheels), *folders]
    subprocess.run(build, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=280)
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps", "--no-compile"]
    subprocess.run([*pip, "--target", str(site), *map(str, wheels.iterdir())], check=True, timeout=280)
    return {**os.environ, "PYTHONPATH": str(site), "PYTHONWARNINGS": "error"}


@pytest.mark.slow
@pytest.mark.timeout(900)
def test_all_pass_their_own_tests_and_the_kit_of_plugins(written, environment):
    """In one process, which takes a tenth of the time of one for each."""
    kinds = [kind for kind in SORTS if "onnx" not in SORTS[kind].extras or importlib.util.find_spec("onnx")]
    (written / "test_plugins.py").write_text(
        "from renga_testing.suites import PluginSuite\n"
        + "".join(f"\n\nclass TestPlugin{i}(PluginSuite):\n    plugin = 'try_{kind}'\n" for i, kind in enumerate(kinds))
    )
    said = passed(written, environment, "test_plugins.py", *(f"{folder_of(kind)}/tests" for kind in kinds)).splitlines()
    for kind in kinds:
        for told in (f"{SORTS[kind].kind} 'try_{kind}:try_{kind}'", f"plugin 'try_{kind}'"):
            (line,) = [line for line in said if line.startswith(told)]
            assert re.search(r": declared .*, checked [1-9]\d*, failed 0, ", line)


def passed(written, environment, *tests):
    """What pytest says of tests, none of which fails, where all distributions are installed."""
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", os.devnull, "--rootdir", written]
    command += ["--import-mode=importlib", *tests]
    done = subprocess.run(command, cwd=written, env=environment, capture_output=True, text=True, timeout=880)
    assert done.returncode == 0, done.stdout
    return done.stdout


@pytest.mark.parametrize("kind", SORTS)
def test_its_conformance_test_has_three_lines(written, kind):
    text = (written / folder_of(kind) / "tests" / "test_conformance.py").read_text()
    assert [line for line in text.splitlines() if line.strip()] == [
        f"from renga_testing.suites import {SORTS[kind].suite}",
        f"class TestTry{kind.title().replace('_', '')}({SORTS[kind].suite}):",
        f'    provider = "try_{kind}:try_{kind}"',
    ]


def test_its_kits_are_run_by_the_command(written, environment):
    command = [sys.executable, "-m", "renga", "check", "optimizer:try_optimizer"]
    done = subprocess.run(command, cwd=written, env=environment, capture_output=True, text=True, timeout=280)
    assert done.returncode == 0, done.stdout
    assert re.search(r"^plugin 'try_optimizer': .*, failed 0, ", done.stdout, re.MULTILINE)
    assert re.search(r"^optimizer 'try_optimizer:try_optimizer': .*, failed 0, ", done.stdout, re.MULTILINE)


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
        "'adam' cannot be a name: plugin 'optimizers' (renga 0.1.0) offers optimizer 'adam'. Choose another.",
    )
    refused(
        shell.renga("new", "model", "nn"),
        "'nn' cannot be a name: a package renga_nn exists already. Choose another name.",
    )
    assert shell.files() == []


def test_kinds_that_have_no_template(shell):
    refused(
        shell.renga("new", "optimiser", "lion"),
        "there is no template for 'optimiser'. Did you mean 'optimizer'? Templates: " + ", ".join(SORTS) + ".",
    )


def test_a_kind_may_be_written_with_dashes(shell):
    assert shell.renga("new", "function-hook", "mine").status == 0
    assert "renga-mine/src/renga_mine/function_hook.py" in shell.files()


def test_nothing_is_overwritten(shell):
    (shell.folder / "renga-lion").mkdir()
    shell.write("renga-lion/mine", "precious")
    refused(
        shell.renga("new", "optimizer", "lion"),
        "renga-lion exists already and is not overwritten. Choose another name, or another folder with --out DIR.",
    )
    assert shell.files() == ["renga-lion", "renga-lion/mine"]


def test_a_dangling_link_is_not_followed(shell):
    (shell.folder / "renga-lion").symlink_to("elsewhere")
    assert shell.renga("new", "optimizer", "lion").status == 2
    assert shell.files() == ["renga-lion"]


def test_nothing_is_half_written(shell, monkeypatch, tmp_path):
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
    assert "failed 0, skipped 1 (not declared: fault_tolerant)" in passed(written, environment, tests)
