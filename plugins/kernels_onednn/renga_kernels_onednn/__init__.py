"""Kernels of the NumPy backend by oneDNN, Intel's library of primitives for CPUs; `pip install 'renga[onednn]'`.

oneDNN's C interface is called through `ctypes`, so nothing is compiled at installation.

- `plugin`: the registered kernels. `library`: finds and loads oneDNN; its constants, its errors; the probe.
- `handles`: Python objects that own objects of the library. `primitive`: a computation for certain shapes.
- `cache`: primitives, kept for each shape and thread; their scratch memory. `threads`: threads, and forks.
- `layout`: arrays as the primitives want them, channels last.
- `convolution`, `pooling`, `batch_normalization`, `layer_normalization`, `softmax`, `product`: the kernels.
- `pointwise`: convolutions that are products of matrices.
- `relu`: rectified linear units. `optimizer_updates`: updates of parameters.

All are for float32. Images may have any memory order; results have channels last, because oneDNN is fast in that order,
and the next kernel can use them without a copy.
"""
