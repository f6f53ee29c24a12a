"""`python -m benchmarks compat`: the same programs on Chainer 7.8.1 and on Renga, with the same results.

- `command`: runs `tests/chainer/programs` on both, and writes the table `benchmarks/results/compat.md`.
- `comparison`: two programs' outputs, line by line.
- `random_numbers`: what Chainer draws from NumPy's generator, number by number.
- `snapshots`: a program that writes files, and one that goes on from them; which library does which makes four ways.
- `stage`: a process in which programs are run; `forker` is that process.
"""
