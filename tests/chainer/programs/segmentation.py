"""Classes for each pixel: a network that goes down and up again, labels left out, an evaluation of one's own."""
import copy
import tempfile

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import reporter as reporter_module
from chainer import training
from chainer.training import extensions


class UNet(chainer.Chain):

    def __init__(self, n_class):
        super(UNet, self).__init__()
        with self.init_scope():
            self.down1 = L.Convolution2D(None, 4, 3, pad=1, nobias=True)
            self.down2 = L.Convolution2D(None, 8, 3, pad=1, nobias=True)
            self.bn1, self.bn2 = L.BatchNormalization(4), L.BatchNormalization(8)
            self.up = L.Deconvolution2D(8, 4, 2, stride=2)
            self.out = L.Convolution2D(8, n_class, 1)

    def forward(self, x):
        h1 = F.relu(self.bn1(self.down1(x)))
        h2 = F.dropout(F.relu(self.bn2(self.down2(F.max_pooling_2d(h1, 2)))), .1)
        h = F.concat([self.up(h2), h1], axis=1)
        return self.out(h)


def mean_iou(y, t):
    predicted = y.argmax(axis=1)
    ious = []
    for c in range(y.shape[1]):
        both = ((predicted == c) & (t == c)).sum()
        either = (((predicted == c) | (t == c)) & (t >= 0)).sum()
        if either:
            ious.append(both / either)
    return np.float32(np.mean(ious))


class PixelEvaluator(extensions.Evaluator):

    default_name = 'val'
    trigger = 1, 'epoch'

    def evaluate(self):
        iterator = self._iterators['main']
        target = self._targets['main']
        if hasattr(iterator, 'reset'):
            iterator.reset()
            it = iterator
        else:
            it = copy.copy(iterator)
        summary = reporter_module.DictSummary()
        for batch in it:
            observation = {}
            with reporter_module.report_scope(observation):
                x, t = self.converter(batch, self.device)
                with chainer.function.no_backprop_mode(), chainer.using_config('train', False):
                    y = target.predictor(x)
                    reporter_module.report({
                        'iou': mean_iou(chainer.backends.cuda.to_cpu(y.array), t),
                        'loss': F.softmax_cross_entropy(y, t, ignore_label=-1)}, target)
            summary.add(observation)
        return summary.compute_mean()


np.random.seed(0)
rng = np.random.RandomState(0)
images, labels = [], []
for _ in range(12):
    t = np.zeros((8, 8), 'i')
    i, j = rng.randint(1, 5, 2)
    t[i:i + 3, j:j + 3] = 1
    image = rng.randn(1, 8, 8).astype('f') * 0.3 + t.astype('f')
    t[0] = -1
    images.append(image)
    labels.append(t)
data = chainer.datasets.TupleDataset(images, labels)
train, val = chainer.datasets.split_dataset(data, 8)
model = L.Classifier(UNet(2), lossfun=lambda y, t: F.softmax_cross_entropy(
    y, t, ignore_label=-1, class_weight=np.array([0.4, 1.6], 'f')), accfun=lambda y, t: F.accuracy(y, t, ignore_label=-1))
optimizer = chainer.optimizers.Adam(0.01, weight_decay_rate=1e-4)
optimizer.setup(model)
updater = training.updaters.StandardUpdater(chainer.iterators.SerialIterator(train, 4), optimizer)
trainer = training.Trainer(updater, (4, 'epoch'), out=tempfile.mkdtemp())
trainer.extend(PixelEvaluator(chainer.iterators.SerialIterator(val, 2, repeat=False, shuffle=False), model))
log = extensions.LogReport()
trainer.extend(log)
trainer.run()
for entry in log.log:
    print('loss', entry['main/loss'], entry['main/accuracy'], entry['val/main/loss'], entry['val/main/iou'])
print('keys', sorted(k for k in log.log[-1] if k != 'elapsed_time'))
result = trainer.get_extension('val')()
print('again', sorted((k, float(v.array if hasattr(v, 'array') else v)) for k, v in result.items()))
