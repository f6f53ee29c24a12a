"""PyTorch's tensors as arrays of Renga.

- `array`: `TorchArray`, a tensor spelled as Renga's code spells arrays. `backend`: `TorchBackend`.
- `kernels`: convolution, batch normalization and max pooling by `torch.nn.functional`.
- `plugin`: what this package offers to Renga.
"""
