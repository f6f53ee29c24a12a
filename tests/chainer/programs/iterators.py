"""Iterators of all kinds, to the end and again, saved in the middle; orders of one's own; data sets of tables."""
import copy

import chainer
import numpy as np
from chainer import iterators

np.random.seed(0)
dataset = list(range(10))


def walk(iterator, n):
    for _ in range(n):
        try:
            batch = iterator.next()
        except StopIteration:
            print('  stop', iterator.epoch, iterator.is_new_epoch)
            break
        print('  ', batch, iterator.epoch, iterator.is_new_epoch, iterator.epoch_detail, iterator.previous_epoch_detail)


for label, iterator in (
        ('serial', iterators.SerialIterator(dataset, 4)),
        ('in order', iterators.SerialIterator(dataset, 4, shuffle=False)),
        ('once', iterators.SerialIterator(dataset, 4, repeat=False, shuffle=False)),
        ('once shuffled', iterators.SerialIterator(dataset, 6, repeat=False)),
        ('threads', iterators.MultithreadIterator(dataset, 4, n_threads=2)),
        ('large', iterators.SerialIterator(dataset, 25)),
):
    print(label)
    walk(iterator, 4)
    iterator.reset()
    print('  again', iterator.next(), iterator.epoch)
    iterator.finalize()

iterator = iterators.SerialIterator(dataset, 3)
iterator.next()
target = {}
iterator.serialize(chainer.serializers.DictionarySerializer(target))
print(sorted(target), int(target['current_position']))
expected = [iterator.next() for _ in range(2)]
other = iterators.SerialIterator(dataset, 3)
other.serialize(chainer.serializers.NpzDeserializer(target))
print([other.next() for _ in range(2)] == expected)
duplicate = copy.copy(other)
print(duplicate.next() == other.next())


class EvenFirst(iterators.OrderSampler):

    def __call__(self, current_order, current_position):
        n = len(current_order)
        return np.concatenate([np.arange(0, n, 2), np.arange(1, n, 2)])


walk(iterators.SerialIterator(dataset, 5, order_sampler=EvenFirst()), 2)
walk(iterators.SerialIterator(dataset, 5, order_sampler=iterators.ShuffleOrderSampler(np.random.RandomState(3))), 3)
walk(iterators.MultithreadIterator(dataset, 5, n_threads=1, order_sampler=lambda order, i: order[::-1]), 2)
with iterators.SerialIterator(dataset, 5) as it:
    print(len(it.next()), it.batch_size, it.dataset is dataset)

table = chainer.datasets.TupleDataset(list(range(6)), 'abcdef')
print(table[1], table[2:4], len(table))
data = chainer.dataset.tabular.from_data({'a': list(range(5)), 'b': [str(i) for i in range(5)]})
print(data.keys, len(data), data.mode, data[3])
print(data.slice[1:3, ('a',)].fetch(), list(data.astuple()[2]), data.asdict()[0])
print(data.concat(data).slice[4:6].fetch())
fold = chainer.datasets.get_cross_validation_datasets_random(list(range(9)), 3, seed=1)
print([sorted(list(test)) for _, test in fold])
first, second = chainer.datasets.split_dataset_random(list(range(8)), 5, seed=2)
print(list(first), list(second))
parts = chainer.datasets.split_dataset_n_random(list(range(8)), 3, seed=2)
print([list(part) for part in parts])
transformed = chainer.datasets.TransformDataset(table, lambda pair: (pair[0] * 10, pair[1].upper()))
print(transformed[2:5], [v for v in chainer.datasets.SubDataset(table, 1, 4, order=[5, 4, 3, 2, 1, 0])])
