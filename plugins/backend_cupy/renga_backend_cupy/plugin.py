"""What the CuPy backend offers: arrays on NVIDIA GPUs, and kernels. Imports neither CuPy nor cuDNN."""

from collections.abc import Iterable
from dataclasses import replace

from renga_core.plugin import Kernel, Provider, hookimpl

_HINT = "pip install 'renga[cuda13]' (or 'renga[cuda12]', for a driver of CUDA 12)"
_PROBE = "renga_backend_cupy.probe:unavailable"
_KERNELS = "renga_backend_cupy.kernels"
_FLOATING = ("float16", "bfloat16", "float32", "float64")
_HALVES = ("float16", "bfloat16", "transposed", "channels_last")
_ACTIVATIONS = ("clipped_relu", "elu", "hard_sigmoid", "leaky_relu", "relu", "sigmoid", "softplus", "tanh")
_UPDATES = [
    (name, f"optimizer_updates:{cls}Update", f"optimizer_updates:supports_{arguments}")
    for name, cls, arguments in (
        ("adam", "Adam", "adam"),
        ("corrected_momentum_sgd", "CorrectedMomentumSGD", "momentum"),
        ("momentum_sgd", "MomentumSGD", "momentum"),
        ("nesterov_ag", "NesterovAG", "momentum"),
        ("rmsprop", "RMSprop", "rmsprop"),
        ("sgd", "SGD", "sgd"),
    )
]
_LAYOUTS = ("gaps", "transposed", "channels_last")


@hookimpl
def renga_array_backends() -> list[Provider]:
    """The backend ``cupy``."""
    return [
        Provider(
            name="cupy",
            target="renga_backend_cupy.backend:CupyBackend",
            revision=1,
            summary="Arrays on NVIDIA GPUs",
            needs=("cupy",),
            probe=_PROBE,
            install_hint=_HINT,
            capabilities=frozenset({"float16", "memory_info", "numpy_methods", "numpy_names", "views"}),
            auto="accelerator",
        )
    ]


@hookimpl
def renga_function_hooks() -> list[Provider]:
    """Function hooks for a GPU."""

    def hook(name: str, cls: str, summary: str) -> Provider:
        target = f"renga_backend_cupy.profiling:{cls}"
        return Provider(name, target, 1, summary, needs=("cupy",), probe=_PROBE, install_hint=_HINT)

    return [
        hook("cuda_profile", "CUDAProfileHook", "Marks each function as a range for NVIDIA's profilers"),
        hook("cupy_memory_profile", "CupyMemoryProfileHook", "How much of a GPU's memory each function takes"),
    ]


