"""Probability distributions: densities, moments, draws, divergences."""
import chainer
import chainer.distributions as D
import chainer.functions as F
import numpy as np

# Chainer does not have these, or not without SciPy
ABSENT = {
    'Normal': ['icdf', 'mode'],
    'Laplace': ['survival_function'],
    'LogNormal': ['cdf', 'icdf', 'mode', 'stddev', 'survival_function'],
    'Uniform': ['mode', 'survival_function'],
    'Cauchy': ['mode', 'stddev', 'survival_function'],
    'Gumbel': ['cdf', 'icdf', 'mode', 'stddev', 'survival_function'],
    'Exponential': ['mode', 'stddev', 'survival_function'],
    'Pareto': ['cdf', 'icdf', 'mode', 'stddev', 'survival_function'],
    'Bernoulli': ['cdf', 'icdf', 'mode', 'survival_function'],
    'Geometric': ['cdf', 'entropy', 'icdf', 'mode', 'stddev', 'survival_function'],
    'Categorical': ['cdf', 'icdf', 'mean', 'mode', 'stddev', 'support', 'survival_function', 'variance'],
    'OneHotCategorical': ['cdf', 'entropy', 'icdf', 'mode', 'stddev', 'support', 'survival_function'],
    'MultivariateNormal': ['cdf', 'icdf', 'log_prob', 'mode', 'stddev', 'survival_function', 'variance'],
    'Independent': ['icdf', 'mode'],
}
rng = np.random.RandomState(0)
loc, scale = rng.randn(3).astype('f'), rng.rand(3).astype('f') + 0.5
p = rng.rand(3).astype('f') * 0.8 + 0.1
probabilities = np.array([0.2, 0.3, 0.5], 'f')
x = rng.rand(3).astype('f') * 0.5 + 0.2
for make, value in (
        (lambda: D.Normal(loc, scale), x), (lambda: D.Normal(loc, log_scale=np.log(scale)), x),
        (lambda: D.Laplace(loc, scale), x), (lambda: D.LogNormal(loc, scale), x), (lambda: D.Uniform(low=loc - 2, high=loc + 2), x),
        (lambda: D.Cauchy(loc, scale), x), (lambda: D.Gumbel(loc, scale), x), (lambda: D.Exponential(scale), x),
        (lambda: D.Pareto(scale, np.full(3, 0.1, 'f')), x), (lambda: D.Bernoulli(p), np.array([0, 1, 1], 'f')),
        (lambda: D.Bernoulli(logit=loc), np.array([0, 1, 1], 'f')), (lambda: D.Geometric(p), np.array([1, 2, 3], 'f')),
        (lambda: D.Categorical(probabilities), np.array(2, 'i')), (lambda: D.OneHotCategorical(probabilities), np.eye(3, dtype='f')[1]),
        (lambda: D.MultivariateNormal(loc, scale_tril=np.linalg.cholesky(np.diag(scale)).astype('f')), x),
        (lambda: D.Independent(D.Normal(loc, scale)), x),
):
    np.random.seed(1)
    d = make()
    print(type(d).__name__, d.batch_shape, d.event_shape)
    absent = ABSENT.get(type(d).__name__, ())
    if 'log_prob' not in absent:
        print('  log_prob', F.sum(d.log_prob(value)).array.tolist())
    for name in ('mean', 'variance', 'entropy', 'stddev', 'mode', 'support'):
        if name in absent:
            continue
        found = getattr(d, name)
        if isinstance(found, str):
            print('  ', name, found)
        else:
            found = found.array if isinstance(found, chainer.Variable) else found
            print('  ', name, np.asarray(found, 'd').sum().tolist())
    sample = d.sample((2,))
    print('  sample', sample.shape, float(F.sum(F.cast(sample, 'f')).array))
    for name in ('cdf', 'survival_function', 'icdf'):
        if name not in absent:
            print('  ', name, float(F.sum(getattr(d, name)(value)).array))
for q, r in ((D.Normal(loc, scale), D.Normal(scale, p)), (D.Bernoulli(p), D.Bernoulli(x)),
             (D.Laplace(loc, scale), D.Laplace(scale, p)), (D.Exponential(scale), D.Exponential(p)),
             (D.Uniform(low=loc, high=loc + 1), D.Uniform(low=loc - 1, high=loc + 2)), 
             (D.Categorical(probabilities), D.Categorical(probabilities[::-1].copy()))):
    print('kl', type(q).__name__, float(F.sum(chainer.kl_divergence(q, r)).array))


class Mine(chainer.Distribution):

    def __init__(self, loc):
        super(Mine, self).__init__()
        self.loc = loc

    def log_prob(self, x):
        return -abs(x - self.loc)


@chainer.register_kl(Mine, Mine)
def _kl(a, b):
    return abs(a.loc - b.loc)


v = chainer.Variable(loc)
print('mine', F.sum(Mine(v).log_prob(x)).array.tolist(), F.sum(chainer.kl_divergence(Mine(v), Mine(x))).array.tolist())
mu, ln_var = chainer.Variable(loc), chainer.Variable(np.log(scale))
np.random.seed(2)
z = D.Normal(mu, log_scale=ln_var).sample(4)
F.sum(z ** 2).backward()
print('gradients', mu.grad.tolist(), ln_var.grad.tolist())
