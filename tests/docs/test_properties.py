"""The page that says which property was checked for which function says what the tests are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).parents[2] / "docs" / "reference" / "properties.py"


@pytest.mark.slow
def test_no_property_of_a_function_or_link_is_without_a_test_or_a_reason() -> None:
    run = subprocess.run([sys.executable, str(SCRIPT), "--check"], capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout + run.stderr
