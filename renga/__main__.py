"""`python -m renga`, the same as the command `renga`."""

import sys

from renga.cli import main

sys.exit(main())
