"""All that is known of plugins, as rows."""

import pytest

from renga.cli.plugin_rows import rows
from renga_core.plugin import RengaPluginWarning


def test_rows(site, offering, monkeypatch) -> None:
    site.install("acme", offering("lion", "adam", needs=("nowhere",)), version="2.0")
    site.install("bad", "@hookimpl\ndef renga_optimisers(): return []")
    site.install("off", "1 / 0")
    site.install("quiet")
    monkeypatch.setenv("RENGA_PLUGINS_DISABLE", "off")
    monkeypatch.setenv("RENGA_PLUGINS_REQUIRED", "elsewhere")  # a listing must still be had
    with pytest.warns(RengaPluginWarning):
        found = rows(site.manager)
    missing = ("unavailable", "module 'nowhere' is not installed", "Install 'nowhere'.", "for a test")
    assert found == [
        ("acme", "acme-dist", "2.0", "optimizer", "adam", *missing),
        ("acme", "acme-dist", "2.0", "optimizer", "lion", *missing),
        (
            *("bad", "bad-dist", "1.0", "", "renga_optimisers", "invalid", "there is no such hook"),
            *("Did you mean 'renga_optimizers'?", ""),
        ),
        (
            *("off", "off-dist", "1.0", "", "", "disabled"),
            "'off' is in plugins.disable (environment RENGA_PLUGINS_DISABLE)",
            *("Remove 'off' there to use it.", ""),
        ),
        ("quiet", "quiet-dist", "1.0", "", "", "ready", "it offers nothing", "", ""),
    ]
