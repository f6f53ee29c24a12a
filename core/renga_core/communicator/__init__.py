"""How processes talk to each other.

- `base`: `CommunicatorBase`, what every communicator can do; plugins provide communicators (kind ``communicator``), and
  ``registry(COMMUNICATOR).load("single")()`` makes the one for a single process. To write one, implement the abstract
  methods; what acts on a whole model is built on these and may be overridden by something faster.
- `errors`: what every rank gets when ranks disagree (`MismatchError`), or when another one has failed (`RankFailed`).
- `arguments`: what all of them refuse.
- `launched`: whether this process is one of several, before there is a communicator.
- `launcher`: starting ranks (kind ``launcher``).
- `packing`: arrays that travel together. `half`: sums that travel in 16 bits. `request`, `background`: collectives that
  go on while the caller computes.
"""

from .base import CommunicatorBase
from .errors import MismatchError, RankFailed
from .request import Done, Request

__all__ = ["CommunicatorBase", "Done", "MismatchError", "RankFailed", "Request"]
