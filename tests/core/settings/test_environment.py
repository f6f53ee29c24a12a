"""RENGA_ variables."""

import pytest

from renga_core.settings import Setting, SettingsError, WrongType, lookup


@pytest.mark.parametrize(
    ("name", "text", "key", "value"),
    [
        ("RENGA_BACKEND", "cupy:0", "run.backend", "cupy:0"),
        ("RENGA_BACKEND", "cupy, numpy", "run.backend", ("cupy", "numpy")),
        ("RENGA_PLUGINS_DISABLE", "a,b:c,", "plugins.disable", ("a", "b:c")),
        ("RENGA_PLUGIN_AUTOLOAD", "0", "plugins.autoload", False),
        ("RENGA_PLUGIN_AUTOLOAD", "Yes", "plugins.autoload", True),
        ("RENGA_SEED", "12", "run.seed", 12),
    ],
)
def test_each_is_read_as_its_keys_type(monkeypatch, name, text, key, value):
    monkeypatch.setenv(name, text)
    assert lookup(key) == Setting(key, value, f"environment {name}")


def test_an_empty_variable_says_nothing(monkeypatch):
    monkeypatch.setenv("RENGA_SEED", "")
    assert lookup("run.seed").origin == "default"


def test_what_cannot_be_read_is_refused(monkeypatch):
    monkeypatch.setenv("RENGA_PLUGIN_AUTOLOAD", "perhaps")
    with pytest.raises(WrongType) as caught:
        lookup("plugins.autoload")
    assert str(caught.value) == (
        "plugins.autoload (from environment RENGA_PLUGIN_AUTOLOAD): expected bool, got 'perhaps' (str)"
    )


def test_misspelt_variables_are_refused_and_unrelated_ones_left_alone(monkeypatch):
    monkeypatch.setenv("RENGA_ACME_LICENCE", "x")
    lookup("run.seed")
    monkeypatch.setenv("RENGA_PLUGIN_DISABLE", "cupy")
    with pytest.raises(SettingsError) as caught:
        lookup("run.seed")
    assert str(caught.value) == (
        "environment RENGA_PLUGIN_DISABLE: no such variable. Did you mean 'RENGA_PLUGINS_DISABLE'?"
    )
