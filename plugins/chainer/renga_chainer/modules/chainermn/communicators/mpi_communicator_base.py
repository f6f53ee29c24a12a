"""``chainermn.communicators.mpi_communicator_base``."""

from __future__ import annotations

from typing import Any, ClassVar

from renga_chainer.modules.chainermn.communicators.classes import NAMES, communicator_class

__all__ = ["MpiCommunicatorBase"]

_classes = [communicator_class(name) for name in NAMES]
# The common base of `naive` and `flat`; without MPI, that of communicators of a single process.
_Common: Any = _classes[0].__bases__[0]


class MpiCommunicatorBase(_Common):  # type: ignore[misc]  # which one depends on what is installed
    """Base class of communicators that use MPI, for `isinstance` and subclasses. Averages gradients as ``flat`` does.

    The multi-node optimizer calls `multi_node_mean_grad` if a subclass overrides it.
    """

    name: ClassVar[str] = "of the program"

    def __init__(self, mpi_comm: Any = None) -> None:
        super().__init__(*(() if mpi_comm is None else (mpi_comm,)))


for _cls in _classes:
    MpiCommunicatorBase.register(_cls)
