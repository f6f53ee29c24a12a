"""Simulated jobs whose ranks die: a seed determines the order of ranks and all deaths, and replays a run exactly.

- `simulate`: runs a program on ranks that are threads; only one of them runs at a time.
- `faults`: `Fault`, an event at a communication point of a rank; draws faults from a seed.
- `training`: runs a small training run (`program`, `modes`, `models`); `witnesses` store its events in a `record`.
- `invariants`: conditions that must hold for any deaths.
- ``python -m renga_distributed.simulation --seeds 100`` runs schedules; ``… 17 --mode plain`` replays one.
"""

from renga_distributed.simulation.communicator import SimulatedCommunicator
from renga_distributed.simulation.faults import Fault
from renga_distributed.simulation.simulate import Outcome, simulate

__all__ = ["Fault", "Outcome", "SimulatedCommunicator", "simulate"]
