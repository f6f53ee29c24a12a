"""Arguments of functions for the conformance kit.

Each name is the name of a function. It is called with a NumPy generator and a dtype, and returns positional arguments
as a tuple, or keyword arguments as a dictionary.

The kit rightly refuses four functions: `argmax_crf1d` returns arrays; `cholesky` has the gradient of a symmetric
matrix, but reads only one half of it; `r2_score`, and `zeta` in its first argument, have no gradient.
"""

from __future__ import annotations

import numpy as np

from renga_nn.conformance_inputs.drawing import Draw, Drawn, by_name, by_place, distinct, fixed, floats, positive, whole
from renga_nn.sparse import CooMatrix

_ROWS = floats(4, 3)
_IMAGES = floats(2, 3, 4, 4)
_SEQUENCES = [floats(3, 2), floats(2, 2), floats(1, 2)]
"""Lengths in descending order."""
_BOXES = fixed([[0, 0, 3, 3], [1, 0, 3, 2]], np.int32)
"""Integers: coordinates of boxes have no gradient."""

# --- activation, array ------------------------------------------------------------------------------------------------

maxout = by_name(x=distinct(4, 6), pool_size=2)
prelu = by_name(x=_ROWS, W=floats(3))
as_strided = by_name(x=floats(6), shape=(2, 3), strides=(1, 1))
broadcast_to = by_name(x=floats(1, 3), shape=(4, 3))
depth2space = by_name(X=floats(2, 8, 3, 2), r=2)
expand_dims = by_name(x=_ROWS, axis=1)
flip = by_name(x=_ROWS, axis=0)
get_item = by_name(x=_ROWS, slices=(slice(None, None, 2), 1))
im2col = by_name(x=_IMAGES, ksize=2)
moveaxis = by_name(x=floats(2, 3, 4), source=0, destination=2)
pad = by_name(x=_ROWS, pad_width=1, mode="constant")
pad_sequence = by_name(xs=_SEQUENCES)
permutate = by_name(x=_ROWS, indices=fixed([2, 0, 3, 1], np.int32))
cast = by_name(x=_ROWS, typ="int32")
repeat = by_name(x=_ROWS, repeats=2, axis=1)
reshape = by_name(x=_ROWS, shape=(2, 6))
resize_images = by_name(x=_IMAGES, output_shape=(5, 3))
rollaxis = by_name(x=floats(2, 3, 4), axis=2)
scatter_add = by_name(a=_ROWS, slices=([0, 2, 0], 1), b=floats(3))
select_item = by_name(x=_ROWS, t=whole(3, 4))
space2depth = by_name(X=floats(2, 2, 4, 6), r=2)
spatial_transformer_grid = by_name(theta=floats(2, 2, 3), output_shape=(3, 4))
spatial_transformer_sampler = by_name(x=_IMAGES, grid=positive(2, 2, 2, 1))
split_axis = by_name(x=floats(4, 6), indices_or_sections=[1, 4], axis=1)
sum_to = by_name(x=_ROWS, shape=(1, 3))
swapaxes = by_name(x=floats(2, 3, 4), axis1=0, axis2=2)
tile = by_name(x=_ROWS, reps=(2, 1))
transpose_sequence = by_name(xs=_SEQUENCES)
where = by_name(condition=Drawn(lambda rng, t: rng.integers(0, 2, (4, 3)) == 1), x=_ROWS, y=_ROWS)

# --- connection -------------------------------------------------------------------------------------------------------

