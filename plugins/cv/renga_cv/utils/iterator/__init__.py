"""Apply a model to all examples of an iterator, batch by batch, as its results are read.

- `apply_to_iterator`: applies it on one or several processes. `progress_hook`: shows the progress.
- `unzip`: turns an iterator of tuples into a tuple of iterators.
"""
