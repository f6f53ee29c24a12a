"""A test case for a probability distribution."""

from __future__ import annotations

import unittest
from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import get_device, to_host
from renga_core.errors import RengaError
from renga_core.graph import Variable
from renga_testing.gradient_check import assert_allclose

__all__ = ["distribution_unittest"]

Host = np.ndarray[Any, Any]

OF_POINTS = {
    "cdf": ("cdf", "cdf", "cdf"),
    "log_cdf": ("log_cdf", "logcdf", "logcdf"),
    "log_prob": ("log_prob", "logpdf", "logpmf"),
    "log_survival": ("log_survival_function", "logsf", "logsf"),
    "prob": ("prob", "pdf", "pmf"),
    "survival": ("survival_function", "sf", "sf"),
}
"""Targets that are functions of points: Renga's name, and SciPy's for continuous and discrete distributions."""

MOMENTS = {
    "covariance": ("covariance", "cov"),
    "entropy": ("entropy", "entropy"),
    "mean": ("mean", "mean"),
    "stddev": ("stddev", "std"),
    "variance": ("variance", "var"),
}
OTHERS = ("batch_shape", "event_shape", "icdf", "sample", "support")
TARGETS = frozenset((*OF_POINTS, *MOMENTS, *OTHERS))
DRAWS = 20_000


