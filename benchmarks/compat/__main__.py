"""The same as ``python -m benchmarks compat``."""

import sys

from benchmarks.compat.command import main

sys.exit(main(sys.argv[1:]))
