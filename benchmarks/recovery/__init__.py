"""Seconds that the death of a process costs: Renga's ways of going on beside those of PyTorch.

- `command`: `python -m benchmarks recovery`.
- `ways`: how each job is started, and its programs in `programs/`, each of which trains the same network.
- `job`: a job under way: who is killed when, and what is completed when.
"""
