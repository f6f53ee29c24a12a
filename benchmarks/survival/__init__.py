"""Ranks of communicator `resilient`, killed at random moments, job after job.

- `command`: `python -m benchmarks survival`.
- `schedule`: the kills of a job, drawn from the number of the job.
- `job`: runs one job, and checks it.
- `program`: the program of its ranks: an iteration on an array, with everything that recovery needs.
"""
