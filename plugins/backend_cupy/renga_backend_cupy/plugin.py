"""What the CuPy backend offers: arrays on NVIDIA GPUs, and kernels. Imports neither CuPy nor cuDNN."""

from renga_core.plugin import Kernel, Provider, hookimpl

_HINT = "pip install 'renga[cuda13]' (or 'renga[cuda12]', for a driver of CUDA 12)"
_PROBE = "renga_backend_cupy.probe:unavailable"
_KERNELS = "renga_backend_cupy.kernels"
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
        )
    ]


@hookimpl
def renga_kernels() -> list[Kernel]:
    """Convolutions and batch normalization through cuDNN; max pooling compiled by CuPy."""
    floating = ("float16", "float32", "float64")
    return [
        _cudnn("convolution", "convolution:Convolution", "convolution:supports", floating),
        _cudnn("deconvolution", "convolution:Deconvolution", "convolution:supports", floating),
        _cudnn(
            "convolution_filter_gradient",
            "convolution:FilterGradient",
            "convolution:supports_filter_gradient",
            floating,
        ),
        _cudnn(
            "batch_normalization",
            "batch_normalization:BatchNormalization",
            "batch_normalization:supports",
            ("float16", "float32"),
        ),
        Kernel(
            op="max_pooling",
            backend="cupy",
            target=f"{_KERNELS}.max_pooling:MaxPooling",
            supports=f"{_KERNELS}.max_pooling:supports",
            priority=10,
            summary="one launch forward, one backward",
            needs=("cupy",),
            probe=_PROBE,
            install_hint=_HINT,
            capabilities=frozenset({*floating, *_LAYOUTS}),
        ),
    ]


def _cudnn(op: str, target: str, supports: str, dtypes: tuple[str, ...]) -> Kernel:
    return Kernel(
        op=op,
        backend="cupy",
        target=f"{_KERNELS}.{target}",
        supports=f"{_KERNELS}.{supports}",
        priority=10,
        summary="by cuDNN",
        needs=("cupy", "cudnn"),
        probe=_PROBE,
        install_hint=_HINT,
        capabilities=frozenset({*dtypes, *_LAYOUTS}),
    )
