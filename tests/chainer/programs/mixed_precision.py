"""Half precision: mixed16, loss scaling, parameters in float32 copies."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np

chainer.global_config.dtype = chainer.mixed16
print(chainer.get_dtype(), chainer.get_dtype(map_mixed16=np.float32), chainer.config.dtype)
np.random.seed(0)
model = L.Classifier(chainer.Sequential(L.Linear(4, 8), L.BatchNormalization(8), F.relu, L.Linear(8, 2)))
for name, param in sorted(model.namedparams()):
    print(name, param.dtype)
optimizer = chainer.optimizers.MomentumSGD(0.1)
optimizer.setup(model)
optimizer.use_fp32_update()
optimizer.loss_scaling(scale=16)
rng = np.random.RandomState(0)
x, t = rng.randn(10, 4).astype(np.float16), rng.randint(0, 2, 10).astype('i')
for _ in range(4):
    optimizer.update(model, x, t)
    print('loss', round(float(model.loss.array), 2), model.loss.dtype)
print(model.predictor[0].W.dtype, model.predictor[0].W.update_rule._fp32_param.dtype)
chainer.global_config.dtype = np.float16
print(L.Linear(2, 2).W.dtype, L.BatchNormalization(2).gamma.dtype)
chainer.global_config.dtype = np.float64
link = L.Linear(2, 2)
print(link.W.dtype, link(np.ones((1, 2))).dtype, L.EmbedID(3, 2).W.dtype)
chainer.global_config.dtype = np.dtype('f')
model = L.Linear(3, 2)
optimizer = chainer.optimizers.SGD(0.1).setup(model)
optimizer.loss_scaling(interval=2)
loss = F.sum(model(np.ones((2, 3), 'f')))
model.cleargrads()
loss.backward(loss_scale=optimizer._loss_scale)
print('grad', model.b.grad.tolist())
optimizer.update()
y = F.cast(chainer.Variable(np.arange(3, dtype='f')), 'd')
print(y.dtype, F.cast(y, np.float16).dtype)
