"""PyTorch's tensors as arrays of Renga.

- `standard`: any library with the array-API standard namespace, spelled as Renga's code spells it. Knows no library.
- `array`: `TorchArray`, a tensor so spelled. `backend`: `TorchBackend`.
- `kernels`: convolution, batch normalization and max pooling by `torch.nn.functional`.
- `plugin`: what this package offers to Renga.
"""
