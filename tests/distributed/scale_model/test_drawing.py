import sys

import pytest

from renga_distributed.scale_model import LINKS, Cluster, DrawingError, Step, draw, predict

CURVES = {
    "ring": [predict(Step(10**7, 0.1, 0.2), Cluster(LINKS["pcie3"], LINKS["ethernet_10g"], 8), n) for n in (1, 8, 64)]
}


@pytest.mark.parametrize(("name", "start"), [("a.png", b"\x89PNG"), ("a.svg", b"<?xml"), ("a.PDF", b"%PDF")])
def test_pictures_are_written(tmp_path, name, start) -> None:
    draw(CURVES, str(tmp_path / name))
    assert (tmp_path / name).read_bytes().startswith(start)


@pytest.mark.parametrize("name", ["a.txt", "a"])
def test_other_formats_are_refused_and_nothing_written(tmp_path, name) -> None:
    with pytest.raises(DrawingError, match=r"its suffix is none of .*pdf, .*png"):
        draw(CURVES, str(tmp_path / name))
    assert list(tmp_path.iterdir()) == []


def test_without_matplotlib(tmp_path, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "matplotlib.ticker", None)
    with pytest.raises(DrawingError, match=r"pip install 'renga\[plot\]'"):
        draw(CURVES, str(tmp_path / "a.png"))
