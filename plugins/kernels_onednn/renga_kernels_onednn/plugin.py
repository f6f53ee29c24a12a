"""What oneDNN offers: kernels for float32 and bfloat16 arrays of the NumPy backend. Loads nothing."""

from dataclasses import replace

from renga_core.plugin import Kernel, hookimpl

_PACKAGE = "renga_kernels_onednn"
_LAYOUTS = ("gaps", "transposed", "channels_last")
_DENSE = ("transposed", "channels_last")
_MATRICES = ("gaps", "transposed")
_PRIORITY = 50
_ACTIVATIONS = {"gelu": "GELU", "gelu_tanh": "GELUTanh", "silu": "SiLU", "sigmoid": "Sigmoid", "tanh": "Tanh"}
_WITH_BFLOAT16 = (
    "add",
    "convolution",
    "deconvolution",
    "convolution_filter_gradient",
    "convolution_parameter_gradients",
    "max_pooling",
    "window_sum",
    "window_spread",
    "batch_normalization",
    "batch_normalization_fixed",
    "layer_normalization",
    "linear",
    "matmul",
    "relu",
    "softmax",
    "log_softmax",
)


@hookimpl
def renga_kernels() -> list[Kernel]:
    """They come before NumPy's own kernels for float32, and for bfloat16 if the processor computes with it."""
    return [*_float32(), *_bfloat16()]


def _float32() -> list[Kernel]:
    return [
        _kernel("add", "addition:Add"),
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
        _linear_relu(),
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


def _bfloat16() -> list[Kernel]:
    of_single = [
        *[kernel for kernel in _float32() if kernel.op in _WITH_BFLOAT16],
        _kernel("scaled_dot_product_attention", "attention_bfloat16:Attention"),
        *[_kernel(op, f"eltwise:{target}") for op, target in _ACTIVATIONS.items()],
        _kernel("refresh_fp32_copy", "fp32_copy:Refresh", layouts=()),
        _kernel("round_fp32_copy", "fp32_copy:Round", "supports_round", layouts=()),
    ]
    return [
        replace(
            kernel,
            name=f"{kernel.name}_bfloat16",
            supports=f"{kernel.supports}_bfloat16",
            priority=_PRIORITY - 1,  # after those of float32, the usual dtype
            probe=f"{_PACKAGE}.library:without_bfloat16",
            install_hint="Other kernels are used instead",
            capabilities=kernel.capabilities - {"float32"} | {"bfloat16"},
        )
        for kernel in of_single
    ]


def _linear_relu() -> Kernel:
    kernel = _kernel("linear_relu", "linear_relu:LinearReLU", layouts=_MATRICES)
    return replace(kernel, supports=f"{_PACKAGE}.product:supports_linear")


def _kernel(op: str, target: str, supports: str = "supports", layouts: tuple[str, ...] = _LAYOUTS) -> Kernel:
    module = target.partition(":")[0]
    return Kernel(
        op=op,
        name=f"onednn_{op}",
        backend="numpy",
        target=f"{_PACKAGE}.{target}",
        supports=f"{_PACKAGE}.{module}:{supports}",
        priority=_PRIORITY,
        summary="by oneDNN",
        probe=f"{_PACKAGE}.library:unavailable",
        install_hint="pip install 'renga[onednn]'",
        capabilities=frozenset({"float32", *layouts}),
    )
