"""Data: data sets, iterators over them, and converters of batches.

- `iterators`: `SerialIterator`, `MultithreadIterator`, `MultiprocessIterator`, order samplers.
- `datasets`: data sets made of others (tuples, splits, transforms …), and real ones: `get_digits`, `get_mnist` ….
- `convert`: `concat_examples`, which makes arrays of a batch; `to_device`. `converter`: a function as a converter.
- `async_transfer`: batches sent to a device while the program goes on.
- `plugin`: what this package offers to Renga.
"""
