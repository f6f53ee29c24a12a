"""`renga check`: counts, exit status, expected failures, files. Each test runs a real process."""

import json
import re

import pytest

from renga_core.kinds import ARRAY_BACKEND, KERNEL
from renga_core.plugin import UnknownProvider, get_manager, registry

OPTIMIZER = """
@hookimpl
def renga_optimizers():
    return [Provider("{name}", "{name}_target:Made", 1, "for a test"{more})]
"""
GOOD = """
from renga import GradientMethod, UpdateRule

class Rule(UpdateRule):
    def update_core(self, param):
        array = param.array
        array -= 0.01 * param.grad

class Made(GradientMethod):
    def create_update_rule(self):
        return Rule(self.hyperparam)
"""
BAD = GOOD.replace("array -= 0.01 * param.grad", "param.array = array - 0.01 * param.grad")


@pytest.fixture
def shell(shell):
    """Without the other backends that may be installed here: what is tested on each of them is counted."""
    others = {offer.plugin.name for offer, _ in registry(ARRAY_BACKEND).list()} - {"numpy"}
    shell.environment["RENGA_PLUGINS_DISABLE"] = ",".join(sorted(others))
    return shell


def install(shell, name, target, more=""):
    shell.install(name, OPTIMIZER.format(name=name, more=more), modules={f"{name}_target": target})


def refused(outcome, message):
    assert outcome.err == f"renga: error: {message}\n"
    assert (outcome.out, outcome.status) == ("", 2)


def test_what_is_right_passes_with_counts(shell):
    outcome = shell.renga("check", "array_backend:numpy", "--json", "outcome.json")
    assert (outcome.status, outcome.err) == (0, "")
    plugin, backend = outcome.out.splitlines()
    assert plugin.startswith("plugin 'numpy': declared 0, checked ")
    counted = "array_backend 'numpy:numpy': declared 5 (dlpack_zero_copy, float16, numpy_methods, numpy_names, views)"
    assert backend.startswith(counted)
    assert backend.endswith("failed 0, skipped 1 (not declared: memory_info)")
    document = json.loads((shell.folder / "outcome.json").read_text())
    assert document["checked"] == "array_backend:numpy"
    kit = document["kits"][1]
    results = [test["result"] for test in kit["tests"]]
    assert kit["counts"]["checked"] == results.count("passed") + results.count("failed") > 100
    assert kit["counts"]["skipped"] == results.count("skipped") == 1


def test_what_is_wrong_fails_and_says_why_once(shell):
    install(shell, "bad", BAD)
    outcome = shell.renga("check", "optimizer:bad")
    assert outcome.status == 1
    failures = [line for line in outcome.out.splitlines() if line.startswith("FAILED")]
    assert failures[0] == (
        "FAILED optimizer 'bad:bad': test_changes_parameters_in_place[numpy-float32] (and 1 more): "
        "update replaces the array of a matrix parameter"
    )
    assert [line.split(":")[2] for line in failures[1:]] == [" test_memory_layouts"]  # for the same reason


def test_expected_failures(shell):
    install(shell, "bad", BAD)
    every = "".join(
        f'"test_changes_parameters_in_place[numpy-{dtype}]" = "makes new arrays: to be mended"\n'
        for dtype in ("float32", "float64")
    )
    every += '"test_memory_layouts" = "the same"\n'
    shell.write("known.toml", every)
    outcome = shell.renga("check", "optimizer:bad", "--xfails", "known.toml")
    assert outcome.status == 0, outcome.out
    assert outcome.out.endswith("expected to fail 3\n")


def test_an_expected_failure_that_passes_fails(shell):
    install(shell, "good", GOOD)
    shell.write("known.toml", '"test_counts_updates" = "cannot count"\n')
    outcome = shell.renga("check", "optimizer:good", "--xfails", "known.toml")
    assert outcome.status == 1
    assert "FAILED optimizer 'good:good': test_counts_updates: [XPASS(strict)] cannot count\n" in outcome.out


@pytest.mark.parametrize("name", ["test_nothing", "test_step", "test_resume_is_identical[numpy-float8]"])
def test_a_stale_expected_failure_fails(shell, name):
    install(shell, "good", GOOD)
    shell.write("known.toml", f'"{name}" = "no such test"\n')
    outcome = shell.renga("check", "optimizer:good", "--xfails", "known.toml")
    assert outcome.status == 1
    assert f"xfails[{name!r}] is stale: this kit has no such test" in outcome.out


