#!/usr/bin/env python
"""Pictures of a folder in classes: a list in a text file, a mean image, workers, learning rates, a model to start from.

    $ train_imagenet.py train.txt val.txt --device -1 --arch alex -E 1 --test -j 2
    $ train_imagenet.py train.txt val.txt --gpu -1 --arch nin -E 1 --test --initmodel result/model_iter_2
"""
from __future__ import print_function
import argparse
import os
import random

import numpy as np
from PIL import Image

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import dataset
from chainer import training
from chainer.training import extensions


class Alex(chainer.Chain):

    insize = 15

    def __init__(self):
        super(Alex, self).__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(None, 4, 5, stride=2)
            self.conv2 = L.Convolution2D(None, 8, 3, pad=1)
            self.fc6 = L.Linear(None, 16)
            self.fc7 = L.Linear(None, 3)

    def forward(self, x, t):
        h = F.max_pooling_2d(F.local_response_normalization(F.relu(self.conv1(x))), 3, stride=2)
        h = F.max_pooling_2d(F.relu(self.conv2(h)), 2, stride=2)
        h = F.relu(self.fc6(h))
        h = self.fc7(h)
        loss = F.softmax_cross_entropy(h, t)
        chainer.report({'loss': loss, 'accuracy': F.accuracy(h, t)}, self)
        return loss


class NIN(chainer.Chain):

    insize = 15

    def __init__(self):
        super(NIN, self).__init__()
        conv_init = chainer.initializers.HeNormal()
        with self.init_scope():
            self.mlpconv1 = L.MLPConvolution2D(None, (4, 4), 5, stride=2, conv_init=conv_init)
            self.mlpconv2 = L.MLPConvolution2D(None, (8, 3), 3, pad=1, conv_init=conv_init)

    def forward(self, x, t):
        h = F.max_pooling_2d(F.relu(self.mlpconv1(x)), 3, stride=2)
        h = self.mlpconv2(h)
        h = F.reshape(F.average_pooling_2d(h, h.shape[2]), (len(x), 3))
        loss = F.softmax_cross_entropy(h, t)
        chainer.report({'loss': loss, 'accuracy': F.accuracy(h, t)}, self)
        return loss


class PreprocessedDataset(chainer.dataset.DatasetMixin):

    def __init__(self, path, root, mean, crop_size, random=True):
        self.base = chainer.datasets.LabeledImageDataset(path, root)
        self.mean = mean.astype(chainer.get_dtype())
        self.crop_size = crop_size
        self.random = random

    def __len__(self):
        return len(self.base)

    def get_example(self, i):
        crop_size = self.crop_size
        image, label = self.base[i]
        _, h, w = image.shape
        if self.random:
            top = i % (h - crop_size)
            left = (i * 2) % (w - crop_size)
            if i % 2:
                image = image[:, :, ::-1]
        else:
            top = (h - crop_size) // 2
            left = (w - crop_size) // 2
        bottom = top + crop_size
        right = left + crop_size
        image = image[:, top:bottom, left:right]
        image -= self.mean[:, top:bottom, left:right]
        image *= (1.0 / 255.0)
        return image, label


def draw(root):
    """Small pictures, where the real program has a data set."""
    rng = np.random.RandomState(0)
    total = np.zeros((3, 20, 20))
    for name, n in (('train', 40), ('val', 6)):
        with open(name + '.txt', 'w') as f:
            for i in range(n):
                label = i % 3
                pixels = rng.randint(0, 120, (20, 20, 3)).astype(np.uint8)
                pixels[..., label] += 100
                total += pixels.transpose(2, 0, 1)
                Image.fromarray(pixels).save(os.path.join(root, '%s%d.png' % (name, i)))
                f.write('%s%d.png %d\n' % (name, i, label))
    np.save('mean.npy', (total / 46).astype(np.float32))


def main():
    archs = {'alex': Alex, 'nin': NIN}
    parser = argparse.ArgumentParser(description='Learning convnet from ILSVRC2012 dataset')
    parser.add_argument('train', help='Path to training image-label list file')
    parser.add_argument('val', help='Path to validation image-label list file')
    parser.add_argument('--arch', '-a', choices=archs.keys(), default='nin')
    parser.add_argument('--batchsize', '-B', type=int, default=8)
    parser.add_argument('--epoch', '-E', type=int, default=10)
    parser.add_argument('--device', '-d', type=str, default='-1')
    parser.add_argument('--initmodel')
    parser.add_argument('--loaderjob', '-j', type=int)
    parser.add_argument('--mean', '-m', default='mean.npy')
    parser.add_argument('--resume', '-r', default='')
    parser.add_argument('--out', '-o', default='result')
    parser.add_argument('--root', '-R', default='.')
    parser.add_argument('--val_batchsize', '-b', type=int, default=4)
    parser.add_argument('--test', action='store_true')
    parser.set_defaults(test=False)
    parser.add_argument('--dali', action='store_true')
    group = parser.add_argument_group('deprecated arguments')
    group.add_argument('--gpu', '-g', dest='device', type=int, nargs='?', const=0)
    args = parser.parse_args()

    random.seed(0)
    np.random.seed(0)
    if not os.path.exists(args.train):
        draw(args.root)
    device = chainer.get_device(args.device)
    print('Device: {}'.format(device))
    print('# Minibatch-size: {}'.format(args.batchsize))
    model = archs[args.arch]()
    if args.initmodel:
        print('Load model from {}'.format(args.initmodel))
        chainer.serializers.load_npz(args.initmodel, model, strict=False)
    model.to_device(device)
    device.use()

    mean = np.load(args.mean)
    train = PreprocessedDataset(args.train, args.root, mean, model.insize)
    val = PreprocessedDataset(args.val, args.root, mean, model.insize, False)
    train_iter = chainer.iterators.MultiprocessIterator(train, args.batchsize, n_processes=args.loaderjob)
    val_iter = chainer.iterators.MultiprocessIterator(
        val, args.val_batchsize, repeat=False, shuffle=False, n_processes=args.loaderjob)
    converter = dataset.concat_examples

    optimizer = chainer.optimizers.MomentumSGD(lr=0.01, momentum=0.9)
    optimizer.setup(model)
    updater = training.updaters.StandardUpdater(train_iter, optimizer, converter=converter, device=device)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), args.out)
    val_interval = (1 if args.test else 100000), 'iteration'
    log_interval = (1 if args.test else 1000), 'iteration'
    trainer.extend(
        extensions.Evaluator(val_iter, model, converter=converter, device=device), trigger=val_interval)
    trainer.extend(extensions.DumpGraph('main/loss'))
    trainer.extend(extensions.snapshot(), trigger=(2, 'iteration'))
    trainer.extend(
        extensions.snapshot_object(model, 'model_iter_{.updater.iteration}'), trigger=(2, 'iteration'))
    trainer.extend(extensions.LogReport(trigger=log_interval))
    trainer.extend(extensions.observe_lr(), trigger=log_interval)
    trainer.extend(extensions.PrintReport([
        'epoch', 'iteration', 'main/loss', 'validation/main/loss', 'main/accuracy', 'validation/main/accuracy', 'lr']),
        trigger=log_interval)
    trainer.extend(extensions.ProgressBar(update_interval=10))
    if args.resume:
        chainer.serializers.load_npz(args.resume, trainer)
    trainer.run()


if __name__ == '__main__':
    main()
