"""Probability distributions with Variables as parameters: log-probabilities, moments and divergences have gradients.

- `distribution`: `Distribution`, the common interface. `univariate`: the base of distributions of single numbers.
- `normal`: `Normal`, `LogNormal`. `multivariate_normal`: `MultivariateNormal`. `location_scale`: `Cauchy`, `Gumbel`,
  `Laplace`, `Uniform`. `exponential`: `Exponential`, `Pareto`. `gamma`: `Gamma`, `Chisquare`, `Beta`, `Dirichlet`.
- `choices`: `Bernoulli`, `Categorical`, `OneHotCategorical`. `counts`: `Geometric`, `Poisson`.
- `independent`: `Independent`, which joins several distributions into one.
- `kl`: `kl_divergence`, `cross_entropy`, and `register_kl` for more pairs. The formulas are next to the classes.
- `sampling`: random numbers. `arguments`: checks of arguments. `numerics`, `vectors`: shared formulas.
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