def test_an_expected_failure_of_the_plugin(shell):
    install(shell, "good", "print('hello')\n" + GOOD)
    shell.install("loud", "print('hello')\n" + OPTIMIZER.format(name="good", more=""))
    shell.write("known.toml", '"test_imports_silently" = "says hello"\n')
    outcome = shell.renga("check", "optimizer:loud:good", "--xfails", "known.toml")
    assert outcome.status == 0, outcome.out
    assert "plugin 'loud'" in outcome.out


def test_a_reason_is_needed(shell):
    shell.write("known.toml", '"test_counts_updates" = ""\n')
    refused(
        shell.renga("check", "optimizer:sgd", "--xfails", "known.toml"),
        "known.toml: 'test_counts_updates': expected the reason why it fails, a text; got ''",
    )


def test_a_declared_capability_that_nothing_tests_fails(shell):
    install(shell, "good", GOOD, ", capabilities={'sparse'}")
    outcome = shell.renga("check", "optimizer:good")
    assert outcome.status == 1
    capabilities = "Capabilities of kind optimizer: bias_corrected: "
    assert "optimizer 'good:good' declares sparse, which no test of the kit checks. " + capabilities in outcome.out


def test_options(shell):
    assert shell.renga("check", "trigger:interval").status == 1
    arguments = ("--set", "period=3", "--set", "unit=iteration")
    outcome = shell.renga("check", "trigger:interval", *arguments)
    assert outcome.status == 0, outcome.out


def test_guessed_inputs_are_told(shell):
    outcome = shell.renga("check", "function:sigmoid")
    assert outcome.status == 0, outcome.out
    assert (
        "(not declared: empty); inputs were guessed: 1 floating array of shape (4, 3), of either sign\n" in outcome.out
    )


def test_a_plugin_as_such(shell):
    outcome = shell.renga("check", "plugin:numpy")
    assert (outcome.status, outcome.err) == (0, "")
    assert outcome.out.startswith("plugin 'numpy': ")
    outcome = shell.renga("check", "plugin:nunpy")
    assert outcome.status == 2
    assert outcome.err.startswith("renga: error: no plugin named 'nunpy'. Did you mean 'numpy'? Known: chainer, ")


def test_names_that_are_not(shell):
    assert "no optimizer named 'adan'" in shell.renga("check", "optimizer:adan").err
    kinds = ", ".join(kind.name for kind in get_manager().kinds().values() if kind.suite)
    refused(
        shell.renga("check", "namespace:renga"),
        f"there is no conformance kit for kind 'namespace'. Kinds with one: {kinds}, plugin.",
    )
    refused(
        shell.renga("check", "adam"),
        "argument KIND:NAME: expected KIND:NAME, got 'adam'. See 'renga check --help'.",
    )


def test_the_folder_and_its_configuration_play_no_part(shell):
    shell.write("pytest.ini", "[pytest]\naddopts = --no-such-option\n")
    shell.write("conftest.py", "1 / 0\n")
    before = shell.files()
    shell.environment["PYTEST_ADDOPTS"] = "-vv"  # refused where pytest prints nothing
    assert shell.renga("check", "optimizer:sgd").status == 0
    assert shell.files() == before


def test_a_file_that_cannot_be_written(shell):
    outcome = shell.renga("check", "optimizer:sgd", "--json", "no/such/folder.json")
    assert outcome.status == 2
    assert outcome.err.startswith("renga: error: --json no/such/folder.json: cannot be written: ")


def test_without_pytest(shell):
    (shell.site / "sitecustomize.py").write_text(
        "import importlib.util as u\nreal = u.find_spec\n"
        "u.find_spec = lambda name, *more: None if name == 'pytest' else real(name, *more)\n"
    )
    refused(
        shell.renga("check", "optimizer:sgd"),
        "conformance kits need pytest, which is not installed.\nNext: pip install pytest",
    )


def test_many_names_are_counted():
    with pytest.raises(UnknownProvider) as raised:
        registry(KERNEL).get("max_poling.numpy")
    said = re.fullmatch(
        r"no kernel named 'max_poling\.numpy' \(from argument\)\. Did you mean 'max_pooling\.numpy'.*\? "
        r"Known: (\d+), see `renga plugins list kernel`\.",
        str(raised.value),
    )
    assert said is not None, raised.value
    assert int(said[1]) == len({offer.name for offer, _ in registry(KERNEL).list()})
