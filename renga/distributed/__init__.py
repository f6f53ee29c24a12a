"""Training with several processes: `renga_distributed`.

- `create_communicator` makes a communicator; `launch` runs a program on ranks that are threads, for debugging.
- `functions`: differentiable communication. `links`: links that communicate; one of them, `MultiNodeChainList`, is also
  here.
- `scale_model`: predicts the time of an iteration on more devices.
"""

from renga.view import view

__getattr__, __dir__ = view(__name__, modules="functions links scale_model")
