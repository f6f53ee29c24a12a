"""One real distribution for each way of failing; what is said is compared whole."""

import sys
from contextlib import nullcontext

import pytest

from renga_core.kinds import EXTENSION, OPTIMIZER
from renga_core.plugin import (
    AmbiguousProvider,
    ProviderFaulty,
    ProviderIncompatible,
    ProviderUnavailable,
    RengaPluginWarning,
    State,
    UnknownProvider,
)


def message(error: type[Exception], act) -> str:
    with pytest.raises(error) as caught:
        act()
    assert type(caught.value) is error
    return str(caught.value)


def told(warned) -> str:
    """The text of the only warning."""
    (one,) = warned
    return str(one.message)


REPORT = "Report it to bad-dist, or disable it: RENGA_PLUGINS_DISABLE=bad"


@pytest.mark.parametrize(
    ("source", "raised"),
    [
        ("raise RuntimeError('no licence\\nsecond line')", "RuntimeError: no licence"),
        ("import sys; sys.exit(3)", "SystemExit: 3"),
        ("import nowhere_to_be_found", "ModuleNotFoundError: No module named 'nowhere_to_be_found'"),
        ("def f(:", "SyntaxError: invalid syntax (bad_plugin.py, line 2)"),
    ],
)
def test_raises_when_imported(site, good, source, raised) -> None:
    site.install("bad", source)
    reason = f"importing bad_plugin raised {raised}"
    with pytest.warns(RengaPluginWarning) as warned:
        plugins = site.manager.plugins()
    assert told(warned) == (f"plugin 'bad' (bad-dist 1.0) is broken: {reason}. {REPORT}")
    assert [(plugin.name, plugin.status.state) for plugin in plugins] == [("bad", "broken"), ("good", "ready")]
    assert plugins[0].error is not None
    assert good()  # and no second warning, which would be an error here
    assert message(ProviderFaulty, lambda: site.registry(OPTIMIZER).load("bad:lion")) == (
        f"optimizer 'bad:lion' (from argument) cannot be used: plugin 'bad' (bad-dist 1.0) is broken: {reason}.\n"
        f"Next: {REPORT}"
    )
    assert message(UnknownProvider, lambda: site.registry(OPTIMIZER).load("lion")) == (
        "no optimizer named 'lion' (from argument). Known: adam.\n"
        f"Not loaded:\n  - plugin 'bad' (bad-dist 1.0): broken: {reason}"
    )


def test_keyboard_interrupt_passes_and_leaves_nothing_half_done(site, good) -> None:
    site.install("bad", "raise KeyboardInterrupt")
    with pytest.raises(KeyboardInterrupt):
        site.manager.plugins()
    site.install("bad", "")
    assert [plugin.status.state for plugin in site.manager.plugins()] == ["ready", "ready"]


def test_warning_that_is_an_error_leaves_the_manager_whole(site, good) -> None:
    site.install("bad", "raise RuntimeError('no licence')")
    with pytest.raises(RengaPluginWarning):  # warnings are errors in these tests
        site.manager.plugins()
    assert good()


def test_misspelt_hook(site, good, offering) -> None:
    site.install("bad", offering("lion", hook="renga_optimisers") + offering("log", hook="renga_extensions"))
    with pytest.warns(RengaPluginWarning) as warned:
        assert good()
    assert told(warned) == (
        "plugin 'bad' (bad-dist 1.0), hook 'renga_optimisers' is invalid: there is no such hook. "
        "Did you mean 'renga_optimizers'?"
    )
    assert site.registry(EXTENSION).names() == ("log",)  # its other hook serves
    assert message(UnknownProvider, lambda: site.registry(OPTIMIZER).load("lion")) == (
        "no optimizer named 'lion' (from argument). Known: adam.\nNot loaded:\n"
        "  - plugin 'bad' (bad-dist 1.0), hook 'renga_optimisers': invalid: there is no such hook"
    )


def test_hook_without_its_mark(site, good) -> None:
    site.install("bad", "def renga_optimizers(): return []")
    with pytest.warns(
        RengaPluginWarning,
        match=r"hook 'renga_optimizers' is invalid: it is not marked as a hook. Put @hookimpl above it.",
    ):
        assert good()


def test_optional_hook_of_a_kind_that_is_not_there(site, good) -> None:
    site.install("fine", "@hookimpl(optional=True)\ndef renga_detectors(): return []")
    assert good()
    assert site.manager.problems() == ()


def test_hook_with_an_argument(site, good) -> None:
    site.install("bad", "@hookimpl\ndef renga_optimizers(config): return []")
    with pytest.warns(RengaPluginWarning) as warned:
        assert good()
    assert str(warned[0].message).startswith("plugin 'bad' (bad-dist 1.0) is invalid: its hooks are refused: ")
    assert "Argument(s) {'config'} are declared in the hookimpl but can not be found in the hookspec" in str(
        warned[0].message
    )


