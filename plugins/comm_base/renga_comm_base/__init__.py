"""What communicators and launchers have in common: for those who write one.

`Communicator` builds a configuration, means of gradients and what acts on whole models on the collectives that a
subclass writes. It registers nothing itself, and builds on `renga_core` only: see docs/how-to/write-a-communicator.md.

- `communicator`: `Communicator`.
- `arguments`: what all of them refuse.
- `nodes`: numbers of ranks and nodes, where the node of each rank is known.
- `packing`: arrays that travel together. `half`: sums that travel in 16 bits.
- `background`: collectives that go on while the caller computes.
- `launched`: whether this process is one of several, before there is a communicator. `threads`: with how many a rank
  computes.
"""

from renga_comm_base.communicator import Communicator

__all__ = ["Communicator"]
