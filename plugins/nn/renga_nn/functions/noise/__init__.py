"""Functions that draw random numbers from the generator of the array's backend (`renga.random.seed`).

- `dropout`: elements set to 0 in training. `dropout_add`: the same, added to a residual.
- `gaussian`: samples of a normal distribution.
- `gumbel_softmax`: differentiable samples of a categorical distribution. `zoneout`: elements that keep their old
  values.
- `simplified_dropconnect`: a fully connected layer with dropped weights.
"""

from renga_nn.functions.noise.dropout import dropout
from renga_nn.functions.noise.dropout_add import dropout_add
from renga_nn.functions.noise.gaussian import gaussian
from renga_nn.functions.noise.gumbel_softmax import gumbel_softmax
from renga_nn.functions.noise.simplified_dropconnect import simplified_dropconnect
from renga_nn.functions.noise.zoneout import zoneout

__all__ = [
    "dropout",
    "dropout_add",
    "gaussian",
    "gumbel_softmax",
    "simplified_dropconnect",
    "zoneout",
]
