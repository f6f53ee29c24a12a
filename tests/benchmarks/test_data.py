"""`python -m benchmarks data`."""

import argparse

import pytest

from benchmarks.data import command, loader
from benchmarks.data.pictures import make_pictures

pytest.importorskip("PIL", reason="pictures are read by Pillow")


def test_renga_loads_in_each_way(tmp_path, monkeypatch):
    monkeypatch.setattr(loader, "BATCH", 4)
    monkeypatch.setattr(loader, "FIRST", 1)
    make_pictures(tmp_path / "pictures", 120)
    times = {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.jpg")}
    make_pictures(tmp_path / "pictures", 120)  # they are there
    assert {path: path.stat().st_mtime_ns for path in tmp_path.rglob("*.jpg")} == times
    for way in command.WAYS:
        if way.library == "renga" and way.number < 2:
            taken = loader.measure("renga", str(tmp_path / "pictures"), way.helpers, way.number, 3, 1.0)
            assert 0 < taken["waited"] < taken["ms"]
            assert taken["cpu"] >= 0


def test_the_page():
    arguments = argparse.Namespace(pictures=2000, batches=24, rounds=5, use=200.0)
    least = {
        way.name: {"ms": 50.0, "cpu": 40.0 if way.library == "renga" else 80.0, "waited": 1.0} for way in command.WAYS
    }
    page = command._page(least, arguments)
    assert "2,000 JPEG files" in page
    assert "| renga, 2 threads | 50.0 | 1.00 | 40.0 | 0.50 | 1.0 |" in page
    assert page.count("\n| ") == len(command.WAYS) + 1
