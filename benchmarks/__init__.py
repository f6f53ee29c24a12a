"""Renga beside its peers, in one run: `python -m benchmarks [WORKLOAD …] [--against torch]`.

- `__main__`: the command.
- `timing`: how things are timed: in turn, many short rounds, minimum and median.
- `table`: the result as text and as a Markdown file in `benchmarks/results/`.
- `gpu`: training steps on a GPU, with a command line of its own: `python -m benchmarks gpu --help`.
- one module for each workload: `overhead`, …; each has `SUMMARY` and `workloads(peers) -> list[Workload]`.
"""
