"""Plugins that are wrong on purpose, one for each property of each kit: all are refused, and the page says so."""

import functools
import importlib.util
import os
from pathlib import Path

import pytest

from renga_serializers.file_lock import FileLock
from renga_testing.suites import PluginSuite, suite_of
from renga_testing.suites.communicator_programs import PROGRAMS


def load():
    spec = importlib.util.spec_from_file_location("faulty_plugins", Path(__file__).with_name("faulty_plugins.py"))
    module = importlib.util.module_from_spec(spec)
    import sys

    sys.modules[spec.name] = module  # dataclasses look there
    spec.loader.exec_module(module)
    return module


table = load()
FAULTS = table.faults()
pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]


@pytest.fixture(scope="session")
def judged(tmp_path_factory):
    """What the kit of a kind says: ``judged(kind)``. It is found once for all workers of pytest-xdist."""
    folder = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        folder = folder.parent

    @functools.cache
    def of(kind):
        if kind in table.LIBRARIES:
            pytest.importorskip(table.LIBRARIES[kind], reason=f"the kit of {kind} needs it")
        lock = FileLock.take(folder / f"faulty_{kind}.lock", wait=True)
        try:
            return table.judge(kind, folder / f"faulty_{kind}")
        finally:
            lock.release()

    return of


@pytest.mark.parametrize("fault", [f for f in FAULTS if f.breaks], ids=lambda f: f"{f.kind}-{f.name}")
def test_is_refused(judged, fault):
    outcomes = judged(fault.kind)[fault]
    assert outcomes, "the kit was not applied"
    assert table.message(fault, outcomes), f"{fault.breaks} did not notice: {fault.about}"


@pytest.mark.parametrize("fault", [f for f in FAULTS if not f.breaks], ids=lambda f: f"{f.kind}-{f.name}")
def test_one_that_is_right_passes(judged, fault):
    """Otherwise the others might be refused for a fault of the plugin that they derive from."""
    outcomes = judged(fault.kind)[fault]
    failed = [f"{o['test']}: {o['message']}" for o in outcomes if o["result"] == "failed"]
    assert outcomes
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
    every = {kind: judged(kind) for kind in ("plugin", *table.KINDS)}
    assert table.PAGE.read_text(encoding="utf-8") == table.page(every), "run faulty_plugins.py to write it anew"
