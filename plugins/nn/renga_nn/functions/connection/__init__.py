"""Functions with weights: what `renga.links` of the same names call with their parameters.

- `linear`: the fully connected layer. `bilinear`: of a product of two inputs. `embed_id`: looking up vectors by number.
- `scaled_dot_product_attention`: means of values, weighted by how their keys fit queries; `attention_reference`: how
  they are computed. `rotary_embedding`: positions as angles.
- `convolution_2d`, `deconvolution_2d`, `dilated_convolution_2d`: over images. `convolution_nd`, `deconvolution_nd`:
  over any number of axes; `convolution_1d` and the like are in the same files.
- `convolution`: the nodes behind them, for any number of axes. `convolution_reference`: how they are computed;
  `depthwise_reference`: where each channel is a group.
- `depthwise_convolution_2d`: each channel on its own. `shift`: the same without weights.
- `deformable_convolution_2d_sampler`: windows whose elements move. `local_convolution_2d`: other filters at each place.
"""

from renga_nn.functions.connection.bilinear import bilinear
from renga_nn.functions.connection.convolution_2d import convolution_2d
from renga_nn.functions.connection.convolution_nd import convolution_1d, convolution_3d, convolution_nd
from renga_nn.functions.connection.deconvolution_2d import deconvolution_2d
from renga_nn.functions.connection.deconvolution_nd import deconvolution_1d, deconvolution_3d, deconvolution_nd
from renga_nn.functions.connection.deformable_convolution_2d_sampler import deformable_convolution_2d_sampler
from renga_nn.functions.connection.depthwise_convolution_2d import depthwise_convolution_2d
from renga_nn.functions.connection.dilated_convolution_2d import dilated_convolution_2d
from renga_nn.functions.connection.embed_id import embed_id
from renga_nn.functions.connection.linear import linear
from renga_nn.functions.connection.local_convolution_2d import local_convolution_2d
from renga_nn.functions.connection.rotary_embedding import rotary_embedding
from renga_nn.functions.connection.scaled_dot_product_attention import scaled_dot_product_attention
from renga_nn.functions.connection.shift import shift

__all__ = [
    "bilinear",
    "convolution_1d",
    "convolution_2d",
    "convolution_3d",
    "convolution_nd",
    "deconvolution_1d",
    "deconvolution_2d",
    "deconvolution_3d",
    "deconvolution_nd",
    "deformable_convolution_2d_sampler",
    "depthwise_convolution_2d",
    "dilated_convolution_2d",
    "embed_id",
    "linear",
    "local_convolution_2d",
    "rotary_embedding",
    "scaled_dot_product_attention",
    "shift",
]
