import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from renga_core import random
from renga_core.backend import to_host
from renga_core.link import Link
from renga_optimizers import SGD
from renga_optimizers.hooks import (
    GradientClipping,
    GradientHardClipping,
    GradientLARS,
    GradientNoise,
    Lasso,
    WeightDecay,
    __all__,
    exponential_decay_noise,
)

ALL = [
    GradientClipping(1.0),
    GradientHardClipping(-1.0, 1.0),
    GradientLARS(),
    GradientNoise(1.0),
    Lasso(0.1),
    WeightDecay(0.1),
]
vectors = arrays(np.float64, 4, elements=st.integers(-40, 40).map(lambda n: n / 8))


def test_none_is_forgotten():
    assert {type(hook).__name__ for hook in ALL} == set(__all__) - {exponential_decay_noise.__name__}


@pytest.fixture
def given_one(device):
    """A link with a parameter on the backend under test, its gradient, and its optimizer, with a hook or without."""

    def make(value, grad, hook=None, dtype=np.float64):
        link = Link(W=(np.shape(value), dtype))
        link.W.array = device.send(np.array(value, dtype))
        link.W.grad = device.send(np.array(grad, dtype))
        optimizer = SGD(lr=0.0)
        optimizer.use_fp32_update()
        optimizer.setup(link)
        if hook is not None:
            optimizer.add_hook(hook)
        return link.W, optimizer

    return make


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("hook", ALL, ids=lambda hook: hook.name)
class TestAll:
    @pytest.fixture(autouse=True)
    def half_precision(self, dtype, request):
        if dtype is np.float16:
            request.getfixturevalue("needs_half")

    def test_missing_gradients_stay_missing(self, hook, dtype, hooked):
        result = hooked(hook, dtype, W=([1.0, 2.0], [3.0, 4.0]), missing=([1.0], None))
        assert result.missing is None
        assert result.W.dtype == dtype
        assert (result.W != [3, 4]).any()

    def test_parameters_without_shape(self, hook, dtype, device):
        link = Link(W=(None, dtype))
        optimizer = SGD().setup(link)
        optimizer.add_hook(hook)
        optimizer.update()
        assert not link.W.is_initialized

    def test_gradients_of_float32_updates(self, hook, dtype, given_one):
        param, optimizer = given_one([1, 1], [2, 2], hook, dtype)
        optimizer.update()
        assert param.grad.dtype == max(np.dtype(dtype), np.dtype(np.float32))
        assert param.dtype == dtype


def test_weight_decay_and_lasso(given_one):
    @given(vectors, vectors, st.floats(0, 1))
    def check(w, g, rate):
        for hook, expected in ((WeightDecay(rate), g + rate * w), (Lasso(rate), g + rate * np.sign(w))):
            param, _ = given_one(w, g)
            hook(None, param)
            np.testing.assert_allclose(to_host(param.grad), expected, atol=1e-14)

    check()


def test_weight_decay_keeps_what_float16_would_lose(given_one, needs_half):
    param, optimizer = given_one([2.0**-4], [0], WeightDecay(2.0**-24), np.float16)
    optimizer.update()
    assert to_host(param.grad)[0] == 2.0**-28