def test_two_offer_one_name(site, offering, monkeypatch) -> None:
    site.install("cupy", offering("lion", needs=("nowhere",)), version="0.1.0")
    plugin = {"acme_plugin": "from renga_core.plugin import *\n" + offering("lion")}
    site.install(
        "acme-cupy", distribution="acme-cupy", version="2.0", modules=plugin, entry_points={"acme-cupy": "acme_plugin"}
    )
    optimizers = site.registry(OPTIMIZER)
    assert [(offer.full_name, status.state) for offer, status in optimizers.list()] == [
        ("acme-cupy:lion", "ambiguous"),
        ("cupy:lion", "ambiguous"),
    ]  # and not an error until the name is used
    whole = (
        "optimizer 'lion' (from command line --optimizer) is offered by 2 plugins:\n"
        "  - acme-cupy:lion   (acme-cupy 2.0, ready)\n"
        "  - cupy:lion        (cupy-dist 0.1.0, unavailable: module 'nowhere' is not installed)\n"
        'Choose one: use the full name, or set [prefer.optimizer] lion = "acme-cupy".'
    )
    assert message(AmbiguousProvider, lambda: optimizers.load("lion", origin="command line --optimizer")) == whole
    # A list does not pass over it either: that would leave the choice to what happens to be installed.
    assert message(AmbiguousProvider, lambda: optimizers.load(["lion"], origin="command line --optimizer")) == whole
    assert optimizers.get("acme-cupy:lion").plugin.distribution == "acme-cupy"
    monkeypatch.setenv("RENGA_PLUGINS_DISABLE", "cupy")
    assert optimizers.get("lion").full_name == "acme-cupy:lion"
    monkeypatch.setenv("RENGA_PLUGINS_DISABLE", "cupy:lion")
    assert optimizers.get("lion").full_name == "acme-cupy:lion"


@pytest.mark.parametrize(
    ("revision", "step"),
    [
        (9, "Upgrade renga, or install an older acme-dist."),
        (1, "Upgrade acme-dist: pip install --upgrade acme-dist"),
    ],
)
def test_other_revision_of_the_interface(site, offering, revision, step) -> None:
    """The message says which side to upgrade."""
    newest = "Kind('gadget', revisions=(3, 4))"
    site.install("house", f"@hookimpl\ndef renga_kinds(): return [{newest}]")
    site.install("acme", offering("lion", hook="renga_gadgets", revision=revision))
    gadgets = site.registry(site.manager.kind("gadget"))
    assert message(ProviderIncompatible, lambda: gadgets.load("lion")) == (
        "gadget 'lion' (from argument), offered by plugin 'acme' (acme-dist 1.0), is incompatible: it was made for "
        f"revision {revision} of the gadget interface, and this Renga has revisions 3, 4.\nNext: {step}"
    )


def test_missing_module(site, offering) -> None:
    site.install("acme", offering("one", needs=("nowhere",), install_hint="pip install nowhere"))
    site.install("other", offering("two", needs=("nowhere", "neither", "os")))
    optimizers = site.registry(OPTIMIZER)
    assert message(ProviderUnavailable, lambda: optimizers.load("one")) == (
        "optimizer 'one' (from argument), offered by plugin 'acme' (acme-dist 1.0), is not available: "
        "module 'nowhere' is not installed.\nNext: pip install nowhere"
    )
    assert message(ProviderUnavailable, lambda: optimizers.load("two")) == (
        "optimizer 'two' (from argument), offered by plugin 'other' (other-dist 1.0), is not available: "
        "modules 'nowhere' and 'neither' are not installed.\nNext: Install 'nowhere' and 'neither'."
    )


@pytest.mark.parametrize(
    ("body", "state", "reason"),
    [
        ("return None", "invalid", "returned None where a list was expected"),
        ("return 'lion'", "invalid", "returned 'lion' where a list was expected"),
        ("return 7", "invalid", "returned 7 where a list was expected"),
        ("return ['lion']", "invalid", "returned 'lion' where a Provider was expected"),
        ("return [object()]", "invalid", "returned a object where a Provider was expected"),
        ("raise ValueError('boom')", "broken", "raised ValueError: boom"),
        ("raise SystemExit", "broken", "raised SystemExit"),
        ("yield Provider('lion', 'os:getcwd', 1, ''); raise OSError('midway')", "broken", "raised OSError: midway"),
        (
            "return [Provider('Lion!', 'os:getcwd', 1, '')]",
            "invalid",
            "Provider 'Lion!': name is 'Lion!'; expected lower-case letters, digits, _ . -",
        ),
        (
            "return registry('optimizer').list()",
            "broken",
            "raised RengaPluginError: plugins were asked for something while they were being asked what they offer",
        ),
    ],
)
def test_hook_that_raises_or_returns_garbage(site, good, body, state, reason) -> None:
    site.install("bad", f"@hookimpl\ndef renga_optimizers():\n    {body}\n")
    with pytest.warns(RengaPluginWarning) as warned:
        assert good()
    where = "plugin 'bad' (bad-dist 1.0), hook 'renga_optimizers'"
    assert told(warned) == (f"{where} is {state}: {reason}. {REPORT}")
    assert site.registry(OPTIMIZER).names() == ("adam",)
    phrase = {"invalid": "is invalid", "broken": "is broken"}[state]
    assert message(ProviderFaulty, lambda: site.registry(OPTIMIZER).load("bad:lion")) == (
        f"optimizer 'bad:lion' (from argument) cannot be used: {where} {phrase}: {reason}.\nNext: {REPORT}"
    )


