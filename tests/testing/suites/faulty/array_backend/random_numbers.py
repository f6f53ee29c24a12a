"""Array backends that are each wrong in one way, in random numbers."""

import time

import numpy as np

from .right import Namespace, Right


class Seedless(Right):
    """the seed is not heeded"""

    breaks = "test_seeded_random_numbers"

    def make_generator(self, seed):
        return super().make_generator(time.perf_counter_ns())


class VarianceForScale(Right):
    """normal takes the variance for the standard deviation"""

    breaks = "test_random_numbers"

    def make_generator(self, seed):
        generator = np.random.Generator(np.random.PCG64(seed))
        return Namespace(
            generator, self.own, {"normal": lambda loc, scale, size: generator.normal(loc, scale**2, size)}
        )


class Forgetful(Right):
    """the state of a generator is not restored"""

    breaks = "test_random_state"

    def set_generator_state(self, generator, state):
        pass


class OneGenerator(Right):
    """all generators are one, seeded anew by each"""

    breaks = "test_generators_are_independent"

    @classmethod
    def make_generator(cls, seed):
        cls.shared = getattr(cls, "shared", None) or np.random.Generator(np.random.PCG64(0))
        cls.shared.bit_generator.state = np.random.PCG64(seed).state
        return Namespace(cls.shared, cls.own)


class SeedsOf32Bits(Right):
    """of a seed, the lower half of what floating numbers keep counts"""

    breaks = "test_generators_are_independent"

    def make_generator(self, seed):
        return super().make_generator(int(float(seed)))


class LivingState(Right):
    """a state that was taken goes on with its generator"""

    breaks = "test_random_state_is_a_copy"

    def make_generator(self, seed):
        made = super().make_generator(seed)
        made.drawn = {}
        return made

    def generator_state(self, generator):
        generator.drawn.update(generator.source.bit_generator.state, count=0)
        state = generator.drawn
        plain = generator.source
        inner = plain.normal

        def normal(*args):
            state["count"] += 1
            return self.own(inner(*args))

        generator.replaced = {"normal": normal}
        return state

    def set_generator_state(self, generator, state):
        super().set_generator_state(generator, {key: value for key, value in state.items() if key != "count"})


class ShufflesInPlace(Right):
    """permutation shuffles the array that it is given"""

    breaks = "test_random_shapes"

    def make_generator(self, seed):
        generator = np.random.Generator(np.random.PCG64(seed))

        def permutation(x):
            if isinstance(x, int):
                return generator.permutation(x)
            generator.shuffle(x)
            return x

        return Namespace(generator, self.own, {"permutation": permutation})


class RoundsUp(Right):
    """random in single precision is rounded from double precision, and sometimes 1"""

    breaks = "test_random_shapes"

    def make_generator(self, seed):
        generator = np.random.Generator(np.random.PCG64(seed))

        def draw(size, dtype="float64"):
            return np.minimum(generator.random(size) * 1.0001, 1.0).astype(dtype)

        return Namespace(generator, self.own, {"random": draw})


class SeedsModuloFour(Right):
    """of a seed, the last two bits count"""

    breaks = "test_generators_are_independent"

    def make_generator(self, seed):
        return super().make_generator(seed % 4)


class SeedsOfOneWord(Right):
    """of a seed, the lower 32 bits count"""

    breaks = "test_generators_are_independent"

    def make_generator(self, seed):
        return super().make_generator(seed & 0xFFFFFFFF)
