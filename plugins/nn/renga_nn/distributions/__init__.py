"""Probability distributions whose parameters are Variables: log-probabilities, moments and divergences have gradients.

- `distribution`: `Distribution`, what each of them offers. `univariate`: the base of those of single numbers.
- `normal`: `Normal`, `LogNormal`. `multivariate_normal`: `MultivariateNormal`. `location_scale`: `Cauchy`, `Gumbel`,
  `Laplace`, `Uniform`. `exponential`: `Exponential`, `Pareto`. `gamma`: `Gamma`, `Chisquare`, `Beta`, `Dirichlet`.
- `choices`: `Bernoulli`, `Categorical`, `OneHotCategorical`. `counts`: `Geometric`, `Poisson`.
- `independent`: `Independent`, several as one.
- `kl`: `kl_divergence`, `cross_entropy`, and `register_kl` for more pairs; formulas stand beside the classes.
- `sampling`: random numbers. `arguments`: what users give. `numerics`, `vectors`: what formulas share.
"""

from renga_nn.distributions.choices import Bernoulli, Categorical, OneHotCategorical
from renga_nn.distributions.counts import Geometric, Poisson
from renga_nn.distributions.distribution import Distribution
from renga_nn.distributions.exponential import Exponential, Pareto
from renga_nn.distributions.gamma import Beta, Chisquare, Dirichlet, Gamma
from renga_nn.distributions.independent import Independent
from renga_nn.distributions.kl import cross_entropy, kl_divergence, register_kl
from renga_nn.distributions.location_scale import Cauchy, Gumbel, Laplace, Uniform
from renga_nn.distributions.multivariate_normal import MultivariateNormal
from renga_nn.distributions.normal import LogNormal, Normal

__all__ = [
    "Bernoulli",
    "Beta",
    "Categorical",
    "Cauchy",
    "Chisquare",
    "Dirichlet",
    "Distribution",
    "Exponential",
    "Gamma",
    "Geometric",
    "Gumbel",
    "Independent",
    "Laplace",
    "LogNormal",
    "MultivariateNormal",
    "Normal",
    "OneHotCategorical",
    "Pareto",
    "Poisson",
    "Uniform",
    "cross_entropy",
    "kl_divergence",
    "register_kl",
]
