"""The workloads, written once for each library as its users write: `with_renga`, `with_torch`, `with_jax`, ….

Each module has ``PROGRAMS``, which maps a variant (``""``, or such as ``"best"``) and a workload's name to a function
that builds the network from `initial.weight` and returns the step; a step returns its loss, or another result, which
``to_numpy`` turns into an array. Each library runs in its own process and environment, so a module imports only
its own library, and all modules run on Python 3.11 with NumPy 1.23.

`initial`: batches and first weights. `convolutions`: shapes of the convolutions that are timed separately.
"""
