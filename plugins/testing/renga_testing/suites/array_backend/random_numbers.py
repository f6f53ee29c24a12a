"""Random generators."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np

from renga_core.backend import Backend
from renga_testing.suites.array_backend.base import BackendTests, Host

__all__ = ["RandomNumbers"]

SEEDS = (
    *range(33),
    64,
    100,
    256,
    1000,
    2**16,
    2**31 - 1,
    2**31,
    2**32 - 1,
    2**32,
    2**53,
    2**53 + 1,
    2**63 + 1,
    2**63 + 3,
)
"""Seeds that must all give different numbers, even if some of their bits are equal."""


class RandomNumbers(BackendTests):
    """Tests of random numbers."""

    # --- random numbers ----------------------------------------------------------------------------------------------

    def test_seeded_random_numbers(self, backend: Backend) -> None:
        """The same seed gives the same numbers; another seed gives different ones."""
        one, same, other = (_draw(backend, backend.make_generator(seed)) for seed in (3, 3, 4))
        for name in one:
            assert np.array_equal(one[name], same[name]), f"generator.{name} differs between two generators of one seed"
            assert not np.array_equal(one[name], other[name]), f"generator.{name} does not depend on the seed"

    def test_random_numbers(self, backend: Backend, dtype: str) -> None:
        """Random numbers have the requested shape, dtype and distribution."""
        generator = backend.make_generator(0)
        if dtype != "float16":  # NumPy's generators draw in single and double precision only
            x = generator.random((40, 50), dtype=dtype)
            assert isinstance(x, backend.array_types), f"generator.random returned {type(x)}"
            host = backend.to_host(x)
            assert (host.shape, str(host.dtype)) == ((40, 50), dtype), f"random gave {host.dtype} {host.shape}"
            _expect_moments(host, 0.5, math.sqrt(1 / 12), "random")
            assert 0 <= host.min() <= host.max() <= 1, "random is not between 0 and 1"
        for name, x, mean, deviation in (
            ("uniform", generator.uniform(-1.0, 3.0, (2000,)), 1.0, 4 * math.sqrt(1 / 12)),
            ("normal", generator.normal(2.0, 0.5, (2000,)), 2.0, 0.5),
            ("standard_normal", generator.standard_normal((2000,)), 0.0, 1.0),
        ):
            host = backend.to_host(x)
            assert host.shape == (2000,), f"generator.{name} of size (2000,) has shape {host.shape}"
            _expect_moments(host, mean, deviation, name)
        whole = backend.to_host(generator.integers(0, 5, (2000,)))
        assert set(whole.tolist()) == {0, 1, 2, 3, 4}, f"integers(0, 5) gave the values {sorted(set(whole.tolist()))}"
        order = backend.to_host(generator.permutation(50)).tolist()
        assert sorted(order) == list(range(50)), "permutation(50) is not a permutation of 0 to 49"
        assert order != list(range(50)), "permutation(50) changes nothing"

    def test_random_state(self, backend: Backend) -> None:
        """A generator with the state of another one, restored from JSON, draws the same numbers."""
        generator = backend.make_generator(0)
        _draw(backend, generator)
        state = json.loads(json.dumps(backend.generator_state(generator)))
        right = _draw(backend, generator)
        resumed = backend.make_generator(1)
        backend.set_generator_state(resumed, state)
        for name, value in _draw(backend, resumed).items():
            assert np.array_equal(value, right[name]), f"generator.{name} differs after its state was restored"

    def test_generators_are_independent(self, backend: Backend) -> None:
        """Generators are independent of each other, and all 64-bit seeds give different numbers."""
        right = _draw(backend, backend.make_generator(5))
        one, other = backend.make_generator(5), backend.make_generator(6)
        other.normal(0.0, 1.0, (100,))
        for name, value in _draw(backend, one).items():
            assert np.array_equal(value, right[name]), f"generator.{name} depends on what another generator has drawn"
        drawn: dict[bytes, int] = {}
        for seed in SEEDS:
            numbers = np.array(backend.to_host(backend.make_generator(seed).normal(0.0, 1.0, (4,)))).tobytes()
            assert numbers not in drawn, f"the seeds {drawn[numbers]} and {seed} give the same numbers"
            drawn[numbers] = seed

    def test_random_state_is_a_copy(self, backend: Backend) -> None:
        """A saved state does not change while its generator draws, and can be restored several times."""
        generator = backend.make_generator(0)
        state = backend.generator_state(generator)
        before = json.dumps(state, sort_keys=True)
        right = _draw(backend, generator)
        assert json.dumps(state, sort_keys=True) == before, "a saved state changes while its generator draws"
        for time in ("first", "second"):
            backend.set_generator_state(generator, state)
            for name, value in _draw(backend, generator).items():
                assert np.array_equal(value, right[name]), f"generator.{name} differs when restored for the {time} time"

    def test_random_shapes(self, backend: Backend) -> None:
        """Sizes may be numbers or tuples, and 0; `permutation` does not change its argument."""
        generator = backend.make_generator(0)
        for size, shape in ((3, (3,)), ((2, 0), (2, 0)), ((), ())):
            found = np.shape(backend.to_host(backend.asarray(generator.normal(0.0, 1.0, size))))
            assert found == shape, f"normal of size {size!r} has shape {found}"
        many = backend.to_host(generator.random((200_000,), dtype="float32"))
        assert many.max() < 1.0, "random, in single precision, drew 1.0; values must be below 1"
        x = backend.asarray(np.arange(20))
        shuffled = backend.to_host(generator.permutation(x)).tolist()
        assert sorted(shuffled) == list(range(20)), f"the permutation of an array is {shuffled}"
        assert backend.to_host(x).tolist() == list(range(20)), "permutation changes its argument"


def _draw(backend: Backend, generator: Any) -> dict[str, Host]:
    drawn = {
        "random": generator.random((5,), dtype="float32"),
        "normal": generator.normal(0.0, 1.0, (3, 3)),
        "standard_normal": generator.standard_normal((5,)),
        "uniform": generator.uniform(0.0, 1.0, (5,)),
        "integers": generator.integers(0, 1000, (8,)),
        "permutation": generator.permutation(20),
    }
    return {name: np.array(backend.to_host(x)) for name, x in drawn.items()}


def _expect_moments(x: Host, mean: float, deviation: float, name: str) -> None:
    """Mean and standard deviation of 2000 numbers are within six standard errors."""
    margin = 6 * deviation / math.sqrt(x.size)
    got = float(x.mean(dtype=np.float64)), float(x.std(dtype=np.float64))
    assert abs(got[0] - mean) < margin, f"generator.{name} has mean {got[0]:.3f}; expected {mean:.3f}"
    assert abs(got[1] - deviation) < margin, f"generator.{name} has deviation {got[1]:.3f}; expected {deviation:.3f}"
