"""Training over a slow network: two network namespaces joined by a virtual cable with a limited rate.

- `namespaces`: creates and removes two hosts and the cable. `rank`: the program of both processes.
- `command`: ``python -m benchmarks slow-network``.
"""