bilinear = by_place(floats(4, 2), floats(4, 3), floats(2, 3, 2))
convolution_3d = by_place(floats(2, 2, 3, 3, 3), floats(3, 2, 2, 2, 2), floats(3))
deconvolution_1d = by_place(floats(2, 2, 4), floats(2, 3, 2), floats(3))
deconvolution_2d = by_place(floats(2, 2, 4, 3), floats(2, 3, 2, 2), floats(3))
deconvolution_3d = by_place(floats(2, 2, 2, 3, 2), floats(2, 3, 2, 2, 2), floats(3))
deconvolution_nd = deconvolution_2d
deformable_convolution_2d_sampler = by_place(floats(2, 2, 4, 4), positive(2, 8, 3, 3), floats(3, 2, 2, 2))
embed_id = by_place(whole(5, 4, 2), floats(5, 3))
local_convolution_2d = by_place(floats(2, 2, 4, 4), floats(3, 3, 3, 2, 2, 2), floats(3, 3, 3))
shift = by_place(floats(2, 9, 4, 4))

# --- evaluation, loss -------------------------------------------------------------------------------------------------

accuracy = by_place(distinct(6, 3), whole(3, 6))
binary_accuracy = by_place(_ROWS, whole(2, 4, 3))
classification_summary = by_name(y=distinct(6, 3), t=fixed([0, 1, 2, 0, 1, 2], np.int32), label_num=3)
f1_score = precision = recall = classification_summary
argmax_crf1d = by_name(cost=floats(3, 3), xs=[distinct(2, 3), distinct(2, 3), distinct(1, 3)])
black_out = by_place(floats(4, 3), whole(5, 4), floats(5, 3), whole(5, 4, 2))
connectionist_temporal_classification = by_name(
    x=[floats(2, 4), floats(2, 4), floats(2, 4)], t=fixed([[1, 2], [3, 1]], np.int32), blank_symbol=0
)
discriminative_margin_based_clustering_loss = by_name(
    embeddings=floats(2, 4, 3, 3), labels=whole(2, 2, 3, 3), delta_v=0.1, delta_d=1.5, max_embedding_dim=4
)
negative_sampling = by_name(
    x=floats(4, 3),
    t=whole(5, 4),
    W=floats(5, 3),
    sampler=lambda shape: np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape) % 5,
    sample_size=2,
)
contrastive = by_place(floats(4, 3), floats(4, 3), fixed([0, 1, 1, 0], np.int32))
crf1d = by_name(
    cost=floats(3, 3), xs=[floats(2, 3), floats(2, 3), floats(1, 3)], ys=[whole(3, 2), whole(3, 2), whole(3, 1)]
)
hinge = by_place(positive(4, 3), whole(3, 4))
huber_loss = by_name(x=_ROWS, t=_ROWS, delta=1.0)
linear_softmax_cross_entropy = by_name(x=floats(4, 3), W=floats(5, 3), t=whole(5, 4), b=floats(5))
sigmoid_cross_entropy = by_place(_ROWS, whole(2, 4, 3))

# --- math -------------------------------------------------------------------------------------------------------------

bias = by_place(_ROWS, floats(3))
scale = bias
batch_inv = by_place(Drawn(lambda rng, t: (3 * np.eye(3) + rng.uniform(-1, 1, (2, 3, 3))).astype(t)))
cholesky = by_place(Drawn(lambda rng, t: (np.tri(3) @ np.tri(3).T + 0.1 * rng.uniform(size=(3, 3))).astype(t)))
clip = by_name(x=_ROWS, x_min=-2.5, x_max=2.5)
einsum = by_place("ij,jk->ik", floats(2, 3), floats(3, 4))
fft = by_name(x=[floats(2, 4), floats(2, 4)])
ifft = fft
polygamma = by_place(fixed([1, 2, 0], np.int32), positive(3))
sparse_matmul = by_name(a=CooMatrix(np.ones(2, np.float16), np.array([0, 1]), np.array([2, 0]), (2, 3)), b=floats(3, 4))
zeta = by_place(fixed([2.0, 3.0, 1.5]), positive(3))

# --- normalization ----------------------------------------------------------------------------------------------------

