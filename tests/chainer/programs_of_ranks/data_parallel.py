"""A classifier trained by two ranks, each on its part of the data: Trainer, evaluator, checkpoints."""
import json
import os
import tempfile

import chainer
import chainer.functions as F
import chainer.links as L
import chainermn
import numpy as np
from chainer import training
from chainer.training import extensions


class MLP(chainer.Chain):

    def __init__(self, n_units, n_out):
        super(MLP, self).__init__()
        with self.init_scope():
            self.l1 = L.Linear(None, n_units, nobias=True)
            self.bn = L.BatchNormalization(n_units)
            self.l2 = L.Linear(None, n_out)

    def __call__(self, x):
        return self.l2(F.relu(self.bn(self.l1(x))))


def make_data(n, seed):
    rng = np.random.RandomState(seed)
    t = rng.randint(0, 4, n).astype(np.int32)
    x = rng.normal(size=(n, 20)).astype(np.float32)
    x[np.arange(n), t] += 2
    return chainer.datasets.TupleDataset(x, t)


def main():
    comm = chainermn.create_communicator('naive')
    np.random.seed(comm.rank)
    out = comm.bcast_obj(tempfile.mkdtemp() if comm.rank == 0 else None)

    model = L.Classifier(MLP(16, 4))
    optimizer = chainermn.create_multi_node_optimizer(chainer.optimizers.Adam(), comm)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-4))

    train, test = (make_data(202, 1), make_data(50, 2)) if comm.rank == 0 else (None, None)
    train = chainermn.scatter_dataset(train, comm, shuffle=True, seed=5)
    test = chainermn.scatter_dataset(test, comm)
    train_iter = chainer.iterators.SerialIterator(train, 20)
    test_iter = chainer.iterators.SerialIterator(test, 20, repeat=False, shuffle=False)

    updater = training.updaters.StandardUpdater(train_iter, optimizer)
    trainer = training.Trainer(updater, (4, 'epoch'), out=out)
    evaluator = chainermn.create_multi_node_evaluator(extensions.Evaluator(test_iter, model), comm)
    trainer.extend(evaluator)
    trainer.extend(chainermn.extensions.AllreducePersistent(model, comm))
    trainer.extend(extensions.observe_value('rate', lambda trainer: comm.rank + trainer.updater.epoch), trigger=(1, 'iteration'))
    trainer.extend(chainermn.extensions.ObservationAggregator(comm, 'rate'))
    if comm.rank == 0:
        trainer.extend(extensions.LogReport())
    trainer.run()

    sizes = comm.gather_obj((len(train), len(test), optimizer.t, updater.epoch))
    same = comm.allreduce(model.predictor.l1.W.array) / comm.size - model.predictor.l1.W.array
    if comm.rank == 0:
        print('sizes', sizes)
        print('the same', float(abs(same).max()) < 1e-6)
        with open(os.path.join(out, 'log')) as f:
            for entry in json.load(f):
                print('result', entry['epoch'], entry['iteration'], entry['main/loss'], entry['rate'],
                      entry['validation/main/loss'], entry['validation/main/accuracy'])
        for name, param in sorted(model.namedparams()):
            print(name, param.shape, float(param.array.sum()), float(abs(param.array).sum()))


if __name__ == '__main__':
    main()
