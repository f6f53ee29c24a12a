"""A classifier trained with Trainer and the usual extensions; moved to a GPU if one is asked for."""
import argparse
import json
import os
import tempfile

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions


class MLP(chainer.Chain):

    def __init__(self, n_units, n_out):
        super(MLP, self).__init__()
        with self.init_scope():
            self.l1 = L.Linear(None, n_units)
            self.l2 = L.Linear(None, n_units)
            self.l3 = L.Linear(None, n_out)

    def forward(self, x):
        h1 = F.relu(self.l1(x))
        h2 = F.relu(self.l2(h1))
        return self.l3(h2)


def make_data(n, seed):
    rng = np.random.RandomState(seed)
    t = rng.randint(0, 4, n).astype(np.int32)
    x = rng.normal(size=(n, 20)).astype(np.float32)
    x[np.arange(n), t] += 2
    return chainer.datasets.TupleDataset(x, t)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument('--batchsize', '-b', type=int, default=30)
    parser.add_argument('--epoch', '-e', type=int, default=4)
    parser.add_argument('--gpu', '-g', type=int, default=-1)
    parser.add_argument('--out', '-o', default=None)
    parser.add_argument('--resume', '-r', default='')
    parser.add_argument('--unit', '-u', type=int, default=16)
    args = parser.parse_args()
    out = args.out or tempfile.mkdtemp()

    np.random.seed(0)
    model = L.Classifier(MLP(args.unit, 4))
    if args.gpu >= 0:
        chainer.backends.cuda.get_device_from_id(args.gpu).use()
        model.to_gpu()

    optimizer = chainer.optimizers.Adam()
    optimizer.setup(model)

    train, test = make_data(200, 1), make_data(50, 2)
    train_iter = chainer.iterators.SerialIterator(train, args.batchsize)
    test_iter = chainer.iterators.SerialIterator(test, args.batchsize, repeat=False, shuffle=False)

    updater = training.updaters.StandardUpdater(train_iter, optimizer, device=args.gpu)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=out)
    trainer.extend(extensions.Evaluator(test_iter, model, device=args.gpu))
    trainer.extend(extensions.DumpGraph('main/loss'))
    trainer.extend(extensions.snapshot(), trigger=(2, 'epoch'))
    trainer.extend(extensions.LogReport())
    trainer.extend(extensions.PrintReport(
        ['epoch', 'main/loss', 'validation/main/loss', 'main/accuracy', 'validation/main/accuracy']))
    if args.resume:
        chainer.serializers.load_npz(args.resume, trainer)
    trainer.run()

    with open(os.path.join(out, 'log')) as f:
        log = json.load(f)
    for entry in log:
        print('result', entry['main/loss'], entry['validation/main/loss'],
              entry['main/accuracy'], entry['validation/main/accuracy'])
    print('files', sorted(name for name in os.listdir(out) if name.startswith('snapshot')),
          os.path.exists(os.path.join(out, 'cg.dot')))


if __name__ == '__main__':
    main()
