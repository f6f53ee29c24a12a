"""Plugins that are wrong on purpose, one for each property of each kit: all are refused, and the page says so."""

import importlib.util
from pathlib import Path

import pytest

from renga_core.testing.suites import PluginSuite, suite_of
from renga_core.testing.suites.communicator_programs import PROGRAMS


def load():
    spec = importlib.util.spec_from_file_location("faulty_plugins", Path(__file__).with_name("faulty_plugins.py"))
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


table = load()
FAULTS = table.faults()
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def judged(tmp_path_factory):
    return table.judge(tmp_path_factory.mktemp("faulty"))


@pytest.mark.parametrize("fault", [f for f in FAULTS if f.breaks], ids=lambda f: f"{f.kind}-{f.name}")
def test_is_refused(judged, fault):
    assert judged[fault], "the kit was not applied"
    assert table.message(fault, judged[fault]), f"{fault.breaks} did not notice: {fault.about}"


@pytest.mark.parametrize("fault", [f for f in FAULTS if not f.breaks], ids=lambda f: f"{f.kind}-{f.name}")
def test_one_that_is_right_passes(judged, fault):
    """Otherwise the others might be refused for a fault of the plugin that they derive from."""
    failed = [f"{o['test']}: {o['message']}" for o in judged[fault] if o["result"] == "failed"]
    assert judged[fault]
    assert not failed


@pytest.mark.parametrize("kind", ["plugin", *table.KINDS])
def test_every_property_is_broken_by_some_plugin(kind):
    suite = PluginSuite if kind == "plugin" else suite_of(table.KINDS[kind])
    tests = {name for name in dir(suite) if name.startswith("test_")}
    broken = {fault.method for fault in FAULTS if fault.kind == kind}
    # What all kits share is broken by an optimizer; stale expectations are tested with `renga check`.
    shared = {"test_ready", "test_target", "test_declared_capabilities_are_tested"}
    assert shared <= {fault.method for fault in FAULTS if fault.kind == "optimizer"}
    assert tests - broken - shared == {"test_expected_failures_are_of_this_kit"}


def test_every_program_of_ranks_is_broken_by_some_communicator():
    broken = {fault.breaks.partition("[")[2].rstrip("]") for fault in FAULTS if fault.kind == "communicator"}
    assert broken - {""} == set(PROGRAMS)


def test_the_page_is_up_to_date(judged):
    assert table.PAGE.read_text(encoding="utf-8") == table.page(judged), "run faulty_plugins.py to write it anew"
