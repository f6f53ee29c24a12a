"""Operations that PyTorch's functions compute faster than the reference.

- `convolution`: convolution, its transpose, and the gradient of its filters.
- `batch_normalization`: forward and backward in one pass each.
- `attention`: scaled dot-product attention, without storing the weights.
- `max_pooling`: forward and backward in one pass each.

The `supports…` function of each tells which arguments it supports; the reference computes all others.
"""
