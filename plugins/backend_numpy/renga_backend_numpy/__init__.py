"""Arrays on the CPU, by NumPy.

- `backend`: `NumpyBackend`. `special`: its special functions, which are SciPy's.
- `memory`: keeping the memory of freed arrays for the next ones.
- `kernels`: faster implementations of some operations for NumPy arrays.
- `plugin`: what this package offers to Renga.
"""