@hookimpl
def renga_kernels() -> list[Kernel]:
    """Convolutions and batch normalization by cuDNN, and kernels that CuPy compiles at their first use."""
    return [
        _cudnn("convolution", "convolution:Convolution", "convolution:supports", _FLOATING),
        _cudnn("deconvolution", "convolution:Deconvolution", "convolution:supports", _FLOATING),
        _cudnn(
            "convolution_filter_gradient",
            "convolution:FilterGradient",
            "convolution:supports_filter_gradient",
            _FLOATING,
        ),
        _cudnn(
            "batch_normalization",
            "batch_normalization:BatchNormalization",
            "batch_normalization:supports",
            ("float16", "bfloat16", "float32"),
        ),
        _cublas("matmul", "product:MatMul", "product:supports_matmul"),
        _cublas("linear", "product:Linear", "product:supports_linear"),
        _cublas("linear_relu", "product:LinearReLU", "product:supports_linear_relu"),
        _cublas("scaled_dot_product_attention", "attention:Attention", "attention:supports"),
        _flash_attention(),
        _own("max_pooling", "max_pooling:MaxPooling", "windows:supports"),
        _own("window_sum", "window_sum:WindowSum"),
        _own("window_spread", "window_sum:WindowSpread"),
        _own("softmax", "softmax:Softmax"),
        _own("log_softmax", "softmax:LogSoftmax"),
        _own("softmax_cross_entropy", "softmax:SoftmaxCrossEntropy", "softmax:supports_cross_entropy"),
        _kernel(
            "label_weights",
            "labels:LabelWeights",
            "labels:supports",
            "compiled by CuPy: one launch in place of ten",
            (),
        ),
        _own("layer_normalization", "layer_normalization:LayerNormalization"),
        _own("batch_normalization_fixed", "fixed_batch_normalization:FixedBatchNormalization"),
        _own(
            "batch_normalization_relu",
            "batch_normalization_relu:BatchNormalizationReLU",
            dtypes=("float16", "bfloat16", "float32"),
        ),
        _own(
            "batch_normalization_fixed_relu",
            "batch_normalization_relu:FixedBatchNormalizationReLU",
            "batch_normalization_relu:supports_fixed",
        ),
        _own("dropout", "dropout:Dropout"),
        _own("dropout_add", "dropout:DropoutAdd", "dropout:supports_add"),
        _own("lstm", "lstm:LSTM"),
        _own("embed_id_gradient", "embed_id:EmbedIDGradient"),
        _kernel(
            "check_finite",
            "norms:CheckFinite",
            "norms:supports_finite",
            "compiled by CuPy: one launch for many arrays",
            _FLOATING,
        ),
        _kernel(
            "clipping_rate",
            "norms:ClippingRate",
            "norms:supports_clipping_rate",
            "compiled by CuPy: one launch in place of five",
            _FLOATING,
        ),
        _kernel("scale", "norms:Scale", "norms:supports", "compiled by CuPy: one launch for many arrays", _FLOATING),
        _kernel(
            "sums_of_squares",
            "norms:SumsOfSquares",
            "norms:supports",
            "compiled by CuPy: two launches for many arrays",
            _FLOATING,
        ),
        _own(
            "moving_average",
            "optimizer_updates:MovingAverageUpdate",
            "optimizer_updates:supports_moving_average",
            ("float32", "float64"),
        ),
        *[_own(f"{name}_update", target, supports, ("float32", "float64")) for name, target, supports in _UPDATES],
        *[
            _kernel(
                f"{name}_update_fp32",
                f"{target}.half",
                "optimizer_updates:supports_halves",
                "compiled by CuPy: one launch for many arrays",
                _HALVES,
            )
            for name, target, _ in _UPDATES
        ],
        _kernel(
            "widen",
            "optimizer_updates:Widen",
            "optimizer_updates:supports_widen",
            "compiled by CuPy: one launch for many arrays",
            _HALVES,
        ),
        *[_own(name, f"activation:{name}") for name in _ACTIVATIONS],
    ]


def _kernel(
    op: str,
    target: str,
    supports: str,
    summary: str,
    capabilities: Iterable[str],
    needs: tuple[str, ...] = ("cupy",),
    probe: str = _PROBE,
) -> Kernel:
    return Kernel(
        op=op,
        backend="cupy",
        target=f"{_KERNELS}.{target}",
        supports=f"{_KERNELS}.{supports}",
        priority=10,
        summary=summary,
        needs=needs,
        probe=probe,
        install_hint=_HINT,
        capabilities=frozenset(capabilities),
    )


def _cudnn(op: str, target: str, supports: str, dtypes: tuple[str, ...]) -> Kernel:
    return _kernel(op, target, supports, "by cuDNN", (*dtypes, *_LAYOUTS), needs=("cupy", "cudnn"))


def _flash_attention() -> Kernel:
    """Tried before attention by cuBLAS."""
    module, op = "flash_attention", "scaled_dot_product_attention"
    needs, capabilities = ("cupy", "cudnn"), ("float16", "bfloat16", "transposed")
    found = _kernel(
        op, f"{module}:FlashAttention", f"{module}:supports", "by cuDNN, in one launch", capabilities, needs
    )
    return replace(found, name="cudnn_attention", priority=20)


def _cublas(op: str, target: str, supports: str) -> Kernel:
    # It multiplies bfloat16 too, which NumPy, with which the kit compares it, does a hundred times slower.
    capabilities = {*_FLOATING, *_LAYOUTS} - {"bfloat16"}
    summary = "by cuBLAS, also while a CUDA graph is captured"
    return _kernel(op, target, supports, summary, capabilities, probe="renga_backend_cupy.probe:no_cublas")


def _own(op: str, target: str, supports: str = "", dtypes: tuple[str, ...] = _FLOATING) -> Kernel:
    """A kernel of ours; its predicate is `supports` of the same module unless another is named."""
    supports = supports or target.partition(":")[0] + ":supports"
    return _kernel(op, target, supports, "compiled by CuPy: one launch in place of several", (*dtypes, *_LAYOUTS))
