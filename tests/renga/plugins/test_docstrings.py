"""What a target is, read from its source: nothing is imported."""

from __future__ import annotations

import sys
import textwrap

import pytest

from renga.cli.docstrings import first_line, summary_of
from renga_core.kinds import FUNCTION, LINK, OPTIMIZER
from renga_core.plugin import Offer, Provider, registry
from renga_core.plugin.state import Plugin

MODULES = {
    "spoken/__init__.py": """
        raise RuntimeError("imported")
        from spoken.plain import plain as renamed, Plain
        from .inner import deep
        from .stars import *
        from spoken.circle import round_and_round
        from nowhere_at_all import gone
    """,
    "spoken/plain.py": '''
        def plain():
            """Does something plain.

            And more.
            """

        class Plain:
            """A plain thing"""

        second = plain
        made = lambda: None

        def silent():
            pass

        async def later():
            """Not a function."""
    ''',
    "spoken/inner/__init__.py": "from ..inner.deeper import deep",
    "spoken/inner/deeper.py": 'def deep():\n    "From the depth."',
    "spoken/stars.py": 'def starred():\n    """One of many."""',
    "spoken/circle.py": "from spoken import round_and_round",
    "spoken/broken.py": "def (",
    "alone.py": 'class Alone:\n    """By itself."""',
}


@pytest.fixture(autouse=True)
def sources(tmp_path, monkeypatch):
    for name, text in MODULES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    yield
    assert not {name for name in sys.modules if name.partition(".")[0] in ("spoken", "alone")}


@pytest.mark.parametrize(
    ("target", "line"),
    [
        ("spoken.plain:plain", "Does something plain"),
        ("spoken.plain:Plain", "A plain thing"),
        ("spoken.plain:Plain.method", "A plain thing"),
        ("spoken.plain:second", "Does something plain"),
        ("spoken:renamed", "Does something plain"),
        ("spoken:Plain", "A plain thing"),
        ("spoken:deep", "From the depth"),
        ("spoken:starred", "One of many"),
        ("alone:Alone", "By itself"),
        *[
            (target, "")
            for target in (
                "spoken.plain:made",
                "spoken.plain:silent",
                "spoken.plain:absent",
                "spoken.plain:later",
                "spoken:plain",
                "spoken:gone",
                "spoken:round_and_round",
                "spoken.broken:anything",
                "spoken.absent:anything",
                "nowhere_at_all:anything",
                "sys:exit",
            )
        ],
    ],
)
def test_first_line(target, line):
    assert first_line(target) == line


def test_a_summary_wins():
    plugin = Plugin("mine", ("mine",), "mine", "mine", "1.0", "mine", lambda: None)
    described = Provider("alone", "alone:Alone", 1, "as described")
    assert summary_of(Offer(LINK, plugin, described)) == "as described"
    assert summary_of(Offer(LINK, plugin, Provider("alone", "alone:Alone", 1))) == "By itself"


@pytest.mark.parametrize("kind", [FUNCTION, LINK, OPTIMIZER])
def test_all_that_is_in_the_tree_says_what_it_is(kind):
    silent = [offer.full_name for offer, _ in registry(kind).list() if not summary_of(offer)]
    assert silent == []
