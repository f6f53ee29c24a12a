"""Training that goes on when ranks die, with the state in the memory of those that are left.

- `training`: `TrainerRecovery`, for a trainer. `renga train --communicator resilient` uses it.
- `loop`: `Recovery`, for a loop written by hand.
- `building`: `build_and_run`, for ranks that die before training has begun; `take_place`, for models in parts.

Reading guide: `membership` brings all ranks of a group to one state after each change; `updates` makes updates that
are made by all or by none; `capture` and `memory` keep what an attempt changes; `leading` lets extensions that only
rank 0 calls pass to another rank; `divergence` names ranks whose parameters are not those of the others. `replicas`
keeps what only one rank holds on the next one, too: `recurrent` and `model_part`, and what optimizers hold
(`renga_distributed.optimizers.private`).
"""

from renga_distributed.recovery.building import build_and_run, take_place
from renga_distributed.recovery.loop import Recovery
from renga_distributed.recovery.training import TrainerRecovery

__all__ = ["Recovery", "TrainerRecovery", "build_and_run", "take_place"]
