"""Whole training steps, written once for each library: `with_renga`, `with_torch`, `with_jax`, `with_chainer`, `with_autograd`.

Each module has ``PROGRAMS``, which maps a variant (``""``, or such as ``"channels_last"``) and a workload's name to a
function that builds the network with `initial.weight` and returns the step; a step returns its loss. Each library runs
in a process, and an environment, of its own, so no module here imports another's library.
"""
