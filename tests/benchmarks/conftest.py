"""`benchmarks` is in no distribution: it is found in the checkout, after all that is installed."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[2]))
