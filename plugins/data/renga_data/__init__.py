"""Data: data sets, iterators over them, and converters of batches.

- `iterators`: `SerialIterator`, `MultithreadIterator`, `MultiprocessIterator`, order samplers.
- `datasets`: combined data sets (tuples, splits, transforms …), and real ones: `get_digits`, `get_mnist` ….
- `convert`: `concat_examples`, which makes arrays from a batch; `to_device`. `converter`: makes converters of
  functions.
- `async_transfer`: sends batches to a device while the program continues.
- `plugin`: what this package offers to Renga.
"""
