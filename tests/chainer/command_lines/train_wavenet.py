#!/usr/bin/env python
"""Sound by dilated causal convolutions: μ-law, gated residual blocks, sampling one after another from queues.

    $ train_wavenet.py --device -1 --epoch 1 --snapshot_interval 2
    $ train_wavenet.py --gpu -1 -e 2 --resume result/snapshot_iter_2 --snapshot_interval 2
"""
import argparse

import numpy as np

import chainer
import chainer.functions as F
import chainer.links as L
from chainer import training
from chainer.training import extensions


class MuLaw(object):

    def __init__(self, mu=16, int_type=np.int32, float_type=np.float32):
        self.mu = mu
        self.int_type = int_type
        self.float_type = float_type

    def transform(self, x):
        x = x.astype(self.float_type)
        y = np.sign(x) * np.log(1 + self.mu * np.abs(x)) / np.log(1 + self.mu)
        return np.digitize(y, 2 * np.arange(self.mu) / self.mu - 1).astype(self.int_type) - 1


class Preprocess(object):

    def __init__(self, length=40, mu=16):
        self.mulaw = MuLaw(mu)
        self.length = length
        self.mu = mu

    def __call__(self, seed):
        t = np.arange(self.length)
        sound = np.sin(t * (0.1 + 0.02 * seed)).astype(np.float32)
        quantized = self.mulaw.transform(sound)
        one_hot = np.identity(self.mu, dtype=np.float32)[quantized].T[:, :, None]
        condition = np.abs(np.fft.rfft(sound.reshape(-1, 8), axis=1)).astype(np.float32).T[:, :, None]
        return one_hot[:, :-1], condition[:, :-1], quantized[1:, None]


