"""The rules that keep kits honest, each broken once in a pytest run of its own."""

import subprocess
import sys
from dataclasses import replace

import pytest

from renga_core.kinds import OPTIMIZER
from renga_testing.suites import OptimizerSuite, classes_for, suite_of

HEAD = """
import pytest
from renga_core.kinds import OPTIMIZER
from renga_testing.suites import ArrayBackendSuite, OptimizerSuite, ProviderSuite, needs
"""


@pytest.fixture
def run(tmp_path):
    """Run a test file; returns what pytest printed."""

    def run(text, *options):
        (tmp_path / "test_kit.py").write_text(HEAD + text)
        command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-c", "/dev/null", *options]
        done = subprocess.run([*command, "test_kit.py"], cwd=tmp_path, capture_output=True, text=True, timeout=100)
        return done.stdout

    return run


def test_counts_are_printed(run):
    printed = run("class TestNumpy(ArrayBackendSuite):\n    provider = 'numpy'\n", "-k", "memory_info or views")
    assert (
        "array_backend 'numpy': declared 5 (dlpack_zero_copy, float16, numpy_methods, numpy_names, views), "
        "checked 1, failed 0, skipped 1 (not declared: memory_info)\n"
    ) in printed


def test_any_other_skip_is_a_failure(run):
    printed = run(
        """
class Kit(ProviderSuite):
    kind = OPTIMIZER
    def test_inside(self):
        pytest.skip("not today")
    @pytest.mark.skip("never")
    def test_by_mark(self): ...

class TestIt(Kit):
    provider = "sgd"
""",
        "-k",
        "inside or by_mark",
    )
    assert "1 failed" in printed
    assert "1 error" in printed  # a mark skips before the test begins
    assert "a test of a kit is skipped only for an undeclared capability, not for: not today" in printed


def test_a_test_cannot_be_replaced():
    with pytest.raises(TypeError, match=r"Mine\.test_counts_updates would replace a test of Steps"):
        type("Mine", (OptimizerSuite,), {"test_counts_updates": None})


def test_more_tests_can_be_added(run):
    printed = run(
        "class TestIt(OptimizerSuite):\n    provider = 'sgd'\n    def test_my_own(self): assert self.make().lr\n",
        "-k",
        "my_own",
    )
    assert "1 passed" in printed


def test_needs_runs_what_is_declared_only(run):
    printed = run(
        """
class TestIt(ArrayBackendSuite):
    provider = "numpy"
    @needs("views")
    def test_declared(self): ...
    @needs("views", "wings")
    def test_undeclared(self): ...
""",
        "-k",
        "declared and not capabilities",
    )
    assert "1 passed, 1 skipped" in printed
    assert "not declared: wings" in printed


@pytest.mark.parametrize("reason", ["''", "'   '"])
def test_an_expected_failure_without_a_reason(run, reason):
    printed = run(
        f"class TestIt(OptimizerSuite):\n    provider = 'sgd'\n    xfails = {{'test_ready': {reason}}}\n",
        "-k",
        "expected",
    )
    assert "xfails['test_ready'] gives no reason" in printed


def test_an_expected_failure_of_a_test_that_is_skipped(run):
    printed = run(
        "class TestIt(ArrayBackendSuite):\n    provider = 'numpy'\n    xfails = {'test_memory_info': 'no idea'}\n",
        "-k",
        "memory_info",
    )
    assert "xfails['test_memory_info'] is stale: the test is skipped" in printed


def test_an_unknown_provider(run):
    printed = run("class TestIt(OptimizerSuite):\n    provider = 'adan'\n", "-k", "ready")
    assert "no optimizer named 'adan' (from TestIt.provider). Did you mean 'adam'" in printed


def test_classes_for_a_kind():
    classes = classes_for(OPTIMIZER, {"optimizers:sgd": {"options": {"lr": 0.5}}})
    assert issubclass(classes["TestOptimizersMomentumSgd"], suite_of(OPTIMIZER))
    assert classes["TestOptimizersSgd"]().make().lr == 0.5


def test_classes_for_what_cannot_work_here(run):
    printed = run(
        """
from renga_core.kinds import ARRAY_BACKEND
from renga_core.plugin import Provider, get_manager, hookimpl
from renga_testing.suites import classes_for

def no_gpu():
    return "there is no GPU here"

class Plugin:
    @hookimpl
    def renga_array_backends(self):
        return [Provider("far", "nowhere:Far", 1, "for another machine", probe=f"{__name__}:no_gpu")]

get_manager().register("far", Plugin())
globals().update({name: cls for name, cls in classes_for(ARRAY_BACKEND).items() if "Far" in name})
""",
        "-rs",
    )
    assert "1 skipped" in printed
    assert "array_backend 'far:far' is unavailable: there is no GPU here" in printed


def test_half_precision_is_for_backends_that_declare_it(run):
    printed = run(
        """
from renga_backend_numpy.backend import NumpyBackend
from renga_core.plugin import Provider, get_manager, hookimpl

class Array(__import__("numpy").ndarray): ...

class Coarse(NumpyBackend):
    name = "coarse"
    array_types = (Array,)
    def asarray(self, value, index=0):
        return super().asarray(value).view(Array)

class Plugin:
    @hookimpl
    def renga_array_backends(self):
        return [Provider("coarse", f"{__name__}:Coarse", 1, "single and double precision")]

get_manager().register("coarse", Plugin())

class TestIt(OptimizerSuite):
    provider = "sgd"
""",
        "-k",
        "double_precision and coarse",
        "--import-mode=importlib",
    )
    assert "checked 2, failed 0, skipped 1 (not declared by coarse: float16)" in printed


def test_a_kind_without_a_kit():
    kind = replace(OPTIMIZER, name="drum", suite="")
    with pytest.raises(LookupError, match=r"no conformance kit for kind 'drum'\. Kinds with a kit: array_backend, "):
        suite_of(kind)
