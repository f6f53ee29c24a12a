"""Communication between processes.

- `base`: `CommunicatorBase`, the methods of every communicator. Plugins provide communicators (kind ``communicator``);
  ``registry(COMMUNICATOR).load("single")()`` makes the one for a single process. To write one, derive from
  `renga_comm_base.Communicator`, which needs only a way for ranks to exchange messages.
- `errors`: `MismatchError` if ranks disagree, and `RankFailed` if another rank has failed; every rank gets them.
- `launcher`: starting ranks (kind ``launcher``).
- `request`: `Request`, a collective that runs while the caller computes.
"""

from .base import CommunicatorBase
from .errors import MismatchError, RankFailed
from .request import Request

__all__ = ["CommunicatorBase", "MismatchError", "RankFailed", "Request"]
