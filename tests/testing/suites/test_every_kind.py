"""Whoever writes a plugin of some kind finds a kit, a template, a page, and what the kit refuses."""

from pathlib import Path

import pytest

from renga.cli.new import SORTS
from renga_core.plugin import get_manager

ROOT = Path(__file__).parents[3]
REFUSED = (ROOT / "docs" / "reference" / "conformance.md").read_text(encoding="utf-8")
FAULTY = Path(__file__).parent / "faulty"
WITHOUT = {"namespace"}
"""Names in a public module, which nothing calls: write-a-plugin.md says which kit looks at them."""
KINDS = sorted(get_manager().kinds().keys() - WITHOUT)


@pytest.mark.parametrize("kind", KINDS)
def test_it_is_complete(kind):
    words = {sort.kind: word.replace("_", "-") for word, sort in SORTS.items()}
    articles = [f"docs/how-to/write-{article}-{words.get(kind, kind)}.md" for article in ("a", "an")]
    has = {
        "a kit, in its row of kinds": bool(get_manager().kinds()[kind].suite),
        "a template": kind in words,
        "a page": any((ROOT / page).exists() for page in articles),
        "a section of conformance.md": f"## {kind}\n" in REFUSED,
        "faulty plugins": (FAULTY / f"{kind}.py").exists() or (FAULTY / kind).is_dir(),
    }
    assert [what for what, there in has.items() if not there] == []


def test_what_is_without_is_no_kind_of_providers():
    from renga_core.plugin import Namespace

    assert {name for name, kind in get_manager().kinds().items() if kind.spec is Namespace} == WITHOUT
