"""Time lost by the death of a process: Renga's ways of recovery, compared with PyTorch's.

- `command`: `python -m benchmarks recovery`.
- `ways`: how each job is started, and its programs in `programs/`, each of which trains the same network.
- `job`: a running job: times of kills, and of completed iterations.
"""
