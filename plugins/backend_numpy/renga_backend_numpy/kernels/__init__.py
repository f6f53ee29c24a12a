"""Operations that NumPy can do faster than their references, which are written for every backend.

- `thread_pool`: dividing work among threads, which the others use.
- `product`: products of matrices, for these.
- `pointwise`: convolutions with filters of one pixel: one matrix product.
- `convolution`: other convolutions of images, as products of matrices of windows, piece by piece.
- `half`: convolutions and matrix products in float16, by way of float32.
- `max_pooling`: the gradient of max pooling in the memory order of the images.
- `sparse_matmul`: products with sparse matrices, by SciPy.
- `optimizer_updates`: of parameters, with BLAS.

Each module holds objects with ``forward`` (and ``backward`` where the operation has one), and the predicate that says
which arguments they support. `renga_backend_numpy.plugin` registers them.
"""
