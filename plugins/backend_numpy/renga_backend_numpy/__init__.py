"""Arrays on the CPU, by NumPy.

- `backend`: `NumpyBackend`.
- `kernels`: faster implementations of some operations for NumPy arrays.
- `plugin`: what this package offers to Renga.
"""
