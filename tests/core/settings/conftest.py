"""Every test here starts in an empty folder, with no RENGA_ variable set."""

import os

import pytest


@pytest.fixture(autouse=True)
def nothing_said(tmp_path, monkeypatch):
    for name in list(os.environ):
        if name.startswith("RENGA_"):
            monkeypatch.delenv(name)
    monkeypatch.chdir(tmp_path)
    return tmp_path
