"""Operations that a GPU does faster than by their references, which are written for every backend.

- `cudnn`: plans of NVIDIA's library, kept by shape. `convolution` and `batch_normalization` are computed by it; where
  it has no plan for some arguments, they fall back to the reference, and say so once.
- `max_pooling`: compiled by CuPy at its first use.

Each module holds objects with ``forward`` (and ``backward`` where the operation has one), and the predicate that says
which arguments they support. `renga_backend_cupy.plugin` registers them.
"""
