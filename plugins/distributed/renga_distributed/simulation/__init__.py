"""Jobs whose ranks die, simulated: a seed decides who goes on and who dies when, and replays a run exactly.

- `simulate`: runs a program on ranks that are threads of which one runs at a time.
- `faults`: `Fault`, what happens to a rank at one of its communication points; faults by a seed.
- `training`: runs a small training run (`program`, `modes`, `models`), of which `witnesses` make a `record`.
- `invariants`: what holds whoever dies.
- ``python -m renga_distributed.simulation --seeds 100`` runs schedules; ``… 17 --mode plain`` replays one.
"""

from renga_distributed.simulation.communicator import SimulatedCommunicator
from renga_distributed.simulation.faults import Fault
from renga_distributed.simulation.simulate import Outcome, simulate

__all__ = ["Fault", "Outcome", "SimulatedCommunicator", "simulate"]
