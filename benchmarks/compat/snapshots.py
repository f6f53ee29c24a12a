"""Writes snapshots of a training, or continues from them: ``snapshots.py write|read FOLDER``. A Chainer program.

``write`` trains for six steps and saves the model, the optimizer and the whole trainer. ``read`` creates the same
objects with other weights, loads each file, and trains for six more steps. Its output must not depend on the writer.
"""

import os
import sys

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import serializers, training
from chainer.training import extensions


class Network(chainer.Chain):
    def __init__(self):
        super().__init__()
        with self.init_scope():
            self.conv = L.Convolution2D(None, 4, 3, nobias=True)
            self.bn = L.BatchNormalization(4)
            self.rest = chainer.Sequential(L.Linear(None, 8), F.relu, L.Linear(8, 3))
            self.scale = chainer.Parameter(np.ones(3, np.float32))
        self.add_persistent("steps", 0)
        self.add_persistent("mean", np.zeros(3, np.float32))

    def forward(self, x):
        y = self.rest(F.relu(self.bn(self.conv(x)))) * F.broadcast_to(self.scale, (len(x), 3))
        if chainer.config.train:
            self.steps += 1
            self.mean = (self.mean + y.array.mean(axis=0)).astype(np.float32)
        return y


def make(seed, iterations, out):
    np.random.seed(seed)
    model = L.Classifier(Network())
    optimizer = chainer.optimizers.Adam(0.01)
    optimizer.setup(model)
    optimizer.add_hook(chainer.optimizer_hooks.WeightDecay(1e-3))
    rng = np.random.RandomState(5)
    data = chainer.datasets.TupleDataset(rng.randn(20, 1, 6, 6).astype("f"), rng.randint(0, 3, 20).astype("i"))
    iterator = chainer.iterators.SerialIterator(data, 8)
    updater = training.StandardUpdater(iterator, optimizer)
    trainer = training.Trainer(updater, (iterations, "iteration"), out=out)
    log = extensions.LogReport(trigger=(2, "iteration"))
    trainer.extend(log)
    trainer.extend(extensions.ExponentialShift("alpha", 0.9), trigger=(2, "iteration"))
    trainer.extend(extensions.snapshot(filename="trainer.npz"), trigger=(6, "iteration"))
    trainer.extend(extensions.snapshot_object(model, "model.npz"), trigger=(6, "iteration"))
    trainer.extend(extensions.snapshot_object(optimizer, "optimizer.npz"), trigger=(6, "iteration"))
    return trainer, model, optimizer, log, data[:8]


def show(model, optimizer, log, batch):
    for name, param in sorted(model.namedparams()):
        print(name, float(abs(param.array).sum()))
    print("persistent", model.predictor.steps, model.predictor.mean.tolist(), int(model.predictor.bn.N))
    print("optimizer", optimizer.t, float(optimizer.alpha))
    for entry in log.log:
        print("log", entry["iteration"], entry["epoch"], entry["main/loss"], entry["main/accuracy"])
    with chainer.using_config("train", False):
        print("loss", float(model(*chainer.dataset.concat_examples(batch)).array))


def main(action, folder):
    if action == "write":
        trainer, model, optimizer, log, batch = make(0, 6, folder)
        trainer.run()
        show(model, optimizer, log, batch)
        for name in ("model", "optimizer", "trainer"):
            with np.load(os.path.join(folder, name + ".npz"), allow_pickle=True) as archive:
                for key in sorted(archive.files):
                    dtype = archive[key].dtype
                    print(name, key, "text" if dtype.kind == "U" else dtype, archive[key].shape)
        return

    print("the trainer")
    trainer, model, optimizer, log, batch = make(1, 12, os.path.join(folder, "first"))
    serializers.load_npz(os.path.join(folder, "trainer.npz"), trainer)
    print("at", trainer.updater.iteration, trainer.updater.epoch, trainer.updater.epoch_detail)
    show(model, optimizer, log, batch)
    trainer.run()
    show(model, optimizer, log, batch)

    print("model and optimizer")
    trainer, model, optimizer, log, batch = make(2, 6, os.path.join(folder, "second"))
    serializers.load_npz(os.path.join(folder, "model.npz"), model)
    serializers.load_npz(os.path.join(folder, "optimizer.npz"), optimizer)
    show(model, optimizer, log, batch)
    trainer.run()
    show(model, optimizer, log, batch)

    print("a model of the trainer")
    trainer, model, optimizer, log, batch = make(3, 6, os.path.join(folder, "third"))
    serializers.load_npz(os.path.join(folder, "trainer.npz"), model, path="updater/model:main/")
    show(model, optimizer, log, batch)


if __name__ == "__main__":
    main(*sys.argv[1:])
