"""Base classes for authors of communicators and launchers.

`Communicator` implements the configuration, means of gradients and operations on whole models, using the collectives of
a subclass. This package registers nothing itself, and uses `renga_core` only: see docs/how-to/write-a-communicator.md.

- `communicator`: `Communicator`.
- `arguments`: common checks of arguments.
- `nodes`: numbers of ranks and nodes, if the node of each rank is known.
- `packing`: arrays that are sent together. `half`: sums that are sent in 16 bits.
- `background`: collectives that run while the caller computes.
- `resilience`: the protocol of groups that continue when ranks die. `members`, `places`: who takes which place then.
  `derived`: groups made by `split`, which are made again.
- `launched`: whether this process is one of several, before a communicator exists. `threads`: the number of threads of
  a rank.
"""

from renga_comm_base.communicator import Communicator

__all__ = ["Communicator"]
