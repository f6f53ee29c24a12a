"""Ranks of communicator `resilient`, killed at random moments, job after job.

- `command`: `python -m benchmarks survival`.
- `schedule`: who is killed when, drawn from the number of the job.
- `job`: one job under way, and what was wrong with it.
- `program`: what its ranks run: an iteration on an array, with all that recovery needs.
"""
