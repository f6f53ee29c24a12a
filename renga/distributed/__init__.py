"""Training by several processes: `renga_distributed`.

- `create_communicator` makes what connects them; `launch` runs a program on ranks that are threads, for debugging.
- `functions`: communication through which gradients flow. `links`: links that communicate; of these,
  `MultiNodeChainList` is here, too.
- `scale_model`: how long an iteration takes with more devices.
"""

from renga.view import view

__getattr__, __dir__ = view(__name__, modules="functions links scale_model")
