import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from renga_core import random
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


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("hook", ALL, ids=lambda hook: hook.name)
class TestAll:
    def test_missing_gradients_stay_missing(self, hook, dtype, hooked):
        result = hooked(hook, dtype, W=([1.0, 2.0], [3.0, 4.0]), missing=([1.0], None))
        assert result.missing is None
        assert result.W.dtype == dtype
        assert (result.W != [3, 4]).any()

    def test_parameters_without_shape(self, hook, dtype):
        link = Link(W=(None, dtype))
        optimizer = SGD().setup(link)
        optimizer.add_hook(hook)
        optimizer.update()
        assert not link.W.is_initialized

    def test_gradients_of_float32_updates(self, hook, dtype):
        link = Link(W=(2, dtype))
        link.W.array[...] = 1
        optimizer = SGD()
        optimizer.use_fp32_update()
        optimizer.setup(link).add_hook(hook)
        link.W.grad = np.full(2, 2, dtype)
        optimizer.update()
        assert link.W.grad.dtype == max(np.dtype(dtype), np.dtype(np.float32))
        assert link.W.array.dtype == dtype


@given(vectors, vectors, st.floats(0, 1))
def test_weight_decay_and_lasso(w, g, rate):
    for hook, expected in ((WeightDecay(rate), g + rate * w), (Lasso(rate), g + rate * np.sign(w))):
        link = Link(W=(4, np.float64))
        link.W.array[...] = w
        link.W.grad = g.copy()
        hook(None, link.W)
        np.testing.assert_allclose(link.W.grad, expected, atol=1e-14)


def test_weight_decay_keeps_what_float16_would_lose(hooked):
    link = Link(W=(1, np.float16))
    link.W.array[...] = 2.0**-4
    optimizer = SGD(lr=0.0)
    optimizer.use_fp32_update()
    optimizer.setup(link).add_hook(WeightDecay(2.0**-24))
    link.W.grad = np.zeros(1, np.float16)
    optimizer.update()
    assert link.W.grad[0] == 2.0**-28


class TestGradientClipping:
    @given(vectors, vectors, st.floats(0.1, 10))
    def test_bounds_the_norm_of_all_together(self, a, b, threshold):
        link = Link(a=(4, np.float64), b=(4, np.float64))
        link.a.grad, link.b.grad = a.copy(), b.copy()
        optimizer = SGD().setup(link)
        optimizer.add_hook(GradientClipping(threshold))
        optimizer.call_hooks()
        both = np.concatenate([a, b])
        norm = np.linalg.norm(both)
        expected = both * (threshold / norm) if norm > threshold else both
        np.testing.assert_allclose(np.concatenate([link.a.grad, link.b.grad]), expected, atol=1e-12)

    def test_small_gradients_are_left_as_they_are(self, hooked):
        assert hooked(GradientClipping(5.0), W=([0.0, 0.0], [3.0, 4.0])).W.tolist() == [3, 4]

    def test_half_precision_does_not_overflow(self, hooked):
        grad = hooked(GradientClipping(1.0), np.float16, W=(np.zeros(4), np.full(4, 30000.0))).W
        np.testing.assert_allclose(grad, 0.5, rtol=1e-3)

    def test_no_gradients_at_all(self, hooked):
        assert hooked(GradientClipping(1.0), W=([1.0], None)).W is None

    def test_not_a_number_stays_visible(self, hooked):
        assert np.isnan(hooked(GradientClipping(1.0), W=([0.0, 0.0], [np.nan, 4.0])).W[0])


class TestGradientHardClipping:
    @given(vectors)
    def test_bounds_each_element(self, g):
        link = Link(W=(4, np.float64))
        link.W.grad = g.copy()
        GradientHardClipping(-1.0, 2.0)(None, link.W)
        assert link.W.grad.tolist() == [min(max(x, -1.0), 2.0) for x in g]

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
    def test_has_the_variance_of_the_paper_and_decays(self):
        link = Link(W=(100_000, np.float64))
        optimizer = SGD().setup(link)
        optimizer.add_hook(GradientNoise(eta=0.3))
        random.seed(0)
        for t in range(3):
            link.W.grad = np.zeros(100_000)
            optimizer.update()
            assert link.W.grad.std() == pytest.approx((0.3 / (1 + t) ** 0.55) ** 0.5, rel=0.01)
            assert link.W.grad.mean() == pytest.approx(0, abs=0.01)

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
