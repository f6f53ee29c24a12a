"""What each process of a job with dormant processes runs first: it becomes the program, or a dormant process.

``start.py FIRST POSITION COMMAND …``: `FIRST` is the first rank that is dormant, and `POSITION` where in the command
the options of its Python end. Nothing of Renga's is imported, so it takes a few milliseconds.
"""

import os
import sys

__all__ = ["main"]


def main(first: int, position: int, command: list[str]) -> None:
    """Become what this rank is to be."""
    if int(os.environ["OMPI_COMM_WORLD_RANK"]) >= first:
        command[position:position] = ["-m", "renga_comm_mpi.resilient.dormant"]
    os.execvp(command[0], command)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3:])
