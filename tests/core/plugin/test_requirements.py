"""``Requires-Dist`` on Renga against the version installed."""

import sys

import pytest

from renga_core.plugin.requirements import check_requirements
from renga_core.plugin.state import READY


@pytest.mark.parametrize(
    ("line", "installed"),
    [
        ("renga", None),
        ("renga[plot]", None),
        ("renga-extras>=9", "0.1.0"),
        ("numpy>=99", None),
        ("renga>=0.1", "0.1.0"),
        ("renga>=0.1", "0.2.0.dev3"),  # who develops Renga has a pre-release installed
        ("RENGA (>=0.1,<0.2)", "0.1.7"),
        ("renga==0.1.*", "0.1.7"),
        ("renga>=9; extra == 'new'", "0.1.0"),
        ("renga>=9; python_version < '3'", "0.1.0"),
    ],
)
def test_met(line, installed) -> None:
    assert check_requirements("acme", [line], installed) is READY


@pytest.mark.parametrize(
    ("line", "installed", "step"),
    [
        ("renga>=0.2", "0.1.0", "Upgrade renga, or install an older acme."),
        ("renga==0.2.*", "0.1.0", "Upgrade renga, or install an older acme."),
        ("renga~=0.1.0", "0.2.0", "Upgrade acme: pip install --upgrade acme"),
        ("renga!=0.2.0", "0.2.0", "Upgrade acme: pip install --upgrade acme"),
        ("renga>=0.2", None, "Install renga>=0.2."),
    ],
)
def test_unmet_says_which_side_to_upgrade(line, installed, step) -> None:
    status = check_requirements("acme", ["renga", line], installed)
    assert (status.state, status.next_step) == ("incompatible", step)


def test_unreadable() -> None:
    assert check_requirements("acme", ["renga >> 1"], "0.1.0") == (
        "invalid",
        "its requirement 'renga >> 1' is invalid",
        "Correct the metadata of acme.",
    )


def test_what_cannot_be_checked_is_not_imported(monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "packaging.requirements", None)
    assert check_requirements("acme", ["renga>=0.1"], "0.1.0") == (
        "incompatible",
        "its requirement 'renga>=0.1' cannot be checked without module 'packaging'",
        "pip install packaging",
    )
