"""Compares Renga with other libraries: `python -m benchmarks [WORKLOAD …] [--against torch,jax,…]`; see `results/`.

Subjects:

- `workloads`: the workloads, in groups; each group has a page of results.
- `contestants`: the libraries, in several variants.
- `programs`: the workloads, written for each library.

Method:

- `__main__`: the command.
- `environments`: the Python interpreter of each library; `python -m benchmarks.environments` installs them.
- `race`: the libraries run in turns, each in its own process, after a comparison of their results.
- `worker`: that process.
- `records`, `page`, `picture`: measurements as JSON, as a page of tables, as bars.

Separate commands:

- `agreement`: checks that Renga computes the same with and without kernels: `python -m benchmarks agreement`.
  `kernel_agreement`, with `kernel_arguments`: each kernel beside its reference.
- `compat`: checks that Chainer's programs do the same on Chainer and on Renga: `python -m benchmarks compat`.
- `gpu`: training steps on a GPU: `python -m benchmarks gpu --help`.
"""
