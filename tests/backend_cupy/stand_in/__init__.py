"""A strict stand-in for CuPy on machines without a GPU: what a GPU and CuPy would refuse, it refuses.

It adds to `fake_cupy.py`, which compiles kernels for the CPU:

- `install`: puts it in the place of CuPy and cuDNN for a process.
- `arrays`: arrays, and all ways into them; `dtype_tables`: which dtypes CuPy takes, from the real CuPy
  (`make_tables`).
- `device`: launches and what they may touch; `streams`: streams, events, graphs, capture; `ordering`: races;
  `memory`: a pool that hands out freed memory again, full of NaN.
- `launches`: counts the kernels of training steps (`steps`).
"""
