"""Arrays on the CPU, by NumPy.

- `backend`: `NumpyBackend`. `special`: its special functions, which are SciPy's.
- `kernels`: faster implementations of some operations for NumPy arrays.
- `plugin`: what this package offers to Renga.
"""
