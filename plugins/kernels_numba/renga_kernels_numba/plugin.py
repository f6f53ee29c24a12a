"""What numba registers: kernels for float32 and bfloat16 arrays of the NumPy backend. Imports nothing heavy."""

from dataclasses import replace

from renga_core.plugin import Kernel, hookimpl

_PACKAGE = "renga_kernels_numba"
_LAYOUTS = ("gaps", "transposed", "channels_last")
_MATRICES = ("gaps", "transposed")
_DENSE = ("transposed", "channels_last")


@hookimpl
def renga_kernels() -> list[Kernel]:
    """Kernels with priority 60 come before oneDNN's (50). They were measured to be faster; batch normalization is more
    exact, and about as fast. Priority 40: for what oneDNN does not support, and where it is missing.
    """
    return [
        *_of_both_dtypes("batch_normalization", "batch_normalization:BatchNormalization", "supports"),
        *_of_both_dtypes("batch_normalization_relu", "batch_normalization_relu:BatchNormalizationReLU", "supports"),
        *_of_both_dtypes(
            "batch_normalization_fixed_relu", "batch_normalization_relu:FixedBatchNormalizationReLU", "supports_fixed"
        ),
        _kernel(
            "batch_normalization", "group_normalization:RowwiseNormalization", 60, name="numba_group_normalization"
        ),
        *_depthwise_convolution(),
        _kernel("embed_id_gradient", "embedding:EmbedIDGradient", 60),
        _kernel("layer_normalization", "row_normalization:LayerNormalization", 60),
        _kernel("max_pooling", "max_pooling:MaxPooling", 40, layouts=("channels_last",)),
        replace(
            _kernel("non_maximum_suppression", "non_maximum_suppression:NonMaximumSuppression", 60, layouts=_MATRICES),
            summary="all groups in one call, by numba",
            capabilities=frozenset({"float32", "float64", *_MATRICES}),
        ),
        _kernel("region_maxima", "region_maxima:RegionMaxima", 60, layouts=_MATRICES),
        _kernel("region_maxima_spread", "region_maxima:RegionMaximaSpread", 60, "supports_spread"),
        _kernel("region_sums", "region_sums:RegionSums", 60, layouts=_MATRICES),
        _kernel("region_spread", "region_sums:RegionSpread", 60, "supports_spread"),
        _kernel("resample", "resample:Resample", 60),
        _kernel("rms_normalization", "row_normalization:RMSNormalization", 60, "supports_rms"),
        _kernel("lstm", "lstm:LSTM", 60),
        _kernel("scaled_dot_product_attention", "attention:Attention", 60, probe="no_tiles"),
        _kernel("recurrence", "lstm_layer:LSTMLayer", 60, name="numba_lstm_layer", probe="no_tiles"),
        _kernel("recurrence", "recurrence:Recurrence", 40),
        _kernel("dropout", "dropout:Dropout", 60),
        _kernel("dropout_add", "dropout:DropoutAdd", 60, "supports_add"),
        _kernel("erf", "pointwise:ERF", 60),
        _kernel("gelu", "pointwise:GELU", 60),
        _kernel("gelu_tanh", "pointwise:GELU_TANH", 60),
        _kernel("silu", "pointwise:SILU", 60),
        _kernel("swiglu", "pointwise:SwiGLU", 60, "supports_two"),
        _kernel("sigmoid", "pointwise:SIGMOID", 60),
        _kernel("tanh", "pointwise:TANH", 60, "supports_large"),
        _kernel("softmax", "softmax:SOFTMAX", 60),
        _kernel("log_softmax", "softmax:LOG_SOFTMAX", 60),
        _kernel("softmax_cross_entropy", "softmax:CrossEntropy", 60, "supports_cross_entropy"),
        _kernel("sgd_update", "optimizer_updates:SGDUpdate", 60, "supports_sgd", _DENSE),
        _kernel("momentum_sgd_update", "optimizer_updates:MomentumSGDUpdate", 60, "supports_momentum", _DENSE),
        _kernel(
            "corrected_momentum_sgd_update",
            "optimizer_updates:CorrectedMomentumSGDUpdate",
            60,
            "supports_momentum",
            _DENSE,
        ),
        _kernel("nesterov_ag_update", "optimizer_updates:NesterovAGUpdate", 60, "supports_momentum", _DENSE),
        _kernel("rmsprop_update", "optimizer_updates:RMSpropUpdate", 60, "supports_rmsprop", _DENSE),
        _kernel("sums_of_squares", "norms:SumsOfSquares", 60, layouts=_DENSE),
        _kernel("scale", "norms:Scale", 60, layouts=_DENSE),
        _kernel("add_multiple", "norms:AddMultiple", 60, "supports_two", _DENSE),
        _kernel("adam_update", "optimizer_updates:AdamUpdate", 60, "supports_adam", _DENSE),
    ]


def _depthwise_convolution() -> list[Kernel]:
    module = "depthwise_convolution"
    return [
        _kernel("convolution", f"{module}:Convolution", 40, name="numba_depthwise_convolution"),
        _kernel("deconvolution", f"{module}:Deconvolution", 40, name="numba_depthwise_deconvolution"),
        _kernel(
            "convolution_filter_gradient",
            f"{module}:FilterGradient",
            60,
            "supports_gradient",
            name="numba_depthwise_filter_gradient",
        ),
        _kernel(
            "convolution_parameter_gradients",
            f"{module}:ParameterGradients",
            60,
            "supports_gradient",
            name="numba_depthwise_parameter_gradients",
        ),
    ]


def _of_both_dtypes(op: str, target: str, supports: str) -> list[Kernel]:
    """A kernel for float32, and one for bfloat16."""
    single = _kernel(op, target, 60, supports)
    capabilities = single.capabilities - {"float32"} | {"bfloat16"}
    return [
        single,
        replace(
            single,
            name=f"{single.name}_bfloat16",
            supports=f"{single.supports}_bfloat16",
            priority=59,  # after those of float32, the usual dtype
            capabilities=capabilities,
        ),
    ]


def _kernel(
    op: str,
    target: str,
    priority: int,
    supports: str = "supports",
    layouts: tuple[str, ...] = _LAYOUTS,
    name: str = "",
    probe: str = "unavailable",
) -> Kernel:
    module = target.partition(":")[0]
    return Kernel(
        op=op,
        name=name or f"numba_{op}",
        backend="numpy",
        target=f"{_PACKAGE}.{target}",
        supports=f"{_PACKAGE}.{module}:{supports}",
        priority=priority,
        summary="one pass over memory, by numba",
        probe=f"{_PACKAGE}.availability:{probe}",
        install_hint="pip install 'renga[numba]'" if probe == "unavailable" else "Other kernels are used instead",
        capabilities=frozenset({"float32", *layouts}),
    )
