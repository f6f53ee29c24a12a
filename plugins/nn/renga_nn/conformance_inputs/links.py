"""Arguments of links for the conformance kit: for the constructor and for the call.

Each name is the name of a link. It is called with a NumPy generator and a dtype. Arrays, and lists of arrays, are
arguments of the call, in order; other values are arguments of the constructor.

The kit rightly refuses `black_out`, which draws samples in test mode too, so its loss varies. Left out are `parameter`,
which has no input; `caffe_function`, which reads a file; and the large networks for images.
"""

from __future__ import annotations

from renga_nn.conformance_inputs.drawing import Draw, Drawn, by_name, floats, whole
from renga_nn.links import Linear

_ROWS = floats(4, 3)
_IMAGES = floats(2, 2, 4, 4)
_SEQUENCES = [floats(3, 2), floats(2, 2), floats(1, 2)]

# --- one matrix -------------------------------------------------------------------------------------------------------

linear = by_name(in_size=3, out_size=2, x=_ROWS)
bilinear = by_name(left_size=2, right_size=3, out_size=2, e1=floats(4, 2), e2=_ROWS)
bias = by_name(shape=3, x=_ROWS)
scale = by_name(W_shape=3, bias_term=True, x=_ROWS)
embed_id = by_name(in_size=5, out_size=2, x=whole(5, 4))
highway = by_name(in_out_size=3, x=_ROWS)
maxout = by_name(in_size=3, out_size=2, pool_size=2, x=_ROWS)
prelu = by_name(shape=3, x=_ROWS)
swish = by_name(beta_shape=3, x=_ROWS)
simplified_dropconnect = by_name(in_size=3, out_size=2, x=_ROWS)

# --- convolution ------------------------------------------------------------------------------------------------------

_CHANNELS = {"in_channels": 2, "out_channels": 3, "ksize": 2}
convolution_1d = deconvolution_1d = by_name(**_CHANNELS, x=floats(2, 2, 4))
convolution_2d = deconvolution_2d = by_name(**_CHANNELS, x=_IMAGES)
convolution_3d = deconvolution_3d = by_name(**_CHANNELS, x=floats(1, 2, 3, 2, 3))
convolution_nd = deconvolution_nd = by_name(ndim=2, **_CHANNELS, x=_IMAGES)
deformable_convolution_2d = by_name(**_CHANNELS, x=_IMAGES)
dilated_convolution_2d = by_name(**_CHANNELS, dilate=2, x=_IMAGES)
depthwise_convolution_2d = by_name(in_channels=2, channel_multiplier=2, ksize=2, x=_IMAGES)
local_convolution_2d = by_name(**_CHANNELS, in_size=4, x=_IMAGES)
mlp_convolution_2d = by_name(in_channels=2, out_channels=(3, 2), ksize=2, x=_IMAGES)
inception = by_name(in_channels=2, out1=1, proj3=2, out3=1, proj5=2, out5=1, proj_pool=1, x=_IMAGES)
inception_bn = by_name(
    in_channels=2, out1=1, proj3=2, out3=1, proj33=2, out33=1, pooltype="avg", proj_pool=1, x=_IMAGES
)

# --- normalization ----------------------------------------------------------------------------------------------------

batch_normalization = by_name(size=3, x=floats(6, 3))
batch_renormalization = batch_normalization
decorrelated_batch_normalization = by_name(size=4, groups=2, x=floats(8, 4))
group_normalization = by_name(groups=2, size=4, x=floats(2, 4, 3))
layer_normalization = by_name(size=3, x=_ROWS)

# --- loss -------------------------------------------------------------------------------------------------------------

classifier = by_name(predictor=Drawn(lambda rng, t: Linear(3, 3)), x=_ROWS, t=whole(3, 4))
crf1d = by_name(n_label=3, xs=[floats(2, 3), floats(2, 3), floats(1, 3)], ys=[whole(3, 2), whole(3, 2), whole(3, 1)])
binary_hierarchical_softmax = by_name(in_size=3, tree=((0, 1), 2), x=_ROWS, t=whole(3, 4))
black_out = by_name(in_size=3, counts=[1, 2, 3, 1], sample_size=2, x=_ROWS, t=whole(4, 4))
negative_sampling = by_name(in_size=3, counts=[1, 2, 3, 1], sample_size=2, x=_ROWS, t=whole(4, 4))

# --- recurrent --------------------------------------------------------------------------------------------------------

_SIZES = {"in_size": 3, "out_size": 2}
lstm = gru = stateful_gru = stateful_mgu = stateful_peephole_lstm = stateful_zoneout_lstm = by_name(**_SIZES, x=_ROWS)
stateless_gru = by_name(**_SIZES, h=floats(4, 2), x=_ROWS)
stateless_lstm = by_name(**_SIZES, c=floats(4, 2), h=floats(4, 2), x=_ROWS)
stateless_mgu = by_name(n_inputs=3, n_units=2, h=floats(4, 2), x=_ROWS)
_CHILDREN = {name: floats(4, 2) for name in ("c1", "c2", "h1", "h2")}
child_sum_tree_lstm = by_name(**_SIZES, **_CHILDREN, x=_ROWS)
nary_tree_lstm = child_sum_tree_lstm


def _steps(directions: int = 1, cell: bool = False) -> Draw:
    """One layer for sequences of two features."""
    state = {"hx": floats(directions, 3, 2)} | ({"cx": floats(directions, 3, 2)} if cell else {})
    return by_name(n_layers=1, in_size=2, out_size=2, dropout=0.0, **state, xs=_SEQUENCES)


n_step_rnn_relu = n_step_rnn_tanh = n_step_gru = _steps()
n_step_bi_rnn_relu = n_step_bi_rnn_tanh = n_step_bi_gru = _steps(2)
n_step_lstm, n_step_bi_lstm = _steps(cell=True), _steps(2, cell=True)
