"""Operations by PyTorch's own functions, where these are faster than the reference.

- `convolution`: convolution, its transpose, and the gradient of its filters.
- `batch_normalization`: forward and backward in one pass each.
- `attention`: scaled dot-product attention, without storing the weights.
- `max_pooling`: forward and backward in one pass each.

Each says in its `supports…` function what it can serve; the reference does the rest.
"""
