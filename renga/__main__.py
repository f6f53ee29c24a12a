"""`python -m renga`, the same as the command `renga`."""

import sys

from renga.cli import main

status = main()
# Not `sys.exit(main())`: it would look up `exit` before a communicator replaces it to learn the exit status.
sys.exit(status)
