"""How processes talk to each other.

- `base`: `CommunicatorBase`, what every communicator can do; plugins provide communicators (kind ``communicator``), and
  ``registry(COMMUNICATOR).load("single")()`` makes the one for a single process. To write one, derive it from
  `renga_comm_base.Communicator`, which needs no more than how ranks talk to each other.
- `errors`: what every rank gets when ranks disagree (`MismatchError`), or when another one has failed (`RankFailed`).
- `launcher`: starting ranks (kind ``launcher``).
- `request`: `Request`, a collective that goes on while the caller computes.
"""

from .base import CommunicatorBase
from .errors import MismatchError, RankFailed
from .request import Request

__all__ = ["CommunicatorBase", "MismatchError", "RankFailed", "Request"]
