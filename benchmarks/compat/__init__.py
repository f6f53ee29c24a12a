"""`python -m benchmarks compat`: runs the same programs on Chainer 7.8.1 and on Renga, and compares the results.

- `command`: runs `tests/chainer/programs` on both, and writes the table `benchmarks/results/compat.md`.
- `comparison`: compares two programs' outputs line by line.
- `random_numbers`: compares the numbers that Chainer draws from NumPy's generator.
- `snapshots`: one program writes files, another continues from them, in all four combinations of libraries.
- `stage`: a process that runs programs; `forker` is its program.
"""
