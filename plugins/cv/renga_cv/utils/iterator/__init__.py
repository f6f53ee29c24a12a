"""A model applied to all examples of an iterator, batch by batch, while its results are read.

- `apply_to_iterator`: does that, on one process or several. `progress_hook`: shows how far it is.
- `unzip`: an iterator of tuples as a tuple of iterators.
"""
