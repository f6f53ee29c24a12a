"""Arrays on NVIDIA GPUs, by CuPy.

- `backend`: `CupyBackend`. `probe`: whether this machine can use it, and why not.
- `cublas`: products of matrices; `cublas_epilogue`: with a bias.
- `generator`: random numbers whose state can be saved, by a counter.
- `placing`: functions are computed on the GPU that their arrays are on.
- `transfers`: copies between host and GPU that run in the background.
- `capture`: a training step as a CUDA graph, replayed in one launch.
- `captured_updates`, `captured_numbers`: update counts of an optimizer in it; `captured_scaling`, `device_loss_scale`:
  its dynamic loss scale, which the GPU adapts.
- `profiling`: hooks for NVIDIA's profilers, and for the memory that functions take.
- `kernels`: faster implementations of operations, through cuDNN or compiled by CuPy at run time.
- `plugin`: what this package registers with Renga. It and `profiling` can be imported without CuPy.

Nothing is compiled at installation. This module imports no other module, so that listing plugins stays fast.
"""
