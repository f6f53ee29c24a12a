"""Functions that draw random numbers, from the generator of the array's backend (`renga.random.seed`).

- `dropout`: elements set to 0 in training. `gaussian`: samples of a normal distribution.
"""

from renga_nn.functions.noise.dropout import dropout
from renga_nn.functions.noise.gaussian import gaussian

__all__ = ["dropout", "gaussian"]
