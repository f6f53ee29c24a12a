"""What oneDNN offers: kernels for float32 arrays of the NumPy backend. Loads nothing."""

from renga_core.plugin import Kernel, hookimpl

_PACKAGE = "renga_kernels_onednn"
_LAYOUTS = ("gaps", "transposed", "channels_last")
_DENSE = ("transposed", "channels_last")
_MATRICES = ("gaps", "transposed")


@hookimpl
def renga_kernels() -> list[Kernel]:
    """Before NumPy's own, wherever the arguments are float32."""
    return [
        _kernel("convolution", "convolution:Convolution"),
        _kernel("deconvolution", "convolution:Deconvolution", "supports_deconvolution"),
        _kernel("convolution_filter_gradient", "convolution:FilterGradient", "supports_gradient"),
        _kernel("convolution_parameter_gradients", "convolution:ParameterGradients", "supports_gradient"),
        _kernel("max_pooling", "pooling:MaxPooling"),
        _kernel("window_sum", "pooling:WindowSum", "supports_sum"),
        _kernel("window_spread", "pooling:WindowSpread", "supports_sum"),
        _kernel("batch_normalization", "batch_normalization:BatchNormalization"),
        _kernel("batch_normalization_fixed", "batch_normalization:FixedBatchNormalization", "supports_fixed"),
        _kernel("layer_normalization", "layer_normalization:LayerNormalization"),
        _kernel("linear", "product:Linear", "supports_linear", layouts=_MATRICES),
        _kernel("matmul", "product:MatMul"),
        _kernel("relu", "relu:ReLU"),
        _kernel("scaled_dot_product_attention", "attention:Attention"),
        _kernel("softmax", "softmax:Softmax"),
        _kernel("log_softmax", "softmax:LogSoftmax"),
        _kernel("recurrence", "recurrence:Recurrence"),
        _kernel("sgd_update", "optimizer_updates:SGDUpdate", "supports_sgd", layouts=_DENSE),
        _kernel("momentum_sgd_update", "optimizer_updates:MomentumSGDUpdate", "supports_momentum", layouts=_DENSE),
        _kernel(
            "corrected_momentum_sgd_update",
            "optimizer_updates:CorrectedMomentumSGDUpdate",
            "supports_momentum",
            layouts=_DENSE,
        ),
        _kernel("nesterov_ag_update", "optimizer_updates:NesterovAGUpdate", "supports_momentum", layouts=_DENSE),
        _kernel("rmsprop_update", "optimizer_updates:RMSpropUpdate", "supports_rmsprop", layouts=_DENSE),
        _kernel("adam_update", "optimizer_updates:AdamUpdate", "supports_adam", layouts=_DENSE),
    ]


def _kernel(op: str, target: str, supports: str = "supports", layouts: tuple[str, ...] = _LAYOUTS) -> Kernel:
    module = target.partition(":")[0]
    return Kernel(
        op=op,
        name=f"onednn_{op}",
        backend="numpy",
        target=f"{_PACKAGE}.{target}",
        supports=f"{_PACKAGE}.{module}:{supports}",
        priority=50,
        summary="by oneDNN",
        probe=f"{_PACKAGE}.library:unavailable",
        install_hint="pip install 'renga[onednn]'",
        capabilities=frozenset({"float32", *layouts}),
    )
