"""The required fields of a ``.caffemodel``, by their numbers in caffe.proto; the format has two versions."""

from __future__ import annotations

from renga_nn.links.caffe.wire import Field, Schema

__all__ = ["LAYER", "NET", "V1_LAYER", "V1_TYPES"]

_BLOB_SHAPE = {1: Field("dim", "int", repeated=True)}

_BLOB = {
    1: Field("num", "int", default=0),
    2: Field("channels", "int", default=0),
    3: Field("height", "int", default=0),
    4: Field("width", "int", default=0),
    5: Field("data", "float", repeated=True),
    7: Field("shape", _BLOB_SHAPE),
    8: Field("double_data", "double", repeated=True),
}

_CONCAT = {1: Field("concat_dim", "int", default=1), 2: Field("axis", "int", default=1)}

_CONVOLUTION = {
    1: Field("num_output", "int"),
    2: Field("bias_term", "bool", default=True),
    3: Field("pad", "int", repeated=True),
    4: Field("kernel_size", "int", repeated=True),
    5: Field("group", "int", default=1),
    6: Field("stride", "int", repeated=True),
    9: Field("pad_h", "int", default=0),
    10: Field("pad_w", "int", default=0),
    11: Field("kernel_h", "int", default=0),
    12: Field("kernel_w", "int", default=0),
    13: Field("stride_h", "int", default=0),
    14: Field("stride_w", "int", default=0),
    18: Field("dilation", "int", repeated=True),
}

_POOLING = {
    1: Field("pool", "int", default=0),
    2: Field("kernel_size", "int", default=0),
    3: Field("stride", "int", default=1),
    4: Field("pad", "int", default=0),
    5: Field("kernel_h", "int", default=0),
    6: Field("kernel_w", "int", default=0),
    7: Field("stride_h", "int", default=0),
    8: Field("stride_w", "int", default=0),
    9: Field("pad_h", "int", default=0),
    10: Field("pad_w", "int", default=0),
    12: Field("global_pooling", "bool", default=False),
}

_DROPOUT = {1: Field("dropout_ratio", "float", default=0.5)}

_ELTWISE = {1: Field("operation", "int", default=1), 2: Field("coeff", "float", repeated=True)}

_INNER_PRODUCT = {
    1: Field("num_output", "int"),
    2: Field("bias_term", "bool", default=True),
    5: Field("axis", "int", default=1),
    6: Field("transpose", "bool", default=False),
}

_LRN = {
    1: Field("local_size", "int", default=5),
    2: Field("alpha", "float", default=1.0),
    3: Field("beta", "float", default=0.75),
    4: Field("norm_region", "int", default=0),
    5: Field("k", "float", default=1.0),
}

_RELU = {1: Field("negative_slope", "float", default=0.0)}

_SLICE = {
    1: Field("slice_dim", "int"),
    2: Field("slice_point", "int", repeated=True),
    3: Field("axis", "int"),
}

_SOFTMAX = {2: Field("axis", "int", default=1)}

_RESHAPE = {
    1: Field("shape", _BLOB_SHAPE),
    2: Field("axis", "int", default=0),
    3: Field("num_axes", "int", default=-1),
}

_BATCH_NORM = {
    1: Field("use_global_stats", "bool"),
    2: Field("moving_average_fraction", "float", default=0.999),
    3: Field("eps", "float", default=1e-5),
}

_SCALE = {1: Field("axis", "int", default=1), 4: Field("bias_term", "bool", default=False)}

LAYER: Schema = {
    1: Field("name", "string", default=""),
    2: Field("type", "string", default=""),
    3: Field("bottom", "string", repeated=True),
    4: Field("top", "string", repeated=True),
    7: Field("blobs", _BLOB, repeated=True, most=16),
    104: Field("concat_param", _CONCAT),
    106: Field("convolution_param", _CONVOLUTION),
    108: Field("dropout_param", _DROPOUT),
    110: Field("eltwise_param", _ELTWISE),
    117: Field("inner_product_param", _INNER_PRODUCT),
    118: Field("lrn_param", _LRN),
    121: Field("pooling_param", _POOLING),
    123: Field("relu_param", _RELU),
    125: Field("softmax_param", _SOFTMAX),
    126: Field("slice_param", _SLICE),
    133: Field("reshape_param", _RESHAPE),
    139: Field("batch_norm_param", _BATCH_NORM),
    142: Field("scale_param", _SCALE),
}

V1_LAYER: Schema = {
    2: Field("bottom", "string", repeated=True),
    3: Field("top", "string", repeated=True),
    4: Field("name", "string", default=""),
    5: Field("type", "int", default=0),
    6: Field("blobs", _BLOB, repeated=True, most=16),
    9: Field("concat_param", _CONCAT),
    10: Field("convolution_param", _CONVOLUTION),
    12: Field("dropout_param", _DROPOUT),
    17: Field("inner_product_param", _INNER_PRODUCT),
    18: Field("lrn_param", _LRN),
    19: Field("pooling_param", _POOLING),
    24: Field("eltwise_param", _ELTWISE),
    30: Field("relu_param", _RELU),
    31: Field("slice_param", _SLICE),
    39: Field("softmax_param", _SOFTMAX),
}

V1_TYPES = {
    3: "Concat",
    4: "Convolution",
    5: "Data",
    6: "Dropout",
    14: "InnerProduct",
    15: "LRN",
    17: "Pooling",
    18: "ReLU",
    19: "Sigmoid",
    20: "Softmax",
    21: "SoftmaxWithLoss",
    22: "Split",
    25: "Eltwise",
    33: "Slice",
    39: "Deconvolution",
}
"""Names in the second version for the numbers of the first version."""

NET: Schema = {
    1: Field("name", "string", default=""),
    2: Field("layers", "bytes", repeated=True),
    100: Field("layer", "bytes", repeated=True),
}
"""A network: `layers` of `V1_LAYER` in the first version; `layer` of `LAYER` in the second."""
