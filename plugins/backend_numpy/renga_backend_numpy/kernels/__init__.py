"""Faster implementations of operations for NumPy arrays; the references are written for every backend.

- `thread_pool`: divides work among threads. The other modules use it.
- `product`: matrix products on this pool.
- `pointwise`: convolutions with 1 × 1 filters, as one matrix product.
- `convolution`: other convolutions of images, as matrix products (im2col), piece by piece.
- `half`: convolutions and matrix products in float16, computed in float32.
- `max_pooling`: max pooling and its gradient in the memory order of the images.
- `sparse_matmul`: products with sparse matrices, by SciPy.
- `optimizer_updates`: updates of parameters, by BLAS.

Each module holds objects with ``forward`` (and ``backward``, if the operation has one), and a predicate for the
arguments that they support. `renga_backend_numpy.plugin` registers them.
"""
