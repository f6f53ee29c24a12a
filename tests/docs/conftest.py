"""The scripts of the documentation site, and helpers beside the tests, are imported by the tests of this folder."""

import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path[:0] = [str(HERE.parents[1] / "docs" / "site"), str(HERE)]
