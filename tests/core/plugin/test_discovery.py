"""What is found out before any plugin is imported: versions, what is disabled, names that clash, bad metadata."""

import importlib.metadata
import os
import sys

import pytest

from renga_core.kinds import OPTIMIZER
from renga_core.plugin import (
    AmbiguousProvider,
    ProviderIncompatible,
    ProviderUnavailable,
    RengaPluginWarning,
    UnknownProvider,
)
from renga_core.plugin.entry_points import installed_entry_points
from renga_core.settings.layers import using_command_line
from renga_testing.fake_distribution import write_distribution


def message(error: type[Exception], act) -> str:
    with pytest.raises(error) as caught:
        act()
    assert type(caught.value) is error
    return str(caught.value)


def told(warned) -> str:
    """The text of the only warning."""
    (one,) = warned
    return str(one.message)


@pytest.mark.parametrize(
    ("requires", "reason", "step"),
    [
        (
            "renga>=9",
            "it requires renga>=9, and renga 0.1.0 is installed",
            "Upgrade renga, or install an older acme-dist.",
        ),
        (
            "Renga[plot] <0.1",
            "it requires renga<0.1, and renga 0.1.0 is installed",
            "Upgrade acme-dist: pip install --upgrade acme-dist",
        ),
    ],
)
def test_incompatible_distribution_is_never_imported(site, offering, requires, reason, step) -> None:
    site.install(
        "acme", "1 / 0", requires=["numpy", requires, "renga>99; extra == 'x'", "renga>99; python_version<'3'"]
    )
    site.install("good", offering("adam"))
    with pytest.warns(RengaPluginWarning) as warned:
        assert site.registry(OPTIMIZER).names() == ("adam",)
    assert told(warned) == (f"plugin 'acme' (acme-dist 1.0) is incompatible: {reason}. {step}")
    assert "acme_plugin" not in sys.modules
    assert message(ProviderIncompatible, lambda: site.registry(OPTIMIZER).load("acme:lion")) == (
        f"optimizer 'acme:lion' (from argument) cannot be used: plugin 'acme' (acme-dist 1.0) is incompatible: "
        f"{reason}.\nNext: {step}"
    )


def test_compatible_distribution(site, offering) -> None:
    site.install("acme", offering("lion"), requires=["renga>=0.1,<1", "renga[cv]", "renga>9; extra == 'new'"])
    assert site.registry(OPTIMIZER).names() == ("lion",)


def test_disabled_is_never_imported(site, offering, monkeypatch) -> None:
    site.install("acme", "1 / 0")
    site.install("good", offering("adam"))
    monkeypatch.setenv("RENGA_PLUGINS_DISABLE", "acme")
    assert site.registry(OPTIMIZER).names() == ("adam",)
    assert "acme_plugin" not in sys.modules
    assert message(ProviderUnavailable, lambda: site.registry(OPTIMIZER).load("acme:lion", origin="x")) == (
        "optimizer 'acme:lion' (from x) cannot be used: plugin 'acme' (acme-dist 1.0) is disabled: "
        "'acme' is in plugins.disable (environment RENGA_PLUGINS_DISABLE).\nNext: Remove 'acme' there to use it."
    )
    assert message(UnknownProvider, lambda: site.registry(OPTIMIZER).load("lion")) == (
        "no optimizer named 'lion' (from argument). Known: adam.\nNot loaded:\n  - plugin 'acme' (acme-dist 1.0): "
        "disabled: 'acme' is in plugins.disable (environment RENGA_PLUGINS_DISABLE)"
    )


def test_misspelt_disabled_name(site, offering, monkeypatch) -> None:
    site.install("acme", offering("adam"))
    monkeypatch.setenv("RENGA_PLUGINS_DISABLE", "acne,elsewhere")
    with pytest.warns(RengaPluginWarning) as warned:
        site.manager.plugins()
    assert told(warned) == (
        "plugins.disable names 'acne' (from environment RENGA_PLUGINS_DISABLE), which is unknown. Did you mean 'acme'?"
    )


def test_unknown_name_disabled_for_this_command(site, offering, monkeypatch) -> None:
    """A setting of a machine may name plugins that are not installed; a name that was just typed is a mistake."""
    site.install("acme", offering("adam"))
    said = {"plugins.disable": ("-p", ["elsewhere"])}
    with using_command_line(said), pytest.warns(RengaPluginWarning) as warned:
        site.manager.plugins()
    assert told(warned) == "plugins.disable names 'elsewhere' (from command line -p), which is unknown."


