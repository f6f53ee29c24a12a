"""A test base class for probability distributions.

Subclass `DistributionSuite` and define the distribution, its parameters and a reference. pytest then checks each of its
members, on every available array backend::

    class TestExponential(DistributionSuite):
        distribution = Exponential
        parameters = {"lam": [0.5, 2.0]}
        other = {"lam": [1.5, 0.7]}
        inside = [0.0, 3.0]
        outside = [-1.0]

        def reference(self, lam):
            return scipy.stats.expon(scale=1 / lam)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, ClassVar

import numpy as np
import pytest

from renga_core import random
from renga_core.backend import Array, Device, to_host
from renga_core.graph import Variable, as_array
from renga_testing.every_backend import EveryBackendSuite
from renga_testing.gradient_check import check_backward, check_double_backward

__all__ = ["DistributionSuite"]

Host = np.ndarray[Any, Any]

FUNCTIONS = {
    "cdf": "cdf",
    "icdf": "ppf",
    "log_cdf": "logcdf",
    "survival_function": "sf",
    "log_survival_function": "logsf",
}
"""Members that are functions of points, with SciPy's names. `log_prob` and `prob` are tested separately."""

MOMENTS = {"mean": "mean", "variance": "var", "stddev": "std", "entropy": "entropy", "covariance": "cov"}

LEVELS = [0.0, 0.001, 0.3, 0.5, 0.75, 0.999, 1.0]
"""Arguments of `icdf`."""


