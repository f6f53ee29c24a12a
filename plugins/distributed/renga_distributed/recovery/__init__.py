"""Training that continues when ranks die, with the state in the memory of the remaining ranks.

- `training`: `TrainerRecovery`, for a trainer. `renga train --communicator resilient` uses it.
- `loop`: `Recovery`, for a hand-written loop.
- `building`: `build_and_run`, for ranks that die before training starts; `take_place`, for models divided among ranks.

Reading guide: `membership` gives all ranks of a group the same state after each change. `updates` makes updates on all
ranks or on none. `capture` and `memory` keep what an attempt changes. `leading` passes extensions that only rank 0
calls to another rank. `divergence` finds ranks whose parameters differ. `replicas` copies what only one rank has to the
next rank: `recurrent` and `model_part`, and the private state of optimizers (`renga_distributed.optimizers.private`).
"""

from renga_distributed.recovery.building import build_and_run, take_place
from renga_distributed.recovery.loop import Recovery
from renga_distributed.recovery.training import TrainerRecovery

__all__ = ["Recovery", "TrainerRecovery", "build_and_run", "take_place"]
