"""Training over a network that is really slow: two network namespaces joined by a cable of which the rate is set.

- `namespaces`: makes the two hosts and the cable, and takes them away. `rank`: what each of the two processes runs.
- `command`: ``python -m benchmarks slow-network``.
"""
