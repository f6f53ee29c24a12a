"""The manager: lazy, whole, the same from all threads; events; kinds that plugins add."""

import threading
import types

import pytest

from renga_core.kinds import OPTIMIZER
from renga_core.plugin import (
    Kind,
    PluginManager,
    RengaPluginError,
    RengaPluginWarning,
    get_manager,
    hookimpl,
    registry,
    using_manager,
)

DETECTORS = "KIND = Kind('detector', summary='a callable')\n@hookimpl\ndef renga_kinds(): return [KIND]\n"


def test_generation_changes_when_plugins_do(site, offering, monkeypatch) -> None:
    seen = [site.manager.generation]
    site.install("acme", offering("lion"))
    optimizers = site.registry(OPTIMIZER)
    assert optimizers.names() == ("lion",)
    seen.append(site.manager.generation)
    assert optimizers.names() == ("lion",)
    assert site.manager.generation == seen[-1]  # nothing changed
    monkeypatch.setenv("RENGA_PLUGINS_DISABLE", "acme")
    assert optimizers.names() == ()
    seen.append(site.manager.generation)
    monkeypatch.delenv("RENGA_PLUGINS_DISABLE")
    assert optimizers.names() == ("lion",)
    seen.append(site.manager.generation)
    with using_manager(PluginManager(list)) as other:
        assert other.plugins() == ()
        seen.append(other.generation)
    assert len(set(seen)) == len(seen)


def test_register_without_a_distribution(site) -> None:
    class Mine:
        @hookimpl
        def renga_optimizers(self):
            from renga_core.plugin import Provider

            return [Provider(name="mine", target="os:getcwd", revision=1, summary="")]

    site.manager.register("notebook", Mine())
    offer = registry(OPTIMIZER).get("mine")
    assert (offer.full_name, offer.plugin.origin) == ("notebook:mine", "this program")


def test_default_manager_is_one_for_all_threads() -> None:
    found: list[PluginManager] = []
    barrier = threading.Barrier(8)

    def ask() -> None:
        barrier.wait()
        found.append(get_manager())

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len({id(manager) for manager in found}) == 1


def test_many_threads_ask_first(site, offering) -> None:
    """Plugins are loaded once, and each thread gets the whole answer."""
    site.install("slow", "import time\ntime.sleep(0.1)\n" + offering("lion"))
    site.install("acme", offering("adam"))
    found: list[object] = []

    def ask() -> None:
        found.append((site.registry(OPTIMIZER).names(), site.registry(OPTIMIZER).get("lion")))

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(timeout=20)
    assert len(found) == 8
    assert len(set(found)) == 1


def test_plugin_adds_a_kind_that_another_provides(site, offering) -> None:
    site.install("acme", offering("ssd", hook="renga_detectors"))  # comes before the plugin that adds the kind
    site.install("vision", DETECTORS)
    detectors = registry(site.manager.kind("detector"))
    assert detectors.get("ssd").full_name == "acme:ssd"
    with pytest.raises(RengaPluginError, match=r"^no kind named 'segmenter'\. Known: array_backend, "):
        registry(Kind("segmenter")).names()


def test_one_kind_twice(site, offering) -> None:
    site.install("one", DETECTORS)
    site.install("two", DETECTORS)  # word for word the same: no contradiction
    assert site.manager.kind("detector").summary == "a callable"
    site.install("three", DETECTORS.replace("callable", "class"))
    with pytest.warns(RengaPluginWarning) as warned:
        assert "detector" not in site.manager.kinds()
    assert sorted(str(one.message).partition(". ")[0] for one in warned) == [
        f"plugin '{name}' ({name}-dist 1.0), hook 'renga_kinds' is invalid: "
        f"kind 'detector' is defined differently by plugin '{other}' ({other}-dist 1.0)"
        for name, other in [("one", "three"), ("three", "one"), ("two", "three")]
    ]


@pytest.mark.parametrize(
    ("returned", "told"),
    [
        ("[Kind('optimizer')]", "is invalid: core already has a kind 'optimizer' or its hook"),
        ("[Kind('gadget', hook='renga_links')]", "is invalid: core already has a kind 'gadget' or its hook"),
        ("['detector']", "is invalid: returned 'detector' where a Kind was expected"),
        ("None", "is invalid: returned None where a list was expected"),
        ("[Kind('Detector')]", "is invalid: Kind 'Detector': name is 'Detector'; expected lower-case letters"),
        ("1 / 0", "is broken: raised ZeroDivisionError: division by zero"),
    ],
)
def test_wrong_kinds(site, offering, returned, told) -> None:
    site.install("bad", f"@hookimpl\ndef renga_kinds(): return {returned}")
    site.install("good", offering("adam"))
    with pytest.warns(RengaPluginWarning) as warned:
        assert site.registry(OPTIMIZER).names() == ("adam",)
    (one,) = warned
    assert str(one.message).startswith(f"plugin 'bad' (bad-dist 1.0), hook 'renga_kinds' {told}")


def test_events(site, offering) -> None:
    site.install(
        "acme",
        offering("lion")
        + """
HEARD = []
@hookimpl
def renga_configure(manager): HEARD.append(len(manager.plugins()))
@hookimpl
def renga_run_start(config): HEARD.append(config["run.seed"])
@hookimpl
def renga_run_finish(error): HEARD.append(error)
@hookimpl
def renga_provider_selected(selection): HEARD.append(selection.offer.full_name)
""",
    )
    site.install("bad", "@hookimpl\ndef renga_run_start(): raise SystemExit(2)")
    optimizers = site.registry(OPTIMIZER)
    optimizers.load("lion")
    optimizers.load("acme:lion")  # the same: told once
    with pytest.warns(RengaPluginWarning, match=r"hook 'renga_run_start' is broken: raised SystemExit: 2"):
        site.manager.emit("renga_run_start", config={"run.seed": 7})
    site.manager.emit("renga_run_start", config={"run.seed": 8})  # warned of once
    site.manager.emit("renga_run_finish", config={}, error=None)
    module = site.manager.plugins()[0].module
    assert isinstance(module, types.ModuleType)
    assert module.HEARD == [2, "acme:lion", 7, 8, None]
