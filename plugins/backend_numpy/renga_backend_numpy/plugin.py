"""What the NumPy backend registers: arrays on the CPU, and kernels that are faster than the references."""

from renga_core.plugin import Kernel, Provider, hookimpl

_FLOATING = ("float16", "float32", "float64")
_LAYOUTS = ("gaps", "transposed", "channels_last")


@hookimpl
def renga_array_backends() -> list[Provider]:
    """The backend ``numpy``."""
    return [
        Provider(
            name="numpy",
            target="renga_backend_numpy.backend:NumpyBackend",
            revision=1,
            summary="Arrays on the CPU",
            needs=("numpy",),
            capabilities=frozenset({"dlpack_zero_copy", "float16", "numpy_methods", "numpy_names", "views"}),
            auto="cpu",
        )
    ]


@hookimpl
def renga_doctor_checks() -> list[Provider]:
    """The number of threads of kernels."""
    return [Provider("threads", "renga_backend_numpy.cores:check", 1, "how many threads kernels on the CPU use, why")]


@hookimpl
def renga_kernels() -> list[Kernel]:
    """The kernels in `renga_backend_numpy.kernels`. Specialized kernels come first."""
    # bfloat16 works too, but is not declared: the conformance kit would compare with NumPy, which takes minutes.
    half = [
        Kernel(
            name=f"half_{op.removeprefix('convolution_')}",
            op=op,
            backend="numpy",
            target=f"renga_backend_numpy.kernels.half:{target}",
            supports=f"renga_backend_numpy.kernels.half:{supports}",
            priority=30,
            summary="half precision, computed in float32",
            capabilities=frozenset({"float16", *_LAYOUTS} - ({"channels_last"} if op == "linear" else set())),
        )
        for op, target, supports in (
            ("convolution", "Convolution", "supports"),
            ("deconvolution", "Deconvolution", "supports"),
            ("convolution_filter_gradient", "FilterGradient", "supports"),
            ("linear", "Linear", "supports_product"),
            ("matmul", "MatMul", "supports_product"),
        )
    ]
    windows = [
        Kernel(
            name=f"windows_{op.removeprefix('convolution_')}",
            op=op,
            backend="numpy",
            target=f"renga_backend_numpy.kernels.convolution:{target}",
            supports=f"renga_backend_numpy.kernels.convolution:{supports}",
            priority=10,
            summary="im2col and matrix products, piece by piece in several threads",
            capabilities=frozenset({"float32", "float64", *_LAYOUTS}),
        )
        for op, target, supports in (
            ("convolution", "Convolution", "supports"),
            ("deconvolution", "Deconvolution", "supports"),
            ("convolution_filter_gradient", "FilterGradient", "supports_filter_gradient"),
        )
    ]
    updates = [
        Kernel(
            op=op,
            backend="numpy",
            target=f"renga_backend_numpy.kernels.optimizer_updates:{target}",
            supports=f"renga_backend_numpy.kernels.optimizer_updates:{supports}",
            priority=10,
            summary="scaled sums by BLAS, one pass each",
            capabilities=frozenset({"float32", "transposed"}),
        )
        for op, target, supports in (
            ("sgd_update", "SGDUpdate", "supports_sgd"),
            ("momentum_sgd_update", "MomentumSGDUpdate", "supports_momentum"),
            ("rmsprop_update", "RMSpropUpdate", "supports_rmsprop"),
            ("adam_update", "AdamUpdate", "supports_adam"),
        )
    ]
    return [
        *half,
        Kernel(
            name="pointwise_convolution",
            op="convolution",
            backend="numpy",
            target="renga_backend_numpy.kernels.pointwise:Convolution",
            supports="renga_backend_numpy.kernels.pointwise:supports",
            priority=20,
            summary="1 × 1 filters: one matrix product",
            capabilities=frozenset({*_FLOATING, "channels_last"}),
        ),
        Kernel(
            name="pointwise_deconvolution",
            op="deconvolution",
            backend="numpy",
            target="renga_backend_numpy.kernels.pointwise:Deconvolution",
            supports="renga_backend_numpy.kernels.pointwise:supports",
            priority=20,
            summary="1 × 1 filters: one matrix product",
            capabilities=frozenset({*_FLOATING, "channels_last"}),
        ),
        Kernel(
            name="pointwise_filter_gradient",
            op="convolution_filter_gradient",
            backend="numpy",
            target="renga_backend_numpy.kernels.pointwise:FilterGradient",
            supports="renga_backend_numpy.kernels.pointwise:supports_filter_gradient",
            priority=20,
            summary="1 × 1 filters: one matrix product",
            capabilities=frozenset({*_FLOATING, "channels_last"}),
        ),
        *windows,
        Kernel(
            op="max_pooling",
            backend="numpy",
            target="renga_backend_numpy.kernels.max_pooling:MaxPooling",
            priority=10,
            summary="in place and in the memory order of the images",
            capabilities=frozenset({*_FLOATING, *_LAYOUTS}),
        ),
        *updates,
        Kernel(
            op="sparse_matmul",
            backend="numpy",
            target="renga_backend_numpy.kernels.sparse_matmul:SparseMatmul",
            supports="renga_backend_numpy.kernels.sparse_matmul:supports",
            priority=10,
            summary="by SciPy",
            needs=("scipy",),
            capabilities=frozenset({"float32", "float64", "gaps", "transposed"}),
        ),
    ]
