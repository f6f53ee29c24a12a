"""Other public names: initializers, distributions, drawings of graphs, and more."""

from renga_core.plugin import Namespace

__all__ = ["NAMESPACES"]

_KL = "cross_entropy kl_divergence register_kl"

NAMESPACES = [
    Namespace(
        "renga",
        names={
            "renga_nn.distributions.distribution": "Distribution",
            "renga_nn.distributions.kl": _KL,
            "renga_nn.initializers.initializer": "Initializer",
        },
    ),
    Namespace(
        "renga.computational_graph",
        names={"renga_nn.computational_graph": "ComputationalGraph DotNode build_computational_graph"},
    ),
    Namespace(
        "renga.distributions",
        names={
            "renga_nn.distributions.choices": "Bernoulli Categorical OneHotCategorical",
            "renga_nn.distributions.counts": "Geometric Poisson",
            "renga_nn.distributions.distribution": "Distribution",
            "renga_nn.distributions.exponential": "Exponential Pareto",
            "renga_nn.distributions.gamma": "Beta Chisquare Dirichlet Gamma",
            "renga_nn.distributions.independent": "Independent",
            "renga_nn.distributions.kl": _KL,
            "renga_nn.distributions.location_scale": "Cauchy Gumbel Laplace Uniform",
            "renga_nn.distributions.multivariate_normal": "MultivariateNormal",
            "renga_nn.distributions.normal": "LogNormal Normal",
        },
    ),
    Namespace(
        "renga.initializers",
        names={
            "renga_nn.initializers.constant": "Constant Identity NaN One Zero",
            "renga_nn.initializers.initializer": "Initializer generate_array",
            "renga_nn.initializers.lookup": "get_initializer",
            "renga_nn.initializers.normal": "GlorotNormal HeNormal LeCunNormal Normal",
            "renga_nn.initializers.orthogonal": "Orthogonal",
            "renga_nn.initializers.sampling": "DownsamplingConvFilter UpsamplingDeconvFilter",
            "renga_nn.initializers.uniform": "GlorotUniform HeUniform LeCunUniform Uniform",
        },
    ),
    Namespace(
        "renga.link_hooks",
        names={
            "renga_nn.link_hooks.spectral_normalization": "SpectralNormalization",
            "renga_nn.link_hooks.timer": "TimerHook",
            "renga_nn.link_hooks.weight_standardization": "WeightStandardization",
        },
    ),
    Namespace(
        "renga.utils",
        names={
            "renga_nn.sparse": "CooMatrix get_order to_coo",
            "renga_nn.utils.sizes": "get_conv_outsize get_deconv_outsize",
            "renga_nn.utils.walker_alias": "WalkerAlias",
        },
    ),
]