_NORMALIZED = {"x": floats(6, 3), "gamma": floats(3), "beta": floats(3)}
batch_normalization = by_name(**_NORMALIZED)
batch_normalization_relu = by_name(**_NORMALIZED, residual=floats(6, 3))
batch_renormalization = by_name(**_NORMALIZED, rmax=1.0, dmax=0.0)  # r and d are clipped, and so constant
layer_normalization = by_name(**_NORMALIZED)
rms_normalization = by_name(x=floats(6, 3), gamma=floats(3))
fixed_batch_normalization = by_name(**_NORMALIZED, mean=floats(3), var=positive(3))
fixed_batch_normalization_relu = by_name(**_NORMALIZED, mean=floats(3), var=positive(3), residual=floats(6, 3))
fixed_batch_renormalization = fixed_batch_normalization
group_normalization = by_name(x=floats(2, 4, 3), groups=2, gamma=floats(4), beta=floats(4))
decorrelated_batch_normalization = by_name(x=floats(8, 4), groups=2)
fixed_decorrelated_batch_normalization = by_name(x=_ROWS, mean=floats(1, 3), projection=floats(1, 3, 3), groups=1)

# --- pooling ----------------------------------------------------------------------------------------------------------

average_pooling_1d = by_name(x=floats(2, 3, 4), ksize=2)
average_pooling_2d = by_name(x=_IMAGES, ksize=2)
average_pooling_3d = by_name(x=floats(1, 2, 4, 2, 3), ksize=2)
average_pooling_nd = average_pooling_2d
max_pooling_1d = by_name(x=distinct(2, 3, 4), ksize=2)
max_pooling_2d = by_name(x=distinct(2, 3, 4, 4), ksize=2)
max_pooling_3d = by_name(x=distinct(1, 2, 4, 2, 3), ksize=2)
max_pooling_nd = max_pooling_2d
_REGIONS = {"x": distinct(2, 3, 4, 4), "rois": _BOXES, "roi_indices": fixed([0, 1], np.int32)}
roi_average_align_2d = by_name(**_REGIONS, outsize=2, spatial_scale=1.0)
roi_average_pooling_2d = roi_max_align_2d = roi_max_pooling_2d = roi_average_align_2d
roi_pooling_2d = by_name(
    x=distinct(2, 3, 4, 4),
    rois=fixed([[0, 0, 0, 2, 2], [1, 1, 0, 3, 2]], np.int32),
    outh=2,
    outw=2,
    spatial_scale=1.0,
)
spatial_pyramid_pooling_2d = by_name(x=distinct(2, 3, 4, 4), pyramid_height=2)
unpooling_1d = by_name(x=floats(2, 3, 4), ksize=2)
unpooling_2d = by_name(x=_IMAGES, ksize=2)
unpooling_3d = by_name(x=floats(1, 2, 2, 2, 3), ksize=2)
unpooling_nd = unpooling_2d
upsampling_2d = by_name(x=floats(2, 3, 2, 2), indexes=whole(4, 2, 3, 2, 2), ksize=2, cover_all=False)

# --- recurrent --------------------------------------------------------------------------------------------------------

lstm = by_place(floats(4, 2), floats(4, 8))
slstm = by_place(floats(4, 2), floats(4, 2), floats(4, 8), floats(4, 8))
tree_lstm = by_place(floats(4, 2), floats(4, 2), floats(4, 10))


def _steps(matrices: int, directions: int = 1, cell: bool = False) -> Draw:
    """One layer of two units for sequences of two features."""
    state = {"hx": floats(directions, 3, 2)} | ({"cx": floats(directions, 3, 2)} if cell else {})
    weights = [[positive(2, 2) for _ in range(matrices)] for _ in range(directions)]
    biases = [[positive(2) for _ in range(matrices)] for _ in range(directions)]
    return by_name(n_layers=1, dropout_ratio=0.0, **state, ws=weights, bs=biases, xs=_SEQUENCES)


n_step_rnn, n_step_birnn = _steps(2), _steps(2, 2)
n_step_gru, n_step_bigru = _steps(6), _steps(6, 2)
n_step_lstm, n_step_bilstm = _steps(8, cell=True), _steps(8, 2, cell=True)

# --- util -------------------------------------------------------------------------------------------------------------

forget = by_place(lambda x: x * x, _ROWS)
