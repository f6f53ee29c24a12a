"""Operations that a GPU does faster than by their references, which are written for every backend.

- `cudnn`: plans of NVIDIA's library, kept by shape, and on disk (`plans_on_disk`). It computes `convolution` and
  `batch_normalization`; where it has no plan for some arguments, they fall back to the reference, and say so once.
- `product`: matrix products and the fully connected layer, by cuBLAS. `attention`: with one kernel of our own between.
- Compiled by CuPy at their first use, one thread for each element: `activation`, `dropout`, `lstm`, `embed_id`,
  `fixed_batch_normalization`, `max_pooling`, `window_sum` (mean pooling and unpooling). `layout` says how arrays lie in
  memory, `windows` how windows lie on images.
- Compiled by CuPy, with many arrays in one launch: `optimizer_updates` (`many_arrays` is their common part), `norms`.
- Compiled by CuPy, one block: `labels`.
- Compiled by CuPy, with threads that share a row: `softmax` (its logarithm, and cross entropy) and
  `layer_normalization`. `rows` has what they share.

Each module holds objects with ``forward`` (and ``backward`` where the operation has one), and the predicate that says
which arguments they support. `renga_backend_cupy.plugin` registers them.
"""
