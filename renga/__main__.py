"""`python -m renga`, the same as the command `renga`."""

import sys

from renga.cli import main

status = main()
# Not `sys.exit(main())`, which would look `exit` up before a communicator has put its own there, to know the status.
sys.exit(status)
