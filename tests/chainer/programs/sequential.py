"""chainer.Sequential: made of links and functions, cut, repeated, flattened."""
import functools

import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np

np.random.seed(7)
block = chainer.Sequential(
    L.Convolution2D(None, 4, 3, 1, 1, nobias=True),
    L.BatchNormalization(4),
    F.relu,
)
model = chainer.Sequential(
    block.repeat(2),
    functools.partial(F.max_pooling_2d, ksize=2, stride=2),
    lambda x: F.reshape(x, (len(x), -1)),
    L.Linear(None, 10),
    F.dropout,
    L.Linear(10, 3),
)
classifier = L.Classifier(model)
optimizer = chainer.optimizers.AdaGrad(0.05).setup(classifier)
rng = np.random.RandomState(0)
x, t = rng.randn(12, 2, 6, 6).astype('f'), rng.randint(0, 3, 12).astype('i')
for _ in range(5):
    loss = classifier(x, t)
    classifier.cleargrads()
    loss.backward()
    optimizer.update()
    print('loss', float(loss.array), float(classifier.accuracy.array))
print(len(model), len(model.flatten()), type(model[3]).__name__)
print(sum(p.size for p in model.params()))
del model[4]
model.insert(4, F.tanh)
print([getattr(layer, '__name__', type(layer).__name__) for layer in model[3:]])
with chainer.using_config('train', False):
    print('test', float(F.sum(model(x)).array))
print(model.copy(mode='init') is not model, len(list(model.links())))
