"""Arrays on the CPU, by NumPy.

- `backend`: `NumpyBackend`. `special`: special functions, from SciPy.
- `memory`: keeps the memory of freed arrays for new ones.
- `kernels`: faster implementations of some operations for NumPy arrays.
- `arrays`: addresses and layouts. `lifetimes`: arrays that share memory. `huge_pages`: large pages for arrays that
  stay. `cores`: the number of threads. `cache_files`: files of a cache. Kernels and compilers in other packages use
  these.
- `plugin`: what this package registers with Renga.
"""