class DistributionSuite(EveryBackendSuite):
    """Tests of one distribution. A subclass is named `Test…`; it defines `reference` and some of these attributes.

    Attributes:
        distribution: The class.
        parameters: By name, lists of numbers whose shapes broadcast.
        other: Parameters of a second distribution, for the divergence; same number. None: not tested here.
        inside: Points in the support of all distributions of the batch; the first may be its end.
        kl_divergence: The library's function of two distributions. It is passed because the core has none.
        outside: Points outside of the support.
        event_ndim: Number of axes of a draw.
        discrete: Whether draws have probabilities, not densities.
        reparametrised: Whether draws have gradients.
        missing: Members that must raise NotImplementedError.
        sample_dtype: The dtype of draws; empty: that of the parameters.
        draws: Number of draws to compare with the distribution.
        unlike: For members that the reference does not have, or defines differently: a function of the parameters.
        support: Expected value of `support`.

    Further attributes: see `EveryBackendSuite`. `bad_inputs` are arguments for the class.
    """

    distribution: ClassVar[Callable[..., Any]]
    parameters: Mapping[str, Any]
    other: Mapping[str, Any] | None = None
    kl_divergence: ClassVar[Callable[[Any, Any], Variable]]
    inside: Any = ()
    outside: Any = ()
    event_ndim: ClassVar[int] = 0
    discrete: ClassVar[bool] = False
    reparametrised: ClassVar[bool] = True
    missing: ClassVar[tuple[str, ...]] = ("covariance",)
    sample_dtype: ClassVar[str] = ""
    draws: ClassVar[int] = 3000
    unlike: ClassVar[Mapping[str, Callable[..., Any]]] = {}
    support: ClassVar[str]

    def reference(self, **parameters: Host) -> Any:
        """Return a reference: a frozen distribution of `scipy.stats`, or an object with some of its methods."""
        raise NotImplementedError(f"{type(self).__name__} does not define reference(**parameters)")

    def divergence(self, first: Mapping[str, Host], second: Mapping[str, Host]) -> Host:
        """Return the divergence between distributions with these parameters, by integration or summation."""
        p, q = self.reference(**first), self.reference(**second)
        shape = np.broadcast_shapes(*[x.shape for x in (*first.values(), *second.values())])
        if self.discrete:
            points = np.arange(1000.0).reshape(-1, *[1] * len(shape))
            with np.errstate(divide="ignore"):  # SciPy's
                logs = p.logpmf(points), q.logpmf(points)
            likely = logs[0] > -600
            gain = np.where(likely, logs[0], 0) - np.where(likely, logs[1], 0)
            return np.asarray((np.exp(logs[0]) * gain).sum(0))
        integrate = pytest.importorskip("scipy.integrate")

        def difference(u: float) -> Host:
            x = p.ppf(u)
            return np.asarray(np.broadcast_to(p.logpdf(x) - q.logpdf(x), shape))

        result: Host = integrate.quad_vec(difference, 0, 1, epsabs=1e-9, epsrel=1e-9, norm="max")[0]
        return result

    # --- the members -----------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("where", ["inside", "outside"])
    def test_log_prob(self, device: Device, where: str) -> None:
        """`log_prob` equals the reference's, with -inf outside the support; `prob` is its exponential."""
        x = self._points(getattr(self, where))
        expected = self._reference_log_prob(x)
        distribution = self._make(device)
        self._close(distribution.log_prob(device.send(x)), expected)
        self._close(distribution.prob(device.send(x)), np.exp(expected))
        with np.errstate(over="ignore"):  # the exponential may overflow
            self._close(distribution.perplexity(device.send(x)), np.exp(-expected))

    @pytest.mark.parametrize("member", FUNCTIONS)
    def test_function(self, device: Device, member: str) -> None:
        """A function of points equals the reference's, inside and outside of the support."""
        distribution = self._make(device)
        given = [LEVELS] if member == "icdf" else [self.inside, self.outside]
        for x in map(self._points, given):
            if member in self.missing:
                with pytest.raises(NotImplementedError, match=rf"{type(distribution).__name__}\.\w+: "):
                    getattr(distribution, member)(device.send(x))
                continue
            with np.errstate(divide="ignore"):  # SciPy's
                expected = getattr(self.reference(**self._parameters()), FUNCTIONS[member])(x)
            self._close(getattr(distribution, member)(device.send(x)), expected)

    def test_icdf_of_no_probability(self, device: Device) -> None:
        """NaN as a point gives NaN."""
        if "icdf" not in self.missing:
            y = self._make(device).icdf(device.send(np.array(-0.5))), self._make(device).icdf(1.5)
            assert all(np.isnan(to_host(each)).all() for each in y)

    def test_nan(self, device: Device) -> None:
        """A point that is NaN has no probability."""
        x = np.full(self._points(self.inside).shape, np.nan)
        if not self.discrete:
            assert np.isnan(to_host(self._make(device).log_prob(device.send(x)))).all()

    @pytest.mark.parametrize("member", [*MOMENTS, "mode"])
    def test_moment(self, device: Device, member: str) -> None:
        """A statistic equals the reference's, in the shape of the batch."""
        distribution = self._make(device)
        if member in self.missing:
            with pytest.raises(NotImplementedError, match=rf"{type(distribution).__name__}\.\w+: "):
                getattr(distribution, member)
            return
        y = getattr(distribution, member)
        self._close(y, self._reference_moment(member))
        front, event = distribution.batch_shape, distribution.event_shape
        assert y.shape == front + {"entropy": (), "covariance": 2 * event}.get(member, event)

    def test_support_and_shapes(self, device: Device) -> None:
        """The descriptive attributes are correct."""
        distribution = self._make(device)
        assert distribution.support == self.support
        assert distribution.xp is device.xp
        same = type(distribution)(**distribution.params)
        self._close(same.log_prob(device.send(self._points(self.inside))), self._reference_log_prob(self.inside))

    def test_one_alone(self, device: Device) -> None:
        """A single distribution, without batch axes, gives the same numbers as a batch."""
        batch = self._make(device)
        first = (0,) * len(batch.batch_shape)
        each: Any = (slice(None), *first)
        one = self._of({name: device.send(np.array(to_host(p.array)[first])) for name, p in batch.params.items()})
        assert one.batch_shape == ()
        assert one.sample().shape == one.event_shape
        x = device.send(self._points(self.inside).reshape(-1, *one.event_shape))
        members = [m for m in FUNCTIONS if m not in self.missing and m != "icdf"]
        for member in ("log_prob", "prob", *members):
            whole = to_host(getattr(batch, member)(device.send(self._points(self.inside))))
            self._close(getattr(one, member)(x), whole[each])
            self._close(getattr(one, member)(x[0]), whole[each][0])
        for member in [m for m in (*MOMENTS, "mode") if m not in self.missing]:
            self._close(getattr(one, member), to_host(getattr(batch, member))[first])

    def test_dtype(self, device: Device, dtype: str) -> None:
        """Results have the dtype of the parameters, whatever the dtype of the points."""
        distribution = self._make(device, dtype)
        with np.errstate(over="ignore"):  # the largest float16 is 65504
            for x in (self._points(self.inside).astype(dtype), self._points(self.inside)):
                assert distribution.log_prob(device.send(x)).dtype == dtype
        members = [m for m in (*MOMENTS, "mode") if m not in self.missing]
        for member in members:
            assert getattr(distribution, member).dtype in (dtype, "int32" if member == "mode" else dtype), member
        assert distribution.sample(3).dtype == (self.sample_dtype or dtype)

    def test_single_precision(self, device: Device) -> None:
        """Results in single and double precision agree up to rounding."""
        distribution = self._make(device, "float32")
        y = to_host(distribution.log_prob(device.send(self._points(self.inside).astype("float32"))))
        np.testing.assert_allclose(y, self._reference_log_prob(self.inside), 2e-4, 2e-5)

    # --- gradients -------------------------------------------------------------------------------------------------

    @pytest.mark.parametrize("member", ["log_prob", *FUNCTIONS])
    def test_gradient_of_function(self, device: Device, member: str) -> None:
        """Gradients with respect to parameters, and to non-integer points, equal numerical derivatives."""
        if member in self.missing:
            pytest.skip("not there")
        # Exclude the ends of the support, where there may be no derivative, and the logarithm of survival.
        last = len(self.inside) - (self.discrete and member != "log_prob")
        x = self._points([0.2, 0.45, 0.8] if member == "icdf" else self.inside[1 - self.discrete : last])
        parameters = [device.send(p) for p in self._parameters().values()]
        by_point = not self.discrete

        def call(*values: Variable) -> Variable:
            at = values[-1] if by_point else device.send(x)
            given = dict(zip(self.parameters, values, strict=False))
            return getattr(self._of(given), member)(at)  # type: ignore[no-any-return]  # a member of any class

        arrays = [*parameters, device.send(x)] if by_point else parameters
        self._check(call, arrays, device, twice=member == "log_prob")

    @pytest.mark.parametrize("member", ["mean", "variance", "entropy"])
    def test_gradient_of_moment(self, device: Device, member: str) -> None:
        """Gradients with respect to parameters equal numerical derivatives."""
        if member in self.missing or not np.isfinite(self._reference_moment(member)).all():
            pytest.skip("not there")
        arrays = [device.send(p) for p in self._parameters().values()]
        self._check(lambda *values: self._member(member, values), arrays, device)

    def test_gradients_outside(self, device: Device) -> None:
        """Gradients are finite at points outside of the support and at its ends."""
        for points in (self.outside, self.inside):
            parameters = {name: Variable(device.send(p)) for name, p in self._parameters().items()}
            logs = self._of(parameters).log_prob(device.send(self._points(points)))
            logs.sum().backward()
            gradients = [p.grad for p in parameters.values() if p.grad is not None]
            assert all(np.isfinite(to_host(g)).all() for g in gradients)

    # --- draws -----------------------------------------------------------------------------------------------------

    def test_shapes_of_draws(self, device: Device) -> None:
        """The shape of draws is ``sample_shape + batch_shape + event_shape``."""
        distribution = self._make(device)
        one = distribution.batch_shape + distribution.event_shape
        for shape in ((), (4,), (2, 3), (0,)):
            assert distribution.sample(shape).shape == shape + one
        assert distribution.sample(4).shape == distribution.sample_n(4).shape == (4, *one)

    def test_draws(self, device: Device) -> None:
        """Draws have the reference's distribution."""
        random.seed(7)
        distribution = self._make(device)
        draws = to_host(distribution.sample(self.draws)).astype("float64")
        if distribution.event_shape:
            self._assert_vectors_like(draws)
        else:
            self._assert_numbers_like(draws)

    def test_draws_are_of_the_support(self, device: Device) -> None:
        """Draws have a positive probability, also in single precision."""
        random.seed(8)
        distribution = self._make(device, "float32")
        assert np.isfinite(to_host(distribution.log_prob(distribution.sample(100)))).all()

    def test_seed(self, device: Device) -> None:
        """The seed determines the draws."""
        draws = []
        for seed in (1, 1, 2):
            random.seed(seed)
            draws.append(to_host(self._make(device).sample(10)))
        np.testing.assert_array_equal(draws[0], draws[1])
        assert (draws[0] != draws[2]).any()

    def test_gradient_of_draws(self, device: Device) -> None:
        """Draws have gradients with respect to the parameters, or are constants."""

        def call(*values: Variable) -> Variable:
            random.seed(3)
            return self._of(dict(zip(self.parameters, values, strict=True))).sample(4)  # type: ignore[no-any-return]

        arrays = [device.send(p) for p in self._parameters().values()]
        if self.reparametrised:
            self._check(call, arrays, device)
        else:
            assert not call(*[Variable(x) for x in arrays]).requires_grad

    # --- divergence ------------------------------------------------------------------------------------------------

    def test_divergence(self, device: Device) -> None:
        """The divergence to another distribution equals the integral; the divergence to itself is 0."""
        if self.other is None:
            pytest.skip("tested elsewhere")
        given = {name: self._host(p) for name, p in self.other.items()}
        one, two = self._make(device), self._of({name: device.send(p) for name, p in given.items()})
        expected = self.divergence(self._parameters(), given)
        np.testing.assert_allclose(to_host(type(self).kl_divergence(one, two)), expected, 1e-6, 1e-8)
        np.testing.assert_allclose(to_host(type(self).kl_divergence(one, one)), np.zeros(one.batch_shape), 0, 1e-12)

    def test_gradient_of_divergence(self, device: Device) -> None:
        """Gradients with respect to all parameters equal numerical derivatives."""
        if self.other is None:
            pytest.skip("tested elsewhere")
        arrays = [device.send(self._host(p)) for p in (*self.parameters.values(), *self.other.values())]
        count = len(self.parameters)

        def call(*values: Variable) -> Variable:
            one, two = (self._of(dict(zip(self.parameters, v, strict=True))) for v in (values[:count], values[count:]))
            return type(self).kl_divergence(one, two)

        self._check(call, arrays, device)

    def test_bad_input(self, device: Device, bad_input: str) -> None:
        """Invalid parameters raise an error that names the problem."""
        self._assert_refused(device, bad_input, lambda *values: type(self).distribution(*values))

    # --- helpers ------------------------------------------------------------------------------------------

    @staticmethod
    def _host(values: Any) -> Host:
        host: Host = np.asarray(values, np.float64)
        return host

    def _parameters(self) -> dict[str, Host]:
        return {name: self._host(p) for name, p in self.parameters.items()}

    def _of(self, parameters: Mapping[str, Any]) -> Any:
        return type(self).distribution(**parameters)

    def _make(self, device: Device, dtype: str = "float64") -> Any:
        return self._of({name: device.send(p.astype(dtype)) for name, p in self._parameters().items()})

    def _member(self, member: str, values: tuple[Variable, ...]) -> Variable:
        found: Variable = getattr(self._of(dict(zip(self.parameters, values, strict=True))), member)
        return found

    def _points(self, x: Any) -> Host:
        """Add a first axis for points, in a shape that broadcasts with the batch; unchanged if there is one."""
        host = self._host(x)
        batch = max(p.ndim for p in self._parameters().values()) - self.event_ndim
        plain = host.ndim == 1 + self.event_ndim
        return np.reshape(host, (len(host), *[1] * batch, *host.shape[1:])) if plain else host

    def _reference_log_prob(self, x: Any) -> Host:
        reference = self.reference(**self._parameters())
        with np.errstate(divide="ignore"):  # SciPy's
            return np.asarray((reference.logpmf if self.discrete else reference.logpdf)(self._points(x)))

    def _reference_moment(self, member: str) -> Host:
        if member in self.unlike:
            return np.asarray(self.unlike[member](**self._parameters()))
        return np.asarray(getattr(self.reference(**self._parameters()), MOMENTS[member])())

    def _close(self, y: Any, expected: Any) -> None:
        host = to_host(as_array(y))
        np.testing.assert_allclose(host, np.broadcast_to(expected, host.shape), 1e-9, 1e-11)

    def _check(self, call: Callable[..., Variable], arrays: list[Array], device: Device, twice: bool = False) -> None:
        y = call(*[Variable(x) for x in arrays])
        gy = device.send(np.random.default_rng(0).uniform(0.5, 1, y.shape))
        check_backward(call, arrays, gy, eps=1e-6, atol=1e-6, rtol=1e-6)
        if twice:
            ggxs = [device.send(np.random.default_rng(1).uniform(0.5, 1, x.shape)) for x in arrays]
            check_double_backward(call, arrays, gy, ggxs, eps=1e-6, atol=1e-5, rtol=1e-5)

    def _assert_numbers_like(self, draws: Host) -> None:
        """Kolmogorov-Smirnov test, or chi-squared test, with a false alarm rate of 1 in 10000."""
        stats = pytest.importorskip("scipy.stats")
        reference = self.reference(**self._parameters())
        batch = draws.shape[1:]
        if not self.discrete:
            levels = np.asarray(reference.cdf(draws))
            for i in np.ndindex(batch):
                assert stats.kstest(levels[:, *i], "uniform").pvalue > 1e-4
            return
        highest = int(draws.max())
        numbers = np.arange(highest + 1.0).reshape(-1, *[1] * len(batch))
        probabilities = np.broadcast_to(reference.pmf(numbers), (highest + 1, *batch))
        for i in np.ndindex(batch):
            counts = np.bincount(draws[:, *i].astype("int64"), minlength=highest + 1)
            expected = probabilities[:, *i] * self.draws
            common = expected >= 5
            observed = np.append(counts[common], counts[~common].sum())
            likely = np.append(expected[common], self.draws - expected[common].sum())
            statistic = ((observed - likely) ** 2 / np.maximum(likely, 1.0)).sum()
            assert stats.chi2(max(1, common.sum() - (likely[-1] < 1))).sf(statistic) > 1e-4

    def _assert_vectors_like(self, draws: Host) -> None:
        """Means and covariances are within five standard errors."""
        mean, cov = self._reference_moment("mean"), self._reference_moment("covariance")
        variance = np.diagonal(cov, axis1=-2, axis2=-1)
        assert (abs(draws.mean(0) - mean) <= 5 * np.sqrt(variance / self.draws)).all()
        away = draws - mean
        found = (away[..., :, None] * away[..., None, :]).mean(0)
        error = np.sqrt((variance[..., :, None] * variance[..., None, :] + cov * cov) / self.draws)
        assert (abs(found - cov) <= 5 * error + 1e-12).all()
