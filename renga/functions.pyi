# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_nn.functions.activation import clipped_relu as clipped_relu
from renga_nn.functions.activation import crelu as crelu
from renga_nn.functions.activation import elu as elu
from renga_nn.functions.activation import gelu as gelu
from renga_nn.functions.activation import hard_sigmoid as hard_sigmoid
from renga_nn.functions.activation import leaky_relu as leaky_relu
from renga_nn.functions.activation import log_softmax as log_softmax
from renga_nn.functions.activation import maxout as maxout
from renga_nn.functions.activation import prelu as prelu
from renga_nn.functions.activation import relu as relu
from renga_nn.functions.activation import relu6 as relu6
from renga_nn.functions.activation import rrelu as rrelu
from renga_nn.functions.activation import selu as selu
from renga_nn.functions.activation import sigmoid as sigmoid
from renga_nn.functions.activation import silu as silu
from renga_nn.functions.activation import softmax as softmax
from renga_nn.functions.activation import softplus as softplus
from renga_nn.functions.activation import swiglu as swiglu
from renga_nn.functions.activation import swish as swish
from renga_nn.functions.activation import tanh as tanh
from renga_nn.functions.array import as_strided as as_strided
from renga_nn.functions.array import broadcast as broadcast
from renga_nn.functions.array import broadcast_to as broadcast_to
from renga_nn.functions.array import cast as cast
from renga_nn.functions.array import concat as concat
from renga_nn.functions.array import copy as copy
from renga_nn.functions.array import depth2space as depth2space
from renga_nn.functions.array import diagonal as diagonal
from renga_nn.functions.array import dstack as dstack
from renga_nn.functions.array import expand_dims as expand_dims
from renga_nn.functions.array import flatten as flatten
from renga_nn.functions.array import flip as flip
from renga_nn.functions.array import fliplr as fliplr
from renga_nn.functions.array import flipud as flipud
from renga_nn.functions.array import get_item as get_item
from renga_nn.functions.array import hstack as hstack
from renga_nn.functions.array import identity as identity
from renga_nn.functions.array import im2col as im2col
from renga_nn.functions.array import moveaxis as moveaxis
from renga_nn.functions.array import pad as pad
from renga_nn.functions.array import pad_sequence as pad_sequence
from renga_nn.functions.array import permutate as permutate
from renga_nn.functions.array import repeat as repeat
from renga_nn.functions.array import reshape as reshape
from renga_nn.functions.array import resize_images as resize_images
from renga_nn.functions.array import rollaxis as rollaxis
from renga_nn.functions.array import scatter_add as scatter_add
from renga_nn.functions.array import select_item as select_item
from renga_nn.functions.array import separate as separate
from renga_nn.functions.array import space2depth as space2depth
from renga_nn.functions.array import spatial_transformer_grid as spatial_transformer_grid
from renga_nn.functions.array import spatial_transformer_sampler as spatial_transformer_sampler
from renga_nn.functions.array import split_axis as split_axis
from renga_nn.functions.array import squeeze as squeeze
from renga_nn.functions.array import stack as stack
from renga_nn.functions.array import sum_to as sum_to
from renga_nn.functions.array import swapaxes as swapaxes
from renga_nn.functions.array import tile as tile
from renga_nn.functions.array import transpose as transpose
from renga_nn.functions.array import transpose_sequence as transpose_sequence
from renga_nn.functions.array import vstack as vstack
from renga_nn.functions.array import where as where
from renga_nn.functions.connection import bilinear as bilinear
from renga_nn.functions.connection import convolution_1d as convolution_1d
from renga_nn.functions.connection import convolution_2d as convolution_2d
from renga_nn.functions.connection import convolution_3d as convolution_3d
from renga_nn.functions.connection import convolution_nd as convolution_nd
from renga_nn.functions.connection import deconvolution_1d as deconvolution_1d
from renga_nn.functions.connection import deconvolution_2d as deconvolution_2d
from renga_nn.functions.connection import deconvolution_3d as deconvolution_3d
from renga_nn.functions.connection import deconvolution_nd as deconvolution_nd
from renga_nn.functions.connection import deformable_convolution_2d_sampler as deformable_convolution_2d_sampler
from renga_nn.functions.connection import depthwise_convolution_2d as depthwise_convolution_2d
from renga_nn.functions.connection import dilated_convolution_2d as dilated_convolution_2d
from renga_nn.functions.connection import embed_id as embed_id
from renga_nn.functions.connection import linear as linear
from renga_nn.functions.connection import linear_relu as linear_relu
from renga_nn.functions.connection import local_convolution_2d as local_convolution_2d
from renga_nn.functions.connection import rotary_embedding as rotary_embedding
from renga_nn.functions.connection import scaled_dot_product_attention as scaled_dot_product_attention
from renga_nn.functions.connection import shift as shift
from renga_nn.functions.evaluation import accuracy as accuracy
from renga_nn.functions.evaluation import binary_accuracy as binary_accuracy
from renga_nn.functions.evaluation import classification_summary as classification_summary
from renga_nn.functions.evaluation import f1_score as f1_score
from renga_nn.functions.evaluation import precision as precision
from renga_nn.functions.evaluation import r2_score as r2_score
from renga_nn.functions.evaluation import recall as recall
from renga_nn.functions.loss import absolute_error as absolute_error
from renga_nn.functions.loss import argmax_crf1d as argmax_crf1d
from renga_nn.functions.loss import bernoulli_nll as bernoulli_nll
from renga_nn.functions.loss import black_out as black_out
from renga_nn.functions.loss import connectionist_temporal_classification as connectionist_temporal_classification
from renga_nn.functions.loss import contrastive as contrastive
from renga_nn.functions.loss import crf1d as crf1d
from renga_nn.functions.loss import cross_covariance as cross_covariance
from renga_nn.functions.loss import decov as decov
from renga_nn.functions.loss import discriminative_margin_based_clustering_loss as discriminative_margin_based_clustering_loss
from renga_nn.functions.loss import gaussian_kl_divergence as gaussian_kl_divergence
from renga_nn.functions.loss import gaussian_nll as gaussian_nll
from renga_nn.functions.loss import hinge as hinge
from renga_nn.functions.loss import huber_loss as huber_loss
from renga_nn.functions.loss import linear_softmax_cross_entropy as linear_softmax_cross_entropy
from renga_nn.functions.loss import mean_absolute_error as mean_absolute_error
from renga_nn.functions.loss import mean_squared_error as mean_squared_error
from renga_nn.functions.loss import negative_sampling as negative_sampling
from renga_nn.functions.loss import sigmoid_cross_entropy as sigmoid_cross_entropy
from renga_nn.functions.loss import softmax_cross_entropy as softmax_cross_entropy
from renga_nn.functions.loss import squared_error as squared_error
from renga_nn.functions.loss import triplet as triplet
from renga_nn.functions.math import absolute as absolute
from renga_nn.functions.math import add as add
from renga_nn.functions.math import arccos as arccos
from renga_nn.functions.math import arcsin as arcsin
from renga_nn.functions.math import arctan as arctan
from renga_nn.functions.math import arctan2 as arctan2
from renga_nn.functions.math import arctanh as arctanh
from renga_nn.functions.math import argmax as argmax
from renga_nn.functions.math import argmin as argmin
from renga_nn.functions.math import average as average
from renga_nn.functions.math import batch_det as batch_det
from renga_nn.functions.math import batch_inv as batch_inv
from renga_nn.functions.math import batch_l2_norm_squared as batch_l2_norm_squared
from renga_nn.functions.math import batch_matmul as batch_matmul
from renga_nn.functions.math import bias as bias
from renga_nn.functions.math import ceil as ceil
from renga_nn.functions.math import cholesky as cholesky
from renga_nn.functions.math import clip as clip
from renga_nn.functions.math import cos as cos
from renga_nn.functions.math import cosh as cosh
from renga_nn.functions.math import cumprod as cumprod
from renga_nn.functions.math import cumsum as cumsum
from renga_nn.functions.math import det as det
from renga_nn.functions.math import digamma as digamma
from renga_nn.functions.math import einsum as einsum
from renga_nn.functions.math import erf as erf
from renga_nn.functions.math import erfc as erfc
from renga_nn.functions.math import erfcinv as erfcinv
from renga_nn.functions.math import erfcx as erfcx
from renga_nn.functions.math import erfinv as erfinv
from renga_nn.functions.math import exp as exp
from renga_nn.functions.math import expm1 as expm1
from renga_nn.functions.math import fft as fft
from renga_nn.functions.math import fix as fix
from renga_nn.functions.math import floor as floor
from renga_nn.functions.math import fmod as fmod
from renga_nn.functions.math import ifft as ifft
from renga_nn.functions.math import inv as inv
from renga_nn.functions.math import lgamma as lgamma
from renga_nn.functions.math import linear_interpolate as linear_interpolate
from renga_nn.functions.math import log as log
from renga_nn.functions.math import log10 as log10
from renga_nn.functions.math import log1p as log1p
from renga_nn.functions.math import log2 as log2
from renga_nn.functions.math import log_ndtr as log_ndtr
from renga_nn.functions.math import logsumexp as logsumexp
from renga_nn.functions.math import matmul as matmul
from renga_nn.functions.math import max as max
from renga_nn.functions.math import maximum as maximum
from renga_nn.functions.math import mean as mean
from renga_nn.functions.math import min as min
from renga_nn.functions.math import minimum as minimum
from renga_nn.functions.math import ndtr as ndtr
from renga_nn.functions.math import ndtri as ndtri
from renga_nn.functions.math import polygamma as polygamma
from renga_nn.functions.math import prod as prod
from renga_nn.functions.math import rsqrt as rsqrt
from renga_nn.functions.math import scale as scale
from renga_nn.functions.math import sign as sign
from renga_nn.functions.math import sin as sin
from renga_nn.functions.math import sinh as sinh
from renga_nn.functions.math import sparse_matmul as sparse_matmul
from renga_nn.functions.math import sqrt as sqrt
from renga_nn.functions.math import square as square
from renga_nn.functions.math import squared_difference as squared_difference
from renga_nn.functions.math import sum as sum
from renga_nn.functions.math import tan as tan
from renga_nn.functions.math import tensordot as tensordot
from renga_nn.functions.math import zeta as zeta
from renga_nn.functions.noise import dropout as dropout
from renga_nn.functions.noise import dropout_add as dropout_add
from renga_nn.functions.noise import gaussian as gaussian
from renga_nn.functions.noise import gumbel_softmax as gumbel_softmax
from renga_nn.functions.noise import simplified_dropconnect as simplified_dropconnect
from renga_nn.functions.noise import zoneout as zoneout
from renga_nn.functions.normalization import batch_normalization as batch_normalization
from renga_nn.functions.normalization import batch_normalization_relu as batch_normalization_relu
from renga_nn.functions.normalization import batch_renormalization as batch_renormalization
from renga_nn.functions.normalization import decorrelated_batch_normalization as decorrelated_batch_normalization
from renga_nn.functions.normalization import fixed_batch_normalization as fixed_batch_normalization
from renga_nn.functions.normalization import fixed_batch_normalization_relu as fixed_batch_normalization_relu
from renga_nn.functions.normalization import fixed_batch_renormalization as fixed_batch_renormalization
from renga_nn.functions.normalization import fixed_decorrelated_batch_normalization as fixed_decorrelated_batch_normalization
from renga_nn.functions.normalization import group_normalization as group_normalization
from renga_nn.functions.normalization import layer_normalization as layer_normalization
from renga_nn.functions.normalization import local_response_normalization as local_response_normalization
from renga_nn.functions.normalization import normalize as normalize
from renga_nn.functions.normalization import rms_normalization as rms_normalization
from renga_nn.functions.pooling import average_pooling_1d as average_pooling_1d
from renga_nn.functions.pooling import average_pooling_2d as average_pooling_2d
from renga_nn.functions.pooling import average_pooling_3d as average_pooling_3d
from renga_nn.functions.pooling import average_pooling_nd as average_pooling_nd
from renga_nn.functions.pooling import global_average_pooling_2d as global_average_pooling_2d
from renga_nn.functions.pooling import max_pooling_1d as max_pooling_1d
from renga_nn.functions.pooling import max_pooling_2d as max_pooling_2d
from renga_nn.functions.pooling import max_pooling_3d as max_pooling_3d
from renga_nn.functions.pooling import max_pooling_nd as max_pooling_nd
from renga_nn.functions.pooling import roi_average_align_2d as roi_average_align_2d
from renga_nn.functions.pooling import roi_average_pooling_2d as roi_average_pooling_2d
from renga_nn.functions.pooling import roi_max_align_2d as roi_max_align_2d
from renga_nn.functions.pooling import roi_max_pooling_2d as roi_max_pooling_2d
from renga_nn.functions.pooling import roi_pooling_2d as roi_pooling_2d
from renga_nn.functions.pooling import spatial_pyramid_pooling_2d as spatial_pyramid_pooling_2d
from renga_nn.functions.pooling import unpooling_1d as unpooling_1d
from renga_nn.functions.pooling import unpooling_2d as unpooling_2d
from renga_nn.functions.pooling import unpooling_3d as unpooling_3d
from renga_nn.functions.pooling import unpooling_nd as unpooling_nd
from renga_nn.functions.pooling import upsampling_2d as upsampling_2d
from renga_nn.functions.rnn import lstm as lstm
from renga_nn.functions.rnn import n_step_bigru as n_step_bigru
from renga_nn.functions.rnn import n_step_bilstm as n_step_bilstm
from renga_nn.functions.rnn import n_step_birnn as n_step_birnn
from renga_nn.functions.rnn import n_step_gru as n_step_gru
from renga_nn.functions.rnn import n_step_lstm as n_step_lstm
from renga_nn.functions.rnn import n_step_rnn as n_step_rnn
from renga_nn.functions.rnn import slstm as slstm
from renga_nn.functions.rnn import tree_lstm as tree_lstm
from renga_nn.functions.util import forget as forget

