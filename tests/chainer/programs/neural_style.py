"""The input is what is trained: features of a fixed network, gram matrices, part of the parameters frozen."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np


class Features(chainer.Chain):

    def __init__(self):
        super(Features, self).__init__()
        with self.init_scope():
            self.conv1 = L.Convolution2D(3, 4, 3, pad=1)
            self.conv2 = L.Convolution2D(4, 6, 3, pad=1)

    def __call__(self, x):
        h1 = F.relu(self.conv1(x))
        h2 = F.relu(self.conv2(F.average_pooling_2d(h1, 2)))
        return [h1, h2]


class Image(chainer.Link):

    def __init__(self, array):
        super(Image, self).__init__()
        with self.init_scope():
            self.x = chainer.Parameter(array)

    def __call__(self):
        return self.x


def gram(y):
    b, c, h, w = y.shape
    features = F.reshape(y, (c, h * w))
    return F.matmul(features, features, transb=True) / np.float32(c * h * w)


np.random.seed(0)
rng = np.random.RandomState(0)
content, style = rng.rand(1, 3, 8, 8).astype('f'), rng.rand(1, 3, 8, 8).astype('f')
net = Features()
net.disable_update()
with chainer.no_backprop_mode():
    content_features, style_grams = net(content), [gram(y) for y in net(style)]
image = Image(rng.rand(1, 3, 8, 8).astype('f') * 0.1)
optimizer = chainer.optimizers.Adam(alpha=0.05)
optimizer.setup(image)
for i in range(6):
    features = net(image())
    loss = 0.1 * F.mean_squared_error(features[1], chainer.Variable(content_features[1].array))
    for y, target in zip(features, style_grams):
        loss += F.mean_squared_error(gram(y), target.array)
    x = image()
    loss += 0.01 * (F.sum((x[:, :, 1:] - x[:, :, :-1]) ** 2) + F.sum((x[:, :, :, 1:] - x[:, :, :, :-1]) ** 2))
    image.cleargrads()
    loss.backward()
    optimizer.update()
    image.x.array = image.x.array.clip(0, 1)
    print('loss', float(loss.array))
print('sum', float(image.x.array.sum()), net.conv1.W.update_rule, net.update_enabled)

model = L.Classifier(chainer.Sequential(Features(), lambda hs: hs[-1], L.Linear(None, 2)))
model.predictor[0].copyparams(net)
optimizer = chainer.optimizers.MomentumSGD(0.1).setup(model)
model.predictor[0].disable_update()
model.predictor[0].conv2.b.update_rule.enabled = True
before = [p.array.copy() for _, p in sorted(model.namedparams()) if p.array is not None]
for _ in range(3):
    optimizer.update(model, np.concatenate([content, style]), np.array([0, 1], 'i'))
    print('loss', float(model.loss.array))
print([n for n, p in sorted(model.namedparams()) if p.update_rule.enabled])
print('moved', float(abs(model.predictor[0].conv1.W.array - net.conv1.W.array).sum()),
      float(abs(model.predictor[0].conv2.b.array - net.conv2.b.array).sum()))
