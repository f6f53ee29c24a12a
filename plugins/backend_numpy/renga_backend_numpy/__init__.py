"""Arrays on the CPU, by NumPy.

- `backend`: `NumpyBackend`. `special`: special functions, from SciPy.
- `memory`: keeps the memory of freed arrays for new ones.
- `kernels`: faster implementations of some operations for NumPy arrays.
- `plugin`: what this package registers with Renga.
"""
