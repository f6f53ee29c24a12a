"""Data sets, converters, iterators and downloads, in the ways that programs use them."""
import os
import tempfile

import chainer
import numpy as np
from chainer import dataset, datasets, iterators
from chainer.dataset import concat_examples, convert, dataset_mixin, download, iterator
from chainer.datasets import tuple_dataset
from chainer.iterators import serial_iterator


def show(label, value):
    if isinstance(value, dict):
        value = sorted((k, v.dtype.name, v.tolist()) for k, v in value.items())
    elif isinstance(value, tuple):
        value = [(v.dtype.name, v.tolist()) for v in value]
    elif isinstance(value, np.ndarray):
        value = value.dtype.name, value.tolist()
    print(label, value)


show('numbers', concat_examples([1, 2, 3]))
show('floats', concat_examples([1., 2.]))
show('tuples', concat_examples([(np.float32(1), 2), (np.float32(3), 4)], -1))
show('dicts', concat_examples([{'x': np.arange(2, dtype='f'), 'y': 1}, {'x': np.arange(2, dtype='f'), 'y': 2}]))
show('lists', concat_examples([[1, 2], [3, 4]]))
show('padding', concat_examples([(np.arange(2), np.arange(1.)), (np.arange(3), np.arange(2.))], padding=(0, -1)))
show('pad dict', concat_examples([{'x': np.arange(2)}, {'x': np.arange(3)}], padding={'x': 9}))
show('2d', concat_examples([np.ones((1, 2), 'f'), np.ones((2, 1), 'f')], padding=0))
for label, call in (
    ('empty', lambda: concat_examples([])),
    ('shapes', lambda: concat_examples([np.arange(2), np.arange(3)])),
    ('tuple dataset', lambda: datasets.TupleDataset([1], [1, 2])),
    ('split', lambda: datasets.split_dataset([1, 2], 3)),
):
    try:
        call()
    except Exception as error:
        print(label, isinstance(error, ValueError))
print(convert.concat_examples is dataset.concat_examples, tuple_dataset.TupleDataset is datasets.TupleDataset,
      serial_iterator.SerialIterator is iterators.SerialIterator, issubclass(iterators.SerialIterator, iterator.Iterator),
      iterator.Iterator is dataset.Iterator, dataset_mixin.DatasetMixin is dataset.DatasetMixin)


class Squares(dataset.DatasetMixin):

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def get_example(self, i):
        return i * i


squares = Squares(6)
print(squares[1], squares[-1], squares[1:4], squares[[0, 2]], squares[np.array([3, 1])], squares[::-2])

a, b = datasets.split_dataset(squares, 4)
print(len(a), len(b), a[:], b[0], b[-1])
print([d[:] for d in datasets.split_dataset_n(squares, 4)], [d[:] for d in datasets.split_dataset_n_random(squares, 2, seed=3)])
print([d[:] for d in datasets.split_dataset_random(squares, 2, seed=1)])
print([(x[:], y[:]) for x, y in datasets.get_cross_validation_datasets(squares, 3)])
print([(x[:], y[:]) for x, y in datasets.get_cross_validation_datasets_random(squares, 3, seed=1)])
print(datasets.ConcatenatedDataset(squares, [7, 8])[4:8], datasets.SubDataset(squares, 1, 4, [5, 4, 3, 2, 1, 0])[:])
print(datasets.TransformDataset(datasets.TupleDataset([1, 2], 'ab'), lambda p: (p[0] * 2, p[1]))[:],
      datasets.DictDataset(x=[1, 2], y='ab')[1])
path = os.path.join(tempfile.mkdtemp(), 'pickled')
with datasets.open_pickle_dataset_writer(path) as writer:
    for i in range(3):
        writer.write((i, 'x' * i))
with datasets.open_pickle_dataset(path) as pickled:
    print(len(pickled), pickled[1:])
with open(path + '.txt', 'w') as f:
    f.write('one\ntwo\n')
print(datasets.TextDataset(path + '.txt')[:])

np.random.seed(0)
for make in (
    lambda: iterators.SerialIterator(squares, 4),
    lambda: iterators.SerialIterator(squares, 4, repeat=False, shuffle=False),
    lambda: iterators.SerialIterator(squares, 4, shuffle=None, order_sampler=iterators.ShuffleOrderSampler(
        np.random.RandomState(1))),
    lambda: iterators.MultithreadIterator(squares, 4, n_threads=2),
    lambda: iterators.MultithreadIterator(squares, 4, repeat=False, shuffle=False),
):
    it = make()
    print(it.batch_size, it.repeat, it.epoch_detail, it.previous_epoch_detail)
    for _, batch in zip(range(4), it):
        print(batch, it.current_position, it.epoch, it.is_new_epoch, '%.4f %.4f' % (
            it.epoch_detail, it.previous_epoch_detail))
    it.reset()
    print(it.next(), it.epoch, it.current_position)
    serializer = chainer.serializers.DictionarySerializer()
    it.serialize(serializer)
    print(sorted((k, v.tolist()) for k, v in serializer.target.items()))
    other = make()
    other.serialize(chainer.serializers.NpzDeserializer(serializer.target))
    print(other.current_position, other.epoch, other.is_new_epoch, other.previous_epoch_detail, next(other))
    it.finalize()

root = tempfile.mkdtemp()
download.set_dataset_root(root)
print(os.path.relpath(download.get_dataset_root(), root), type(download.get_dataset_root()).__name__,
      os.path.relpath(dataset.get_dataset_directory('a/b'), root), os.path.isdir(os.path.join(root, 'a', 'b')))
made = []


def create(path):
    made.append(path)
    np.save(open(path, 'wb'), np.arange(3))
    return np.arange(3)


for _ in range(2):
    print(dataset.cache_or_load_file(os.path.join(root, 'cached'), create, np.load).tolist(), len(made))
with open(os.path.join(root, 'source'), 'w') as f:
    f.write('content')
print(open(dataset.cached_download('file://' + os.path.join(root, 'source'))).read())
