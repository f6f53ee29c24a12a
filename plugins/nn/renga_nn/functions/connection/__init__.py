"""Functions with weights: what `renga.links` of the same names call with their parameters.

- `linear`: the fully connected layer. `embed_id`: looking up vectors by number.
- `convolution_2d`, `deconvolution_2d`: the functions, with their arguments checked.
- `convolution`: the nodes behind them, for any number of axes. `convolution_reference`: how they are computed.
- `window`: sizes of what comes out when a window slides over an axis.
"""

from renga_nn.functions.connection.convolution_2d import convolution_2d
from renga_nn.functions.connection.deconvolution_2d import deconvolution_2d
from renga_nn.functions.connection.embed_id import embed_id
from renga_nn.functions.connection.linear import linear

__all__ = ["convolution_2d", "deconvolution_2d", "embed_id", "linear"]
