"""What the conformance kit calls functions with: nothing else imports this module.

Each name is that of a function, and is called with a NumPy generator and a dtype. It returns arguments by place, as a
tuple, or by name, as a dictionary.

Four functions are refused all the same, and rightly: `argmax_crf1d` returns arrays; `cholesky` has the gradient of a
symmetric matrix, of which it reads one half; `r2_score`, and `zeta` in its first argument, have no gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from renga_nn.sparse import CooMatrix

_Draw = Callable[[np.random.Generator, np.dtype[Any]], Any]


class _Array:
    """An argument that is drawn anew for each call."""

    def __init__(self, draw: _Draw) -> None:
        self.draw = draw


def _floats(*shape: int) -> _Array:
    """Of either sign; no number is close to 0, where many functions have a kink."""
    return _Array(lambda rng, t: (rng.uniform(0.2, 2, shape) * rng.choice([-1.0, 1.0], shape)).astype(t))


def _positive(*shape: int) -> _Array:
    return _Array(lambda rng, t: rng.uniform(0.1, 0.9, shape).astype(t))


def _distinct(*shape: int) -> _Array:
    """All far apart, for what chooses the largest."""
    count = int(np.prod(shape))
    return _Array(lambda rng, t: ((rng.permutation(count) - count / 2) * 0.1).reshape(shape).astype(t))


def _whole(end: int, *shape: int) -> _Array:
    """Whole numbers from 0."""
    return _Array(lambda rng, t: rng.integers(0, end, shape).astype(np.int32))


def _fixed(value: Any, dtype: Any = None) -> _Array:
    return _Array(lambda rng, t: np.array(value, dtype or t))


def _drawn(value: Any, rng: np.random.Generator, dtype: np.dtype[Any]) -> Any:
    if isinstance(value, _Array):
        return value.draw(rng, dtype)
    return [_drawn(each, rng, dtype) for each in value] if isinstance(value, list) else value


def _by_place(*arguments: Any) -> _Draw:
    return lambda rng, dtype: tuple(_drawn(value, rng, dtype) for value in arguments)


def _by_name(**arguments: Any) -> _Draw:
    return lambda rng, dtype: {name: _drawn(value, rng, dtype) for name, value in arguments.items()}


_ROWS = _floats(4, 3)
_IMAGES = _floats(2, 3, 4, 4)
_SEQUENCES = [_floats(3, 2), _floats(2, 2), _floats(1, 2)]
"""From the longest to the shortest."""
_BOXES = _fixed([[0, 0, 3, 3], [1, 0, 3, 2]], np.int32)
"""Whole numbers: boxes have no gradient."""

# --- activation, array ------------------------------------------------------------------------------------------------

maxout = _by_name(x=_distinct(4, 6), pool_size=2)
prelu = _by_name(x=_ROWS, W=_floats(3))
as_strided = _by_name(x=_floats(6), shape=(2, 3), strides=(1, 1))
broadcast_to = _by_name(x=_floats(1, 3), shape=(4, 3))
depth2space = _by_name(X=_floats(2, 8, 3, 2), r=2)
expand_dims = _by_name(x=_ROWS, axis=1)
flip = _by_name(x=_ROWS, axis=0)
get_item = _by_name(x=_ROWS, slices=(slice(None, None, 2), 1))
im2col = _by_name(x=_IMAGES, ksize=2)
moveaxis = _by_name(x=_floats(2, 3, 4), source=0, destination=2)
pad = _by_name(x=_ROWS, pad_width=1, mode="constant")
pad_sequence = _by_name(xs=_SEQUENCES)
permutate = _by_name(x=_ROWS, indices=_fixed([2, 0, 3, 1], np.int32))
cast = _by_name(x=_ROWS, typ="int32")
repeat = _by_name(x=_ROWS, repeats=2, axis=1)
reshape = _by_name(x=_ROWS, shape=(2, 6))
resize_images = _by_name(x=_IMAGES, output_shape=(5, 3))
rollaxis = _by_name(x=_floats(2, 3, 4), axis=2)
scatter_add = _by_name(a=_ROWS, slices=([0, 2, 0], 1), b=_floats(3))
select_item = _by_name(x=_ROWS, t=_whole(3, 4))
space2depth = _by_name(X=_floats(2, 2, 4, 6), r=2)
spatial_transformer_grid = _by_name(theta=_floats(2, 2, 3), output_shape=(3, 4))
spatial_transformer_sampler = _by_name(x=_IMAGES, grid=_positive(2, 2, 2, 1))
split_axis = _by_name(x=_floats(4, 6), indices_or_sections=[1, 4], axis=1)
sum_to = _by_name(x=_ROWS, shape=(1, 3))
swapaxes = _by_name(x=_floats(2, 3, 4), axis1=0, axis2=2)
tile = _by_name(x=_ROWS, reps=(2, 1))
transpose_sequence = _by_name(xs=_SEQUENCES)
where = _by_name(condition=_Array(lambda rng, t: rng.integers(0, 2, (4, 3)) == 1), x=_ROWS, y=_ROWS)

# --- connection -------------------------------------------------------------------------------------------------------

bilinear = _by_place(_floats(4, 2), _floats(4, 3), _floats(2, 3, 2))
convolution_3d = _by_place(_floats(2, 2, 3, 3, 3), _floats(3, 2, 2, 2, 2), _floats(3))
deconvolution_1d = _by_place(_floats(2, 2, 4), _floats(2, 3, 2), _floats(3))
deconvolution_2d = _by_place(_floats(2, 2, 4, 3), _floats(2, 3, 2, 2), _floats(3))
deconvolution_3d = _by_place(_floats(2, 2, 2, 3, 2), _floats(2, 3, 2, 2, 2), _floats(3))
deconvolution_nd = deconvolution_2d
deformable_convolution_2d_sampler = _by_place(_floats(2, 2, 4, 4), _positive(2, 8, 3, 3), _floats(3, 2, 2, 2))
embed_id = _by_place(_whole(5, 4, 2), _floats(5, 3))
local_convolution_2d = _by_place(_floats(2, 2, 4, 4), _floats(3, 3, 3, 2, 2, 2), _floats(3, 3, 3))
shift = _by_place(_floats(2, 9, 4, 4))

# --- evaluation, loss -------------------------------------------------------------------------------------------------

accuracy = _by_place(_distinct(6, 3), _whole(3, 6))
binary_accuracy = _by_place(_ROWS, _whole(2, 4, 3))
classification_summary = _by_name(y=_distinct(6, 3), t=_fixed([0, 1, 2, 0, 1, 2], np.int32), label_num=3)
f1_score = precision = recall = classification_summary
argmax_crf1d = _by_name(cost=_floats(3, 3), xs=[_distinct(2, 3), _distinct(2, 3), _distinct(1, 3)])
black_out = _by_place(_floats(4, 3), _whole(5, 4), _floats(5, 3), _whole(5, 4, 2))
connectionist_temporal_classification = _by_name(
    x=[_floats(2, 4), _floats(2, 4), _floats(2, 4)], t=_fixed([[1, 2], [3, 1]], np.int32), blank_symbol=0
)
discriminative_margin_based_clustering_loss = _by_name(
    embeddings=_floats(2, 4, 3, 3), labels=_whole(2, 2, 3, 3), delta_v=0.1, delta_d=1.5, max_embedding_dim=4
)
negative_sampling = _by_name(
    x=_floats(4, 3),
    t=_whole(5, 4),
    W=_floats(5, 3),
    sampler=lambda shape: np.arange(int(np.prod(shape)), dtype=np.int32).reshape(shape) % 5,
    sample_size=2,
)
contrastive = _by_place(_floats(4, 3), _floats(4, 3), _fixed([0, 1, 1, 0], np.int32))
crf1d = _by_name(
    cost=_floats(3, 3), xs=[_floats(2, 3), _floats(2, 3), _floats(1, 3)], ys=[_whole(3, 2), _whole(3, 2), _whole(3, 1)]
)
hinge = _by_place(_positive(4, 3), _whole(3, 4))
huber_loss = _by_name(x=_ROWS, t=_ROWS, delta=1.0)
sigmoid_cross_entropy = _by_place(_ROWS, _whole(2, 4, 3))

# --- math -------------------------------------------------------------------------------------------------------------

bias = _by_place(_ROWS, _floats(3))
scale = bias
batch_inv = _by_place(_Array(lambda rng, t: (3 * np.eye(3) + rng.uniform(-1, 1, (2, 3, 3))).astype(t)))
cholesky = _by_place(_Array(lambda rng, t: (np.tri(3) @ np.tri(3).T + 0.1 * rng.uniform(size=(3, 3))).astype(t)))
clip = _by_name(x=_ROWS, x_min=-2.5, x_max=2.5)
einsum = _by_place("ij,jk->ik", _floats(2, 3), _floats(3, 4))
fft = _by_name(x=[_floats(2, 4), _floats(2, 4)])
ifft = fft
polygamma = _by_place(_fixed([1, 2, 0], np.int32), _positive(3))
sparse_matmul = _by_name(
    a=CooMatrix(np.ones(2, np.float16), np.array([0, 1]), np.array([2, 0]), (2, 3)), b=_floats(3, 4)
)
zeta = _by_place(_fixed([2.0, 3.0, 1.5]), _positive(3))

# --- normalization ----------------------------------------------------------------------------------------------------

_NORMALIZED = {"x": _floats(6, 3), "gamma": _floats(3), "beta": _floats(3)}
batch_normalization = _by_name(**_NORMALIZED)
batch_renormalization = _by_name(**_NORMALIZED, rmax=1.0, dmax=0.0)  # as far as they are clipped, r and d are constants
layer_normalization = _by_name(**_NORMALIZED)
fixed_batch_normalization = _by_name(**_NORMALIZED, mean=_floats(3), var=_positive(3))
fixed_batch_renormalization = fixed_batch_normalization
group_normalization = _by_name(x=_floats(2, 4, 3), groups=2, gamma=_floats(4), beta=_floats(4))
decorrelated_batch_normalization = _by_name(x=_floats(8, 4), groups=2)
fixed_decorrelated_batch_normalization = _by_name(x=_ROWS, mean=_floats(1, 3), projection=_floats(1, 3, 3), groups=1)

# --- pooling ----------------------------------------------------------------------------------------------------------

average_pooling_1d = _by_name(x=_floats(2, 3, 4), ksize=2)
average_pooling_2d = _by_name(x=_IMAGES, ksize=2)
average_pooling_3d = _by_name(x=_floats(1, 2, 4, 2, 3), ksize=2)
average_pooling_nd = average_pooling_2d
max_pooling_1d = _by_name(x=_distinct(2, 3, 4), ksize=2)
max_pooling_2d = _by_name(x=_distinct(2, 3, 4, 4), ksize=2)
max_pooling_3d = _by_name(x=_distinct(1, 2, 4, 2, 3), ksize=2)
max_pooling_nd = max_pooling_2d
_REGIONS = {"x": _distinct(2, 3, 4, 4), "rois": _BOXES, "roi_indices": _fixed([0, 1], np.int32)}
roi_average_align_2d = _by_name(**_REGIONS, outsize=2, spatial_scale=1.0)
roi_average_pooling_2d = roi_max_align_2d = roi_max_pooling_2d = roi_average_align_2d
roi_pooling_2d = _by_name(
    x=_distinct(2, 3, 4, 4),
    rois=_fixed([[0, 0, 0, 2, 2], [1, 1, 0, 3, 2]], np.int32),
    outh=2,
    outw=2,
    spatial_scale=1.0,
)
spatial_pyramid_pooling_2d = _by_name(x=_distinct(2, 3, 4, 4), pyramid_height=2)
unpooling_1d = _by_name(x=_floats(2, 3, 4), ksize=2)
unpooling_2d = _by_name(x=_IMAGES, ksize=2)
unpooling_3d = _by_name(x=_floats(1, 2, 2, 2, 3), ksize=2)
unpooling_nd = unpooling_2d
upsampling_2d = _by_name(x=_floats(2, 3, 2, 2), indexes=_whole(4, 2, 3, 2, 2), ksize=2, cover_all=False)

# --- recurrent --------------------------------------------------------------------------------------------------------

lstm = _by_place(_floats(4, 2), _floats(4, 8))
slstm = _by_place(_floats(4, 2), _floats(4, 2), _floats(4, 8), _floats(4, 8))
tree_lstm = _by_place(_floats(4, 2), _floats(4, 2), _floats(4, 10))


def _steps(matrices: int, directions: int = 1, cell: bool = False) -> _Draw:
    """One layer of two units for sequences of two numbers."""
    state = {"hx": _floats(directions, 3, 2)} | ({"cx": _floats(directions, 3, 2)} if cell else {})
    weights = [[_positive(2, 2) for _ in range(matrices)] for _ in range(directions)]
    biases = [[_positive(2) for _ in range(matrices)] for _ in range(directions)]
    return _by_name(n_layers=1, dropout_ratio=0.0, **state, ws=weights, bs=biases, xs=_SEQUENCES)


n_step_rnn, n_step_birnn = _steps(2), _steps(2, 2)
n_step_gru, n_step_bigru = _steps(6), _steps(6, 2)
n_step_lstm, n_step_bilstm = _steps(8, cell=True), _steps(8, 2, cell=True)

# --- util -------------------------------------------------------------------------------------------------------------

forget = _by_place(lambda x: x * x, _ROWS)
