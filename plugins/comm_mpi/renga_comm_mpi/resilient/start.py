"""The first program of each process in a job with dormant processes: it becomes the program or a dormant process.

``start.py FIRST POSITION COMMAND …``: `FIRST` is the first dormant rank. `POSITION` is the index in the command after
Python's options. It imports nothing of Renga, so it takes a few milliseconds.
"""

import os
import sys

__all__ = ["main"]


def main(first: int, position: int, command: list[str]) -> None:
    """Replace this process by its program."""
    if int(os.environ["OMPI_COMM_WORLD_RANK"]) >= first:
        command[position:position] = ["-m", "renga_comm_mpi.resilient.dormant"]
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
