"""``chainermn.communicators.mpi_communicator_base``."""

from __future__ import annotations

from typing import Any, ClassVar

from renga_chainer.modules.chainermn.communicators.classes import NAMES, communicator_class

__all__ = ["MpiCommunicatorBase"]

_classes = [communicator_class(name) for name in NAMES]
# What `naive` and `flat` have in common; without MPI, what all processes that are alone do.
_Common: Any = _classes[0].__bases__[0]


class MpiCommunicatorBase(_Common):  # type: ignore[misc]  # which one depends on what is installed
    """What all communicators on MPI are, for `isinstance`, and to derive from: gradients travel as those of ``flat``.

    A class that overrides `multi_node_mean_grad` is asked for them by the multi-node optimizer.
    """

    name: ClassVar[str] = "of the program"

    def __init__(self, mpi_comm: Any = None) -> None:
        super().__init__(*(() if mpi_comm is None else (mpi_comm,)))


for _cls in _classes:
    MpiCommunicatorBase.register(_cls)
