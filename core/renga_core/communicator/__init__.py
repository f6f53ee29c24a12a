"""How processes talk to each other.

`CommunicatorBase` is what every communicator can do; plugins provide communicators (kind ``communicator``), and
``registry(COMMUNICATOR).load("single")()`` makes the one for a single process. To write one, implement the abstract
methods; what acts on a whole model is built on these and may be overridden by something faster.
"""

from .base import CommunicatorBase

__all__ = ["CommunicatorBase"]