__all__ = [
    "absolute",
    "absolute_error",
    "accuracy",
    "add",
    "arccos",
    "arcsin",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmax_crf1d",
    "argmin",
    "as_strided",
    "average",
    "average_pooling_1d",
    "average_pooling_2d",
    "average_pooling_3d",
    "average_pooling_nd",
    "batch_det",
    "batch_inv",
    "batch_l2_norm_squared",
    "batch_matmul",
    "batch_normalization",
    "batch_normalization_relu",
    "batch_renormalization",
    "bernoulli_nll",
    "bias",
    "bilinear",
    "binary_accuracy",
    "black_out",
    "broadcast",
    "broadcast_to",
    "cast",
    "ceil",
    "cholesky",
    "classification_summary",
    "clip",
    "clipped_relu",
    "concat",
    "connectionist_temporal_classification",
    "contrastive",
    "convolution_1d",
    "convolution_2d",
    "convolution_3d",
    "convolution_nd",
    "copy",
    "cos",
    "cosh",
    "crelu",
    "crf1d",
    "cross_covariance",
    "cumprod",
    "cumsum",
    "deconvolution_1d",
    "deconvolution_2d",
    "deconvolution_3d",
    "deconvolution_nd",
    "decorrelated_batch_normalization",
    "decov",
    "deformable_convolution_2d_sampler",
    "depth2space",
    "depthwise_convolution_2d",
    "det",
    "diagonal",
    "digamma",
    "dilated_convolution_2d",
    "discriminative_margin_based_clustering_loss",
    "dropout",
    "dropout_add",
    "dstack",
    "einsum",
    "elu",
    "embed_id",
    "erf",
    "erfc",
    "erfcinv",
    "erfcx",
    "erfinv",
    "exp",
    "expand_dims",
    "expm1",
    "f1_score",
    "fft",
    "fix",
    "fixed_batch_normalization",
    "fixed_batch_normalization_relu",
    "fixed_batch_renormalization",
    "fixed_decorrelated_batch_normalization",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "floor",
    "fmod",
    "forget",
    "gaussian",
    "gaussian_kl_divergence",
    "gaussian_nll",
    "gelu",
    "get_item",
    "global_average_pooling_2d",
    "group_normalization",
    "gumbel_softmax",
    "hard_sigmoid",
    "hinge",
    "hstack",
    "huber_loss",
    "identity",
    "ifft",
    "im2col",
    "inv",
    "layer_normalization",
    "leaky_relu",
    "lgamma",
    "linear",
    "linear_interpolate",
    "linear_relu",
    "linear_softmax_cross_entropy",
    "local_convolution_2d",
    "local_response_normalization",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_ndtr",
    "log_softmax",
    "logsumexp",
    "lstm",
    "matmul",
    "max",
    "max_pooling_1d",
    "max_pooling_2d",
    "max_pooling_3d",
    "max_pooling_nd",
    "maximum",
    "maxout",
    "mean",
    "mean_absolute_error",
    "mean_squared_error",
    "min",
    "minimum",
    "moveaxis",
    "n_step_bigru",
    "n_step_bilstm",
    "n_step_birnn",
    "n_step_gru",
    "n_step_lstm",
    "n_step_rnn",
    "ndtr",
    "ndtri",
    "negative_sampling",
    "normalize",
    "pad",
    "pad_sequence",
    "permutate",
    "polygamma",
    "precision",
    "prelu",
    "prod",
    "r2_score",
    "recall",
    "relu",
    "relu6",
    "repeat",
    "reshape",
    "resize_images",
    "rms_normalization",
    "roi_average_align_2d",
    "roi_average_pooling_2d",
    "roi_max_align_2d",
    "roi_max_pooling_2d",
    "roi_pooling_2d",
    "rollaxis",
    "rotary_embedding",
    "rrelu",
    "rsqrt",
    "scale",
    "scaled_dot_product_attention",
    "scatter_add",
    "select_item",
    "selu",
    "separate",
    "shift",
    "sigmoid",
    "sigmoid_cross_entropy",
    "sign",
    "silu",
    "simplified_dropconnect",
    "sin",
    "sinh",
    "slstm",
    "softmax",
    "softmax_cross_entropy",
    "softplus",
    "space2depth",
    "sparse_matmul",
    "spatial_pyramid_pooling_2d",
    "spatial_transformer_grid",
    "spatial_transformer_sampler",
    "split_axis",
    "sqrt",
    "square",
    "squared_difference",
    "squared_error",
    "squeeze",
    "stack",
    "sum",
    "sum_to",
    "swapaxes",
    "swiglu",
    "swish",
    "tan",
    "tanh",
    "tensordot",
    "tile",
    "transpose",
    "transpose_sequence",
    "tree_lstm",
    "triplet",
    "unpooling_1d",
    "unpooling_2d",
    "unpooling_3d",
    "unpooling_nd",
    "upsampling_2d",
    "vstack",
    "where",
    "zeta",
    "zoneout",
]