class ResidualBlock(chainer.Chain):

    def __init__(self, filter_size, dilation, residual_channels, dilated_channels, skip_channels):
        super(ResidualBlock, self).__init__()
        with self.init_scope():
            self.conv = L.DilatedConvolution2D(
                residual_channels, dilated_channels, ksize=(filter_size, 1),
                pad=(dilation * (filter_size - 1), 0), dilate=(dilation, 1))
            self.res = L.Convolution2D(dilated_channels // 2, residual_channels, 1)
            self.skip = L.Convolution2D(dilated_channels // 2, skip_channels, 1)
        self.dilation = dilation

    def forward(self, x, condition):
        length = x.shape[2]
        h = self.conv(x)
        h = h[:, :, :length]
        h += condition
        tanh_z, sig_z = F.split_axis(h, 2, axis=1)
        z = F.tanh(tanh_z) * F.sigmoid(sig_z)
        if x.shape[2] == z.shape[2]:
            residual = self.res(z) + x
        else:
            residual = self.res(z) + x[:, :, -1:]
        return residual, self.skip(z)


class WaveNet(chainer.Chain):

    def __init__(self, n_loop, n_layer, mu, n_cond, residual, dilated, skip, filter_size=2):
        super(WaveNet, self).__init__()
        with self.init_scope():
            self.condition = L.Convolution2D(n_cond, dilated, 1)
            self.embed = L.Convolution2D(mu, residual, (2, 1), pad=(1, 0), nobias=True)
            self.blocks = chainer.ChainList(*[
                ResidualBlock(filter_size, 2 ** i, residual, dilated, skip)
                for _ in range(n_loop) for i in range(n_layer)])
            self.proj1 = L.Convolution2D(skip, skip, 1, nobias=True)
            self.proj2 = L.Convolution2D(skip, mu, 1, nobias=True)

    def forward(self, x, condition, generating=False):
        length = x.shape[2]
        condition = F.repeat(self.condition(condition), 8, axis=2)[:, :, :length]
        pad = length - condition.shape[2]
        if pad > 0:
            condition = F.pad(condition, ((0, 0), (0, 0), (0, int(pad)), (0, 0)), 'constant')
        x = self.embed(x)[:, :, :length, :]
        z = 0
        for block in self.blocks.children():
            x, skip = block(x, condition)
            z += skip
        z = F.relu(z)
        z = F.relu(self.proj1(z))
        return self.proj2(z)


def main():
    parser = argparse.ArgumentParser(description='Chainer example: WaveNet')
    parser.add_argument('--batchsize', '-b', type=int, default=4)
    parser.add_argument('--length', '-l', type=int, default=40)
    parser.add_argument('--epoch', '-e', type=int, default=100)
    parser.add_argument('--device', '-d', type=str, default='-1')
    parser.add_argument('--out', '-o', default='result')
    parser.add_argument('--resume', '-r', default='')
    parser.add_argument('--n_loop', type=int, default=2)
    parser.add_argument('--n_layer', type=int, default=3)
    parser.add_argument('--a_channels', type=int, default=16)
    parser.add_argument('--r_channels', type=int, default=6)
    parser.add_argument('--s_channels', type=int, default=8)
    parser.add_argument('--snapshot_interval', type=int, default=10000)
    parser.add_argument('--display_interval', type=int, default=1)
    parser.add_argument('--process', type=int, default=1)
    group = parser.add_argument_group('deprecated arguments')
    group.add_argument('--gpu', '-g', dest='device', type=int, nargs='?', const=0)
    args = parser.parse_args()

    np.random.seed(0)
    device = chainer.get_device(args.device)
    print('GPU: {}'.format(device))
    print('# Minibatch-size: {}'.format(args.batchsize))
    dataset = chainer.datasets.TransformDataset(list(range(16)), Preprocess(args.length, args.a_channels))
    train, valid = chainer.datasets.split_dataset_random(dataset, int(len(dataset) * 0.75), seed=0)
    encoder_channels = dataset[0][1].shape[0]
    model = L.Classifier(WaveNet(
        args.n_loop, args.n_layer, args.a_channels, encoder_channels, args.r_channels, 2 * args.r_channels,
        args.s_channels))
    model.to_device(device)
    device.use()
    optimizer = chainer.optimizers.Adam(1e-3)
    optimizer.setup(model)
    train_iter = chainer.iterators.MultithreadIterator(train, args.batchsize, n_threads=args.process)
    valid_iter = chainer.iterators.SerialIterator(valid, args.batchsize, repeat=False, shuffle=False)

    def convert(batch, device=None):
        x, c, t = chainer.dataset.concat_examples(batch, device)
        return (x, c), t

    class Model(chainer.Chain):
        def __init__(self, classifier):
            super(Model, self).__init__(classifier=classifier)

    classifier = model

    def loss_fun(x, c, t):
        y = classifier.predictor(x, c)
        loss = F.softmax_cross_entropy(y, t)
        chainer.report({'loss': loss, 'accuracy': F.accuracy(y, t)}, classifier)
        return loss

    updater = training.updaters.StandardUpdater(train_iter, optimizer, device=device, loss_func=loss_fun)
    trainer = training.Trainer(updater, (args.epoch, 'epoch'), out=args.out)
    snapshot_interval = (args.snapshot_interval, 'iteration')
    display_interval = (args.display_interval, 'iteration')
    trainer.extend(extensions.Evaluator(valid_iter, classifier, device=device, eval_func=loss_fun))
    trainer.extend(extensions.snapshot(), trigger=snapshot_interval)
    trainer.extend(extensions.LogReport(trigger=display_interval))
    trainer.extend(extensions.PrintReport([
        'epoch', 'iteration', 'main/loss', 'main/accuracy', 'validation/main/loss', 'validation/main/accuracy']),
        trigger=display_interval)
    trainer.extend(extensions.ProgressBar(update_interval=10))
    if args.resume:
        chainer.serializers.load_npz(args.resume, trainer)
    trainer.run()

    with chainer.using_config('train', False), chainer.no_backprop_mode():
        x, c, _ = chainer.dataset.concat_examples([valid[0]], device)
        for i in range(1, 6):
            y = F.softmax(classifier.predictor(x, c))
            x[:, :, i] = 0
            x[:, int(y.array[0, :, i - 1, 0].argmax()), i] = 1
        print(x[0, :, :6, 0].argmax(axis=0))


if __name__ == '__main__':
    main()
