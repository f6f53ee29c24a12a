"""Differentiable functions of Variables, by family.

- `activation`: relu, sigmoid, softmax … `array`: moving elements about. `math`: the rest of mathematics.
- `connection`: functions with weights. `normalization`, `pooling`, `rnn`.
- `loss`: what training makes small. `evaluation`: what people look at. `noise`: dropout and samples.

A function is a file with a function and the node behind it (`renga_core.graph.FunctionNode`); `elementwise` is the
base of those that work element by element, `checks` has the checks of arguments.
"""

from renga_nn.functions.activation import (
    clipped_relu,
    elu,
    hard_sigmoid,
    leaky_relu,
    log_softmax,
    relu,
    relu6,
    selu,
    sigmoid,
    softmax,
    softplus,
    swish,
    tanh,
)
from renga_nn.functions.array import (
    broadcast,
    broadcast_to,
    cast,
    concat,
    copy,
    dstack,
    expand_dims,
    flatten,
    get_item,
    hstack,
    identity,
    moveaxis,
    pad,
    reshape,
    rollaxis,
    select_item,
    separate,
    split_axis,
    squeeze,
    stack,
    sum_to,
    swapaxes,
    transpose,
    vstack,
    where,
)
from renga_nn.functions.connection import convolution_2d, deconvolution_2d, embed_id, linear
from renga_nn.functions.evaluation import accuracy, binary_accuracy
from renga_nn.functions.loss import (
    hinge,
    huber_loss,
    mean_absolute_error,
    mean_squared_error,
    sigmoid_cross_entropy,
    softmax_cross_entropy,
)
from renga_nn.functions.math import (
    absolute,
    add,
    argmax,
    argmin,
    average,
    batch_l2_norm_squared,
    ceil,
    clip,
    cos,
    exp,
    expm1,
    floor,
    log,
    log1p,
    logsumexp,
    matmul,
    max,
    maximum,
    mean,
    min,
    minimum,
    sign,
    sin,
    sqrt,
    square,
    sum,
)
from renga_nn.functions.noise import dropout, gaussian
from renga_nn.functions.normalization import batch_normalization, fixed_batch_normalization, layer_normalization
from renga_nn.functions.pooling import average_pooling_2d, global_average_pooling_2d, max_pooling_2d
from renga_nn.functions.rnn import lstm

__all__ = ['absolute', 'accuracy', 'add', 'argmax', 'argmin', 'average', 'average_pooling_2d', 'batch_l2_norm_squared', 'batch_normalization', 'binary_accuracy', 'broadcast', 'broadcast_to', 'cast', 'ceil', 'clip', 'clipped_relu', 'concat', 'convolution_2d', 'copy', 'cos', 'deconvolution_2d', 'dropout', 'dstack', 'elu', 'embed_id', 'exp', 'expand_dims', 'expm1', 'fixed_batch_normalization', 'flatten', 'floor', 'gaussian', 'get_item', 'global_average_pooling_2d', 'hard_sigmoid', 'hinge', 'hstack', 'huber_loss', 'identity', 'layer_normalization', 'leaky_relu', 'linear', 'log', 'log1p', 'log_softmax', 'logsumexp', 'lstm', 'matmul', 'max', 'max_pooling_2d', 'maximum', 'mean', 'mean_absolute_error', 'mean_squared_error', 'min', 'minimum', 'moveaxis', 'pad', 'relu', 'relu6', 'reshape', 'rollaxis', 'select_item', 'selu', 'separate', 'sigmoid', 'sigmoid_cross_entropy', 'sign', 'sin', 'softmax', 'softmax_cross_entropy', 'softplus', 'split_axis', 'sqrt', 'square', 'squeeze', 'stack', 'sum', 'sum_to', 'swapaxes', 'swish', 'tanh', 'transpose', 'vstack', 'where']
