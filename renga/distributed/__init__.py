"""Training by several processes: `renga_distributed`.

- `create_communicator` makes what connects them; `launch` runs a program on ranks that are threads, for debugging.
- `functions`: communication through which gradients flow. `links`: links that communicate; of these,
  `MultiNodeChainList` is here, too.
- `scale_model`, which has to be imported by itself: how long an iteration takes with more devices.
"""

from renga.distributed import functions, links
from renga_distributed.checkpoints import *
from renga_distributed.checkpoints import __all__ as _checkpoints
from renga_distributed.create import create_communicator
from renga_distributed.datasets import *
from renga_distributed.datasets import __all__ as _datasets
from renga_distributed.extensions import *
from renga_distributed.extensions import __all__ as _extensions
from renga_distributed.iterators import *
from renga_distributed.iterators import __all__ as _iterators
from renga_distributed.links import MultiNodeChainList
from renga_distributed.optimizers import *
from renga_distributed.optimizers import __all__ as _optimizers
from renga_distributed.threads import ThreadsCommunicator, launch

__all__ = [
    *_checkpoints,
    *_extensions,
    *_iterators,
    *_optimizers,
    *_datasets,
    "MultiNodeChainList",
    "ThreadsCommunicator",
    "create_communicator",
    "functions",
    "launch",
    "links",
]
