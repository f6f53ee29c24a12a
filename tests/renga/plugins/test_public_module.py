"""Public modules: whose name stands there, what it stands for, and what decides between two."""

import pytest

from renga.public_module import PublicModule
from renga_core.plugin import (
    AmbiguousProvider,
    InvalidDescription,
    Namespace,
    ProviderFaulty,
    ProviderUnavailable,
    RengaPluginError,
    RengaPluginWarning,
)
from renga_core.settings import using

NAMES = "@hookimpl\ndef renga_namespaces(): return [Namespace('renga.optimizers', names={!r})]"
OPTIMIZERS = "@hookimpl\ndef renga_optimizers(): return [Provider({!r}, {!r}, 1, 'x')]"
CLASSES = {"a_target": "class Lion: pass\nclass LionRule: pass\n", "b_target": "class Lion: pass\n"}


@pytest.fixture
def public():
    return PublicModule("renga.optimizers")


@pytest.fixture
def install(site):
    for name, text in CLASSES.items():
        (site.folder / f"{name}.py").write_text(text)

    def install(plugin, source, shipped=False):
        more = {"distribution": "renga", "version": "0.1.0"} if shipped else {}
        site.install(plugin, source, **more)

    return install


def test_a_provider_stands_there_under_the_name_of_its_target(install, public):
    install("a", OPTIMIZERS.format("lion", "a_target:Lion"))
    assert [*public.usable()] == ["Lion"]
    assert public.load("Lion").__module__ == "a_target"
    with pytest.raises(KeyError):
        public.load("lion")


def test_so_does_what_a_plugin_lists(install, public):
    install("a", NAMES.format({"a_target": "Lion LionRule"}))
    assert sorted([*public.usable()]) == ["Lion", "LionRule"]
    assert public.load("LionRule").__qualname__ == "LionRule"
    assert PublicModule("renga.links").usable() == {}


def test_what_is_disabled_does_not(install, public, monkeypatch):
    install("a", OPTIMIZERS.format("lion", "a_target:Lion"))
    monkeypatch.setenv("RENGA_PLUGINS_DISABLE", "a")
    assert [*public.usable()] == []
    assert public.find("Lion") is None
    monkeypatch.setenv("RENGA_PLUGINS_DISABLE", "a:lion")
    assert [*public.usable()] == []
    with pytest.raises(
        ProviderUnavailable, match=r"'a:lion' is in plugins.disable \(environment RENGA_PLUGINS_DISABLE"
    ):
        public.load("Lion")


def test_between_third_parties_a_preference_decides(install, public):
    install("a", OPTIMIZERS.format("lion", "a_target:Lion"))
    install("b", OPTIMIZERS.format("my_lion", "b_target:Lion"))
    assert [*public.usable()] == []
    with pytest.raises(AmbiguousProvider) as caught:
        public.load("Lion")
    assert str(caught.value) == (
        "renga.optimizers.Lion is offered by 2 plugins:\n"
        "  - a_target:Lion   (a-dist 1.0, ready)\n"
        "  - b_target:Lion   (b-dist 1.0, ready)\n"
        'Choose one: set [prefer.optimizer] lion = "a", or import it from the plugin\'s own module.'
    )
    for name, plugin in (("lion", "a"), ("my_lion", "b")):
        with using({f"prefer.optimizer.{name}": plugin}):
            assert public.load("Lion").__module__ == f"{plugin}_target"
            assert [*public.usable()] == ["Lion"]


def test_what_renga_ships_keeps_its_meaning(install, public):
    install("a", OPTIMIZERS.format("lion", "a_target:Lion"))
    install("mine", OPTIMIZERS.format("lion", "b_target:Lion"), shipped=True)
    with pytest.warns(RengaPluginWarning, match=r"renga.optimizers.Lion is b_target:Lion, which Renga ships; a_target"):
        assert public.load("Lion").__module__ == "b_target"
    with using({"prefer.optimizer.lion": "a"}):
        assert public.load("Lion").__module__ == "a_target"


def test_a_list_of_names_can_be_preferred_too(install, public):
    install("a", NAMES.format({"a_target": "Lion"}))
    install("b", NAMES.format({"b_target": "Lion"}))
    with using({"prefer.namespace.renga.optimizers": "b"}):
        assert public.load("Lion").__module__ == "b_target"


def test_one_thing_under_two_registered_names_is_one(install, public):
    two = "[Provider(name, 'a_target:Lion', 1, 'x') for name in ('lion', 'lion.v1')]"
    install("a", f"@hookimpl\ndef renga_optimizers(): return {two}")
    assert public.load("Lion").__module__ == "a_target"


def test_a_class_whose_module_is_missing_says_so_itself(install, public):
    """`PlotReport.available()` can be asked where there is no Matplotlib."""
    needing = "Provider('lion', 'a_target:Lion', 1, 'x', needs=('nowhere',), install_hint='pip install nowhere')"
    install("a", f"@hookimpl\ndef renga_optimizers(): return [{needing}]")
    assert public.load("Lion").__module__ == "a_target"


def test_one_that_cannot_be_imported_without_it_says_what_to_install(site, public):
    (site.folder / "c_target.py").write_text("import nowhere")
    needing = "Provider('lion', 'c_target:Lion', 1, 'x', needs=('nowhere',), install_hint='pip install nowhere')"
    site.install("c", f"@hookimpl\ndef renga_optimizers(): return [{needing}]")
    with pytest.raises(ProviderUnavailable, match=r"module 'nowhere' is not installed.\nNext: pip install nowhere"):
        public.load("Lion")


@pytest.mark.parametrize("source", [OPTIMIZERS.format("lion", "c_target:Lion"), NAMES.format({"c_target": "Lion"})])
def test_one_that_raises_is_broken_and_no_other(site, install, public, source):
    (site.folder / "c_target.py").write_text("raise SystemExit('no licence')")
    site.install("c", source)
    install("a", NAMES.format({"a_target": "LionRule"}))
    with pytest.raises(ProviderFaulty, match=r"importing c_target:Lion raised SystemExit: no licence"):
        public.load("Lion")
    assert public.load("LionRule").__qualname__ == "LionRule"


def test_a_required_plugin_is_asked_for_here_too(install, public, monkeypatch):
    install("a", OPTIMIZERS.format("lion", "a_target:Lion"))
    monkeypatch.setenv("RENGA_PLUGINS_REQUIRED", "b")
    with pytest.raises(RengaPluginError, match="plugin 'b' is required"):
        public.load("Lion")


def test_plugins_that_come_are_seen(install, public):
    assert [*public.usable()] == []
    install("a", OPTIMIZERS.format("lion", "a_target:Lion"))
    assert [*public.usable()] == ["Lion"]


@pytest.mark.parametrize("names", [None, {}, {"a": ""}, {"a b": "c"}, {"a": "b.c"}, {"a": ["b"]}, ["a"]])
def test_a_list_of_names_that_is_none_is_refused(names):
    with pytest.raises(InvalidDescription, match=r"names is .*; expected {'module': 'name name …'}"):
        Namespace("renga.optimizers", names=names)
