"""A data set of one's own, read by processes and threads, transformed."""
import chainer
import chainer.links as L
import numpy as np
from chainer import training


class Waves(chainer.dataset.DatasetMixin):

    def __init__(self, n):
        self.n = n

    def __len__(self):
        return self.n

    def get_example(self, i):
        t = i % 3
        return np.sin(np.arange(10, dtype=np.float32) * (t + 1) + i), np.int32(t)


def augment(pair):
    x, t = pair
    return x * 2, t


def main():
    np.random.seed(0)
    dataset = chainer.datasets.TransformDataset(Waves(36), augment)
    train, rest = chainer.datasets.split_dataset_random(dataset, 24, seed=0)
    for make in (
        lambda d: chainer.iterators.MultiprocessIterator(d, 6, n_processes=2, shuffle=True),
        lambda d: chainer.iterators.MultithreadIterator(d, 6, n_threads=2, shuffle=True),
        lambda d: chainer.iterators.SerialIterator(d, 6),
    ):
        iterator = make(train)
        model = L.Classifier(L.Linear(10, 3))
        optimizer = chainer.optimizers.Adam(0.01)
        optimizer.setup(model)
        updater = training.StandardUpdater(iterator, optimizer)
        losses = []
        while updater.epoch < 2:
            reporter = chainer.Reporter()
            reporter.add_observer('main', model)
            observation = {}
            with reporter.scope(observation):
                updater.update()
            losses.append(float(observation['main/loss'].array))
        print('loss', losses)
        iterator.finalize()
    print(len(rest), len(dataset[3:9:2]), [int(t) for _, t in rest][:4])
    subsets = chainer.datasets.get_cross_validation_datasets(list(range(10)), 5)
    print([(len(a), len(b)) for a, b in subsets])


if __name__ == '__main__':
    main()