class TestGradientClipping:
    def test_bounds_the_norm_of_all_together(self, device):
        @given(vectors, vectors, st.floats(0.1, 10))
        def check(a, b, threshold):
            link = Link(a=(4, np.float64), b=(4, np.float64))
            link.a.grad, link.b.grad = device.send(a.copy()), device.send(b.copy())
            optimizer = SGD().setup(link)
            optimizer.add_hook(GradientClipping(threshold))
            optimizer.call_hooks()
            both = np.concatenate([a, b])
            norm = np.linalg.norm(both)
            expected = both * (threshold / norm) if norm > threshold else both
            clipped = np.concatenate([to_host(link.a.grad), to_host(link.b.grad)])
            np.testing.assert_allclose(clipped, expected, atol=1e-12)

        check()

    def test_small_gradients_are_left_as_they_are(self, hooked):
        assert hooked(GradientClipping(5.0), W=([0.0, 0.0], [3.0, 4.0])).W.tolist() == [3, 4]

    def test_half_precision_does_not_overflow(self, hooked, needs_half):
        grad = hooked(GradientClipping(1.0), np.float16, W=(np.zeros(4), np.full(4, 30000.0))).W
        np.testing.assert_allclose(grad, 0.5, rtol=1e-3)

    def test_no_gradients_at_all(self, hooked):
        assert hooked(GradientClipping(1.0), W=([1.0], None)).W is None

    def test_not_a_number_stays_visible(self, hooked):
        assert np.isnan(hooked(GradientClipping(1.0), W=([0.0, 0.0], [np.nan, 4.0])).W[0])


class TestGradientHardClipping:
    def test_bounds_each_element(self, given_one):
        @given(vectors)
        def check(g):
            param, _ = given_one(np.zeros(4), g)
            GradientHardClipping(-1.0, 2.0)(None, param)
            assert to_host(param.grad).tolist() == [min(max(x, -1.0), 2.0) for x in g]

        check()

    def test_bounds_the_wrong_way_round(self):
        with pytest.raises(ValueError, match=r"lower_bound=1.0 is above upper_bound=-1.0"):
            GradientHardClipping(1.0, -1.0)


class TestGradientLARS:
    def test_scales_each_parameter_by_itself(self, hooked):
        hook = GradientLARS(threshold=0.1, weight_decay=0.5, eps=0.0)
        result = hooked(hook, a=([3.0, 4.0], [0.0, 2.0]), b=([6.0, 8.0], [1.0, 0.0]))
        # ‖a‖ = 5, ‖g‖ = 2: λ = 0.1·5 / (2 + 0.5·5)
        np.testing.assert_allclose(result.a, 0.5 / 4.5 * np.array([1.5, 4.0]))
        np.testing.assert_allclose(result.b, 1.0 / 6.0 * np.array([4.0, 4.0]))

    def test_small_parameters_are_not_scaled(self, hooked):
        hook = GradientLARS(threshold=10.0, weight_decay=0.5)
        np.testing.assert_allclose(hooked(hook, W=([3.0, 4.0], [0.0, 2.0])).W, [1.5, 4.0])


class TestGradientNoise:
    def test_has_the_variance_of_the_paper_and_decays(self, device):
        link = Link(W=(100_000, np.float64))
        optimizer = SGD().setup(link)
        optimizer.add_hook(GradientNoise(eta=0.3))
        random.seed(0)
        for t in range(3):
            link.W.grad = device.send(np.zeros(100_000))
            optimizer.update()
            noise = to_host(link.W.grad)
            assert noise.std() == pytest.approx((0.3 / (1 + t) ** 0.55) ** 0.5, rel=0.01)
            assert noise.mean() == pytest.approx(0, abs=0.01)

    def test_is_drawn_from_the_seed(self, hooked):
        random.seed(3)
        one = hooked(GradientNoise(1.0), W=([0.0, 0.0], [0.0, 0.0])).W
        random.seed(3)
        two = hooked(GradientNoise(1.0), W=([0.0, 0.0], [0.0, 0.0])).W
        assert one.tolist() == two.tolist()

    def test_another_noise(self, hooked):
        def noise(xp, shape, dtype, hook, opt):
            return xp.full(shape, hook.eta + opt.t, dtype)

        assert hooked(GradientNoise(2.0, noise), W=([0.0, 0.0], [1.0, 1.0])).W.tolist() == [3, 3]


@pytest.mark.parametrize("threshold", [-1.0, float("nan")])
def test_a_threshold_that_is_no_norm_is_refused(threshold):
    with pytest.raises(ValueError, match="threshold must be at least 0, not"):
        GradientClipping(threshold)
