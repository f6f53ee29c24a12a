import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from renga_core import random
from renga_core.backend import get_backend, to_host
from renga_nn.utils import WalkerAlias
from renga_nn.utils.walker_alias import _table
from renga_testing.function_suite import ready_backends

weights = st.lists(st.one_of(st.just(0.0), st.floats(1e-6, 1e6)), min_size=1, max_size=40).filter(any)


@given(weights)
def test_the_columns_hold_what_the_weights_say(given_weights):
    heights = np.array(given_weights) * (len(given_weights) / sum(given_weights))
    threshold, alias = _table(heights)
    held = threshold.copy()
    np.add.at(held, alias, 1 - threshold)
    assert ((threshold >= 0) & (threshold <= 1)).all()
    np.testing.assert_allclose(held, heights, atol=1e-9)


def test_a_number_of_weight_zero_is_never_drawn():
    random.seed(0)
    samples = WalkerAlias([0, 1, 0, 2, 0]).sample((10_000,))
    assert set(samples.tolist()) == {1, 3}


@pytest.mark.parametrize("name", ready_backends())
def test_samples(name):
    """Shares within four standard deviations of what they should be, on the device, the same from the same seed."""
    weights = np.array([5.0, 1, 0.5, 3, 0.5])
    sampler = WalkerAlias(weights)
    assert sampler.to_device(name) is sampler
    random.seed(1)
    samples = sampler.sample((200, 100))
    assert get_backend(samples) is get_backend(name)
    assert samples.shape == (200, 100)
    p = weights / weights.sum()
    shares = np.bincount(to_host(samples).ravel(), minlength=5) / 20_000
    assert (abs(shares - p) < 4 * np.sqrt(p * (1 - p) / 20_000)).all()
    random.seed(1)
    np.testing.assert_array_equal(to_host(sampler.sample((200, 100))), to_host(samples))


@pytest.mark.parametrize("weights", [[], [0, 0], [1, -1], [np.nan], [np.inf, 1], [[1, 2]]])
def test_what_are_no_weights(weights):
    with pytest.raises(ValueError, match="WalkerAlias: probs must be"):
        WalkerAlias(weights)
