# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_nn.distributions.choices import Bernoulli as Bernoulli
from renga_nn.distributions.choices import Categorical as Categorical
from renga_nn.distributions.choices import OneHotCategorical as OneHotCategorical
from renga_nn.distributions.counts import Geometric as Geometric
from renga_nn.distributions.counts import Poisson as Poisson
from renga_nn.distributions.distribution import Distribution as Distribution
from renga_nn.distributions.exponential import Exponential as Exponential
from renga_nn.distributions.exponential import Pareto as Pareto
from renga_nn.distributions.gamma import Beta as Beta
from renga_nn.distributions.gamma import Chisquare as Chisquare
from renga_nn.distributions.gamma import Dirichlet as Dirichlet
from renga_nn.distributions.gamma import Gamma as Gamma
from renga_nn.distributions.independent import Independent as Independent
from renga_nn.distributions.kl import cross_entropy as cross_entropy
from renga_nn.distributions.kl import kl_divergence as kl_divergence
from renga_nn.distributions.kl import register_kl as register_kl
from renga_nn.distributions.location_scale import Cauchy as Cauchy
from renga_nn.distributions.location_scale import Gumbel as Gumbel
from renga_nn.distributions.location_scale import Laplace as Laplace
from renga_nn.distributions.location_scale import Uniform as Uniform
from renga_nn.distributions.multivariate_normal import MultivariateNormal as MultivariateNormal
from renga_nn.distributions.normal import LogNormal as LogNormal
from renga_nn.distributions.normal import Normal as Normal

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
