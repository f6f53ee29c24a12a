"""What this distribution registers. Renga imports this module to list it, so it imports nothing heavy."""

from renga import Kernel, Provider, hookimpl

NEEDS = ("torch", "array_api_compat")
HINT = "pip install torch array-api-compat"


@hookimpl
def renga_array_backends() -> list[Provider]:
    """The backend ``torch``."""
    return [
        Provider(
            name="torch",
            target="renga_backend_torch.backend:TorchBackend",
            revision=1,
            summary="PyTorch's tensors on the CPU",
            # The package itself is named, too, because it defines the type of the arrays.
            needs=(*NEEDS, "renga_backend_torch"),
            install_hint=HINT,
            capabilities=frozenset({"dlpack_zero_copy", "float16", "numpy_methods", "numpy_names", "views"}),
        )
    ]


@hookimpl
def renga_kernels() -> list[Kernel]:
    """Convolution and its gradients, batch normalization, attention, max pooling."""
    return [
        _kernel("convolution", "convolution:CONVOLUTION", "convolution:supports_convolution"),
        _kernel("deconvolution", "convolution:DECONVOLUTION", "convolution:supports_deconvolution"),
        _kernel("convolution_filter_gradient", "convolution:FILTER_GRADIENT", "convolution:supports_filter_gradient"),
        _kernel("batch_normalization", "batch_normalization:BATCH_NORMALIZATION", "batch_normalization:supports"),
        _kernel("scaled_dot_product_attention", "attention:ATTENTION", "attention:supports"),
        _kernel("max_pooling", "max_pooling:MAX_POOLING", "max_pooling:supports"),
    ]


def _kernel(op: str, target: str, supports: str) -> Kernel:
    return Kernel(
        op=op,
        backend="torch",
        target=f"renga_backend_torch.kernels.{target}",
        supports=f"renga_backend_torch.kernels.{supports}",
        priority=10,
        summary="by torch.nn.functional",
        needs=NEEDS,
        install_hint=HINT,
        capabilities=frozenset({"float32", "float64", "gaps", "transposed", "channels_last"}),
    )
