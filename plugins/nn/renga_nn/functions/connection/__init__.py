"""Functions with weights; links of the same names in `renga.links` call them with their parameters.

- `linear`: the fully connected layer. `linear_relu`: the same with ReLU, in one function.
- `bilinear`: a bilinear form of two inputs. `embed_id`: vectors looked up by id.
- `scaled_dot_product_attention`: attention; `attention_reference`: its reference implementation. `rotary_embedding`:
  positions as angles.
- `convolution_2d`, `deconvolution_2d`, `dilated_convolution_2d`: for images. `convolution_nd`, `deconvolution_nd`: for
  any number of axes; `convolution_1d` and the like are in the same files.
- `convolution`: the nodes for any number of axes. `convolution_reference`: the reference implementation;
  `depthwise_reference`: the one for depthwise convolution.
- `depthwise_convolution_2d`: each channel separately. `shift`: the same without weights.
- `deformable_convolution_2d_sampler`: windows with moved elements. `local_convolution_2d`: separate filters per
  position.
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
from renga_nn.functions.connection.linear_relu import linear_relu
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
    "linear_relu",
    "local_convolution_2d",
    "rotary_embedding",
    "scaled_dot_product_attention",
    "shift",
]
