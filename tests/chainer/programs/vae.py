"""A variational autoencoder; its loss is a Chain that reports."""
import chainer
import chainer.functions as F
import chainer.links as L
import numpy as np
from chainer import training
from chainer.training import extensions


class VAE(chainer.Chain):

    def __init__(self, n_in, n_latent, n_h):
        super(VAE, self).__init__()
        with self.init_scope():
            self.le1 = L.Linear(n_in, n_h)
            self.le2_mu = L.Linear(n_h, n_latent)
            self.le2_ln_var = L.Linear(n_h, n_latent)
            self.ld1 = L.Linear(n_latent, n_h)
            self.ld2 = L.Linear(n_h, n_in)

    def forward(self, x, sigmoid=True):
        return self.decode(self.encode(x)[0], sigmoid)

    def encode(self, x):
        h1 = F.tanh(self.le1(x))
        return self.le2_mu(h1), self.le2_ln_var(h1)

    def decode(self, z, sigmoid=True):
        h2 = self.ld2(F.tanh(self.ld1(z)))
        return F.sigmoid(h2) if sigmoid else h2

    def get_loss_func(self, beta=1.0, k=1):
        def lf(x):
            mu, ln_var = self.encode(x)
            batchsize = len(mu)
            rec_loss = 0
            for _ in range(k):
                z = F.gaussian(mu, ln_var)
                rec_loss += F.bernoulli_nll(x, self.decode(z, sigmoid=False)) / (k * batchsize)
            self.rec_loss = rec_loss
            self.loss = self.rec_loss + beta * F.gaussian_kl_divergence(mu, ln_var) / batchsize
            chainer.report({'rec_loss': rec_loss, 'loss': self.loss}, observer=self)
            return self.loss
        return lf


np.random.seed(0)
images = (np.random.RandomState(0).uniform(size=(40, 16)) > 0.5).astype('f')
model = VAE(16, 3, 10)
optimizer = chainer.optimizers.Adam()
optimizer.setup(model)
train_iter = chainer.iterators.SerialIterator(images, 10)
updater = training.StandardUpdater(train_iter, optimizer, device=-1, loss_func=model.get_loss_func())
trainer = training.Trainer(updater, (3, 'epoch'), out='/tmp/vae_result')
test_iter = chainer.iterators.SerialIterator(images, 10, repeat=False, shuffle=False)
trainer.extend(extensions.Evaluator(test_iter, model, device=-1, eval_func=model.get_loss_func(k=3)))
log = extensions.LogReport()
trainer.extend(log)
trainer.run()
for entry in log.log:
    print('loss', entry['main/loss'], entry['main/rec_loss'], entry['validation/main/loss'])
q = chainer.distributions.Normal(np.zeros(3, 'f'), log_scale=np.zeros(3, 'f'))
p = chainer.distributions.Normal(np.ones(3, 'f'), np.full(3, 2, 'f'))
print('kl', F.sum(chainer.kl_divergence(q, p)).array.tolist(), float(F.sum(q.log_prob(np.ones(3, 'f'))).array))
