"""Training over a network that is really slow: two network namespaces joined by a cable of which the rate is set.

- `namespaces`: creates and removes two hosts and the cable. `rank`: the program of both processes.
- `command`: ``python -m benchmarks slow-network``.
"""
