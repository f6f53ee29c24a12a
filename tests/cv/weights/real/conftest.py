"""What the tests on trained weights share: the commands as a user types them."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from renga.cli import main
from renga_core.configuration import using_config

Predict = Callable[..., dict[str, Any]]


@pytest.fixture
def predict(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Iterator[Predict]:
    """Convert a file of weights, and return the rows about photographs by the photograph's name."""
    monkeypatch.chdir(tmp_path)
    pytest.importorskip("PIL")

    def run(model: str, source: Path, photographs: list[Path], *options: str) -> dict[str, Any]:
        assert main(["weights", "convert", str(source), "converted.npz"]) == 0
        assert f"renga predict {model} --weights converted.npz" in capsys.readouterr().out
        words = ["predict", model, "--weights", "converted.npz", *options, *map(str, photographs)]
        assert main(words) == 0
        rows = csv.DictReader(io.StringIO(capsys.readouterr().out))
        found = {Path(row.pop("input")).stem: row for row in rows}
        return {name: json.loads(row["objects"]) if "objects" in row else row for name, row in found.items()}

    with using_config("cv_resize_backend", "PIL"):  # OpenCV's pictures are a little sharper, and the figures others
        yield run