def test_one_wrong_item_leaves_the_others(site) -> None:
    site.install("bad", "@hookimpl\ndef renga_optimizers(): return [7, Provider('lion', 'os:getcwd', 1, '')]")
    with pytest.warns(RengaPluginWarning, match="returned 7"):
        assert site.registry(OPTIMIZER).names() == ("lion",)


def test_one_name_twice_in_one_plugin(site, offering) -> None:
    site.install("bad", offering("lion", "lion", "adam"))
    assert [(offer.name, status.state) for offer, status in site.registry(OPTIMIZER).list()] == [
        ("lion", State.INVALID),
        ("adam", State.READY),
    ]


def test_target_that_raises(site, offering) -> None:
    site.install("bad", offering("lion", target="bad_target:Lion", url="https://acme.example"))
    (site.folder / "bad_target.py").write_text("raise RuntimeError('no licence')")
    optimizers = site.registry(OPTIMIZER)
    whole = (
        "optimizer 'lion' (from argument), offered by plugin 'bad' (bad-dist 1.0), is broken: importing "
        "bad_target:Lion raised RuntimeError: no licence.\n"
        "Next: Report it to bad-dist (https://acme.example), or choose another optimizer."
    )
    assert optimizers.get("lion")  # listing imports nothing
    with pytest.raises(ProviderFaulty) as caught:
        optimizers.load("lion")
    assert str(caught.value) == whole
    assert isinstance(caught.value.__cause__, RuntimeError)
    assert message(ProviderFaulty, lambda: optimizers.load("lion")) == whole  # its error is kept
    assert optimizers.list()[0].status.state == "broken"


def test_heavy_target_is_imported_only_when_loaded(site, offering) -> None:
    site.install("acme", offering("lion", target="acme_heavy:Lion"))
    (site.folder / "acme_heavy.py").write_text("import time\ntime.sleep(0.2)\nclass Lion: pass\n")
    optimizers = site.registry(OPTIMIZER)
    assert optimizers.names() == ("lion",)
    assert optimizers.get("lion").provider.summary == "for a test"
    assert optimizers.select("lion").offer.full_name == "acme:lion"
    assert "acme_heavy" not in sys.modules
    assert optimizers.load("lion").__name__ == "Lion"
    assert optimizers.load("lion") is sys.modules["acme_heavy"].Lion


STOP = "class Stop(BaseException): pass\n"
"""An exception of a plugin's own that ``except Exception`` lets pass."""


@pytest.mark.parametrize(
    ("plugin", "target", "probe"),
    [
        (STOP + "raise Stop('now')", "", ""),
        (STOP + "@hookimpl\ndef renga_optimizers(): raise Stop('now')", "", ""),
        (STOP + "@hookimpl\ndef renga_kinds(): raise Stop('now')", "", ""),
        (STOP + "@hookimpl\ndef renga_configure(manager): raise Stop('now')", "", ""),
        ("", STOP + "raise Stop('now')", ""),
        ("", "class Lion: pass", STOP + "def check(): raise Stop('now')"),
        ("", "class Lion: pass", STOP + "raise Stop('now')"),
    ],
)
def test_exceptions_of_its_own_are_held_back(site, offering, plugin, target, probe) -> None:
    """Wherever it raises one, it alone is broken, and a list of wishes passes over it."""
    fields = {"target": "bad_target:Lion", **({"probe": "bad_probe:check"} if probe else {})}
    site.install("bad", plugin or offering("lion", **fields))
    (site.folder / "bad_target.py").write_text(target)
    (site.folder / "bad_probe.py").write_text(probe)
    site.install("good", offering("adam"))
    with pytest.warns(RengaPluginWarning, match="Stop: now") if plugin else nullcontext():
        site.manager.plugins()
        site.manager.offers(OPTIMIZER)
    optimizers = site.registry(OPTIMIZER)
    assert optimizers.load(["lion", "adam"], probe=True).__name__ == "getcwd"
    told = [*(it.status for it in site.manager.plugins()), *(it.status for it in site.manager.problems())]
    told += [status for _, status in optimizers.list()]
    assert [status.state for status in told if "Stop: now" in status.reason] == ["broken"]