class distribution_unittest(unittest.TestCase):  # Chainer's name
    """Base class of test cases for distributions, which compares them with SciPy's.

    A subclass defines `setUp_configure`, which sets these attributes, and `sample_for_test`::

        @parameterize(*product({"shape": [(2, 3), ()], "is_variable": [True, False], "sample_shape": [(2,), ()]}))
        class TestNormal(distribution_unittest):
            def setUp_configure(self):
                self.dist, self.scipy_dist = Normal, scipy.stats.norm
                self.test_targets = {"batch_shape", "log_prob", "mean", "sample"}
                loc, scale = np.ones(self.shape), np.full(self.shape, 2.0)
                self.params = {"loc": loc, "scale": scale}
                self.scipy_params = {"loc": loc, "scale": scale}

            def sample_for_test(self):
                return np.random.normal(size=self.sample_shape + self.shape)

    Attributes:
        dist, params, options: The class, its arguments that are arrays (on the host), and its other arguments.
        scipy_dist, scipy_params: The same for SciPy.
        test_targets: Members to test: ``batch_shape``, ``cdf``, ``covariance``, ``entropy``, ``event_shape``, ``icdf``,
            ``log_cdf``, ``log_prob``, ``log_survival``, ``mean``, ``prob``, ``sample``, ``stddev``, ``support``,
            ``survival``, ``variance``.
        shape, event_shape, sample_shape: Shape of the batch, of one draw, and of the points.
        is_variable: Turn `params` into Variables.
        continuous: Whether the distribution has a density in SciPy, not probabilities.
        support: Expected value of `support`.
        scipy_onebyone: Whether SciPy's class supports only one distribution per object.

    Raises:
        ValueError: A target is unknown.
    """

    __test__: ClassVar[bool] = False

    scipy_onebyone: bool = False
    continuous: bool = True
    is_variable: bool = False
    support: str = "real"
    shape: tuple[int, ...] = ()
    event_shape: tuple[int, ...] = ()
    sample_shape: tuple[int, ...] = ()
    dist: Callable[..., Any]
    scipy_dist: Any
    params: Mapping[str, Any]
    scipy_params: Mapping[str, Any]
    options: Mapping[str, Any]
    test_targets: set[str]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        cls.__test__ = vars(cls).get("__test__", True)

    def setUp(self) -> None:
        """Call `setUp_configure` and check the targets."""
        self.options = {}
        self.test_targets = set()
        self.setUp_configure()
        unknown = sorted(set(self.test_targets) - TARGETS)
        if unknown:
            raise ValueError(f"{type(self).__name__}.test_targets: unknown {unknown}; choose from {sorted(TARGETS)}")

    def setUp_configure(self) -> None:
        """Set the attributes."""
        raise NotImplementedError(f"{type(self).__name__} does not define setUp_configure()")

    def sample_for_test(self) -> Host:
        """Return points at which to compare, ``(*sample_shape, *shape, *event_shape)``."""
        raise NotImplementedError(f"{type(self).__name__} does not define sample_for_test()")

    @property
    def cpu_dist(self) -> Any:
        """Return the distribution on the host."""
        return self._made("numpy")

    @property
    def gpu_dist(self) -> Any:
        """Return the distribution on a GPU, by CuPy."""
        return self._made("cupy")

    def _made(self, device: str) -> Any:
        sent = {name: get_device(device).send(np.asarray(value)) for name, value in self.params.items()}
        wrapped = {name: Variable(value) if self.is_variable else value for name, value in sent.items()}
        # Looked up in the class: a function would become a bound method of an instance.
        return self.dist(**wrapped, **self.options)

    def _scipy(self, method: str, *points: Host) -> Any:
        """Return SciPy's result; if necessary, computed separately for each distribution of the batch."""
        if not self.scipy_onebyone:
            return getattr(self.scipy_dist, method)(*points, **self.scipy_params)
        results = []
        for index in np.ndindex(*self.shape):
            one = {name: np.asarray(value)[index] for name, value in self.scipy_params.items()}
            lead = (slice(None),) * len(self.sample_shape)
            results.append(getattr(self.scipy_dist, method)(*[x[(*lead, *index)] for x in points], **one))
        together = np.stack(results)
        if points:  # then the points' axes come first
            together = np.moveaxis(together.reshape((-1, *self.sample_shape)), 0, -1)
            return together.reshape((*self.sample_shape, *self.shape))
        return together.reshape((*self.shape, *together.shape[1:]))

    def _check(self, target: str, device: str) -> None:
        if target not in self.test_targets:
            raise unittest.SkipTest(f"{target} is not among test_targets")
        try:
            distribution = self._made(device)
        except RengaError as error:
            raise unittest.SkipTest(str(error)) from error
        send = get_device(device).send
        if target in OF_POINTS:
            name, continuous, discrete = OF_POINTS[target]
            x = self.sample_for_test()
            right = self._scipy(continuous if self.continuous else discrete, x)
            assert_allclose(getattr(distribution, name)(send(x)), right)
        elif target in MOMENTS:
            name, method = MOMENTS[target]
            assert_allclose(getattr(distribution, name), self._scipy(method))
        elif target == "icdf":
            x = np.random.uniform(1e-5, 1 - 1e-5, self.sample_shape + self.shape)
            assert_allclose(distribution.icdf(send(x)), self._scipy("ppf", x))
        elif target == "sample":
            self._check_draws(to_host(distribution.sample((DRAWS,))))
        else:
            said, right = getattr(distribution, target), getattr(self, "shape" if target == "batch_shape" else target)
            assert said == right, f"{target} is {said!r}, not {right!r}"

    def _check_draws(self, draws: Host) -> None:
        """Means and variances are within six standard errors of those of SciPy's draws."""
        assert draws.shape == (DRAWS, *self.shape, *self.event_shape)
        if self.scipy_onebyone:
            ones = [
                self.scipy_dist.rvs(**{n: np.asarray(v)[i] for n, v in self.scipy_params.items()}, size=DRAWS)
                for i in np.ndindex(*self.shape)
            ]
            right = np.stack(ones, axis=1)
        else:
            right = np.asarray(self.scipy_dist.rvs(**self.scipy_params, size=(DRAWS, *self.shape)))
        right = right.reshape(draws.shape)
        for power in (1, 2):
            center = right.mean(axis=0) if power == 2 else 0
            mine, its = (draws.astype(np.float64) - center) ** power, (right - center) ** power
            error = np.sqrt((mine.var(axis=0) + its.var(axis=0)) / DRAWS)
            far = np.abs(mine.mean(axis=0) - its.mean(axis=0)) > 6 * error + 1e-6
            assert not far.any(), f"the {'variance' if power == 2 else 'mean'} of draws differs from SciPy's"


def _test(target: str, device: str) -> Callable[[distribution_unittest], None]:
    def test(self: distribution_unittest) -> None:
        self._check(target, device)

    test.__doc__ = f"`{target}`, on {device}."
    return test


for _target in sorted(TARGETS):
    setattr(distribution_unittest, f"test_{_target}_cpu", _test(_target, "numpy"))
    setattr(distribution_unittest, f"test_{_target}_gpu", _test(_target, "cupy"))
