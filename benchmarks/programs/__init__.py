"""The workloads, written once for each library as its users write: `with_renga`, `with_torch`, `with_jax`, ….

Each module has ``PROGRAMS``, which maps a variant (``""``, or such as ``"best"``) and a workload's name to a function
that builds the network from `initial.weight` and returns the step; a step returns its loss, or what else it computes,
which ``to_numpy`` turns into an array. Each library runs in a process, and an environment, of its own, so no module
here imports another's library, and all run on Python 3.11 with NumPy 1.23.

`initial`: batches and first weights. `convolutions`: shapes of the convolutions that are timed alone.
"""
