"""Kernels of the NumPy backend by oneDNN, Intel's library of primitives for CPUs; `pip install 'renga[onednn]'`.

oneDNN's C interface is called through `ctypes`, so nothing is compiled at installation.

- `plugin`: what is registered. `library`: finding and loading oneDNN, its constants, its errors; the probe.
- `handles`: objects of the library that are destroyed with ours. `primitive`: a computation made for certain shapes.
- `cache`: primitives kept by shape, by thread; memory that they write to on the way. `threads`: threads, and forks.
- `layout`: arrays as the primitives want them, channels last.
- `convolution`, `pooling`, `batch_normalization`, `layer_normalization`, `softmax`, `product`: the kernels.
- `pointwise`: convolutions that are products of matrices.
- `relu`: rectified linear units. `optimizer_updates`: those of parameters.

All are for float32. Images come in any order of memory and leave with their channels last, which is the order oneDNN is
fast in, and which the next kernel then takes as it is.
"""
