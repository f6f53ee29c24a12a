"""The page that says what Renga asks of an array has the names that the conformance kit tries."""

from __future__ import annotations

import re
from pathlib import Path

from renga_testing.suites import array_names

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "array-subset.md"


def test_the_page_has_the_names_of_the_kit() -> None:
    rows = dict(re.findall(r"^\| ([^|]+) \| (`[^|]+`) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE))
    assert {what: set(re.findall(r"`([^`]+)`", names)) for what, names in rows.items()} == {
        "attributes": set(array_names.ATTRIBUTES),
        "methods": set(array_names.METHODS),
        "functions, element by element": set(array_names.ELEMENTWISE),
        "other functions of the standard": set(array_names.STANDARD),
        "functions beyond it": set(array_names.BEYOND),
        "constants and dtypes": {*array_names.CONSTANTS, *array_names.DTYPES},
    }
