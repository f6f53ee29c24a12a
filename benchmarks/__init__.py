"""Renga beside its peers: `python -m benchmarks [WORKLOAD …] [--against torch,jax,…]`; results are in `results/`.

What is compared:

- `workloads`: what the workloads are, in groups, each a page of results.
- `contestants`: the libraries, in the variants that are compared.
- `programs`: the workloads written with each library.

How:

- `__main__`: the command.
- `environments`: the Python of each library; `python -m benchmarks.environments` installs them.
- `race`: the libraries take turns, each in a process of its own; their results are compared before.
- `worker`: that process.
- `records`, `page`, `picture`: what was measured, as JSON, as a page of tables, as bars.

By itself:

- `agreement`: with oneDNN and without, Renga computes the same: `python -m benchmarks agreement`.
- `compat`: Chainer's programs do the same on Chainer and on Renga: `python -m benchmarks compat`.
- `gpu`: training steps on a GPU: `python -m benchmarks gpu --help`.
"""