def test_misspelt_disabled_provider(site, offering, monkeypatch) -> None:
    site.install("acme", offering("adam"))
    monkeypatch.setenv("RENGA_PLUGINS_DISABLE", "acme:adma,acme:adam,elsewhere:adam")
    with pytest.warns(RengaPluginWarning) as warned:
        site.manager.plugins()
    assert told(warned) == (
        "plugins.disable names 'acme:adma' (from environment RENGA_PLUGINS_DISABLE), which plugin 'acme' does "
        "not offer. Did you mean 'acme:adam'?"
    )


def test_one_entry_point_name_in_two_distributions(site, offering, monkeypatch) -> None:
    for name in ("one", "two"):
        plugin = {f"{name}_plugin": "from renga_core.plugin import *\n" + offering("adam")}
        site.install("x", distribution=name, modules=plugin, entry_points={"acme": f"{name}_plugin"})
    optimizers = site.registry(OPTIMIZER)
    assert [plugin.name for plugin in site.manager.plugins()] == ["acme@one", "acme@two"]
    assert message(AmbiguousProvider, lambda: optimizers.load("acme:adam")) == (
        "optimizer 'acme:adam' (from argument) is offered by 2 plugins:\n"
        "  - acme@one:adam   (one 1.0, ready)\n"
        "  - acme@two:adam   (two 1.0, ready)\n"
        'Choose one: use the full name, or set [prefer.optimizer] adam = "acme@one".'
    )
    assert optimizers.get("acme@two:adam").plugin.distribution == "two"
    monkeypatch.setenv("RENGA_PLUGINS_DISABLE", "acme@two")
    assert optimizers.get("adam").full_name == "acme@one:adam"


def test_one_entry_point_name_twice_in_one_distribution(site, good) -> None:
    pairs = [("bad", "os"), ("bad", "sys")]
    site.install("bad", entry_points=pairs)
    with pytest.warns(RengaPluginWarning) as warned:
        assert good()
    assert told(warned) == (
        "plugin 'bad' (bad-dist 1.0) is invalid: bad-dist has 2 entry points of this name: os, sys. "
        "Rename one of them in bad-dist."
    )


def test_two_entry_points_name_one_module(site, good) -> None:
    site.install("bad", entry_points={"bad": "bad_plugin", "worse": "bad_plugin"})
    with pytest.warns(RengaPluginWarning) as warned:
        assert good()
    assert told(warned) == (
        "plugin 'worse' (bad-dist 1.0) is invalid: its entry point names the same bad_plugin as "
        "plugin 'bad' (bad-dist 1.0). Remove one of the entry points from bad-dist."
    )


def test_entry_point_with_an_impossible_name(site, good) -> None:
    site.install("bad", entry_points={"Bad Name": "bad_plugin"})
    with pytest.warns(RengaPluginWarning, match="its entry point is named 'Bad Name'; expected lower-case letters"):
        assert good()


def test_unreadable_metadata_hides_nobody_else(site, good) -> None:
    site.install("bad")
    (site.folder / "bad_dist-1.0.dist-info" / "entry_points.txt").write_text("[renga]\nthis is no entry point\n")
    with pytest.warns(
        RengaPluginWarning, match=r"plugin 'bad-dist' \(bad-dist\) is broken: importing its metadata raised"
    ):
        assert good()


def test_what_importlib_metadata_finds(site):
    """Folders are read by hand, to the same end; here with all that is installed beside."""
    site.install("acme", requires=["numpy>=2", "renga>=0.1; python_version > '3'"])
    site.install("two", entry_points={"one": "two_plugin:a.b [extra]", "other": "two_plugin : c"})
    (site.folder / "three-1.0.egg-info").mkdir()
    (site.folder / "three-1.0.egg-info" / "PKG-INFO").write_text("Name: Three\nVersion: 1.0\n\nVersion: 2.0\n")
    (site.folder / "three-1.0.egg-info" / "entry_points.txt").write_text("# one\n[other]\na=b\n[renga]\nthree = os\n")
    later = site.folder / "later"
    write_distribution(later, "acme-dist", entry_points={"acme": "later_plugin"})  # shadowed
    sys.path.insert(sys.path.index(str(site.folder)) + 1, str(later))
    try:
        right = importlib.metadata.entry_points(group="renga")
        expected = {(p.name, p.value, p.dist.name, p.dist.version, tuple(p.dist.requires or ())) for p in right}
        found = {(p.name, p.value, p.distribution, p.version, p.requires) for p in installed_entry_points()}
        assert found == expected
        assert {("three", "os", "Three", "1.0", ()), ("other", "two_plugin : c", "two-dist", "1.0", ())} <= found
        assert {p.name: p.load() for p in installed_entry_points() if p.name == "three"} == {"three": os}
    finally:
        sys.path.remove(str(later))
