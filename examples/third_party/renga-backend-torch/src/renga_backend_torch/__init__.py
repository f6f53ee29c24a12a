"""PyTorch's tensors as arrays of Renga.

- `array`: `TorchArray`, a tensor with NumPy's interface. `backend`: `TorchBackend`.
- `kernels`: convolution, batch normalization and max pooling by `torch.nn.functional`.
- `plugin`: what this package registers with Renga.
"""
