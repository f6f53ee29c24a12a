"""Array backends that change what belongs to the whole program, or that declare too much."""

import numpy as np

from .right import Right


class Boastful(Right):
    """it declares a capability that there is not"""

    declares = {"teleportation"}
    breaks = "test_declared_capabilities_are_tested"


class SeedsGlobally(Right):
    """it seeds NumPy's global generator, and draws from it"""

    breaks = "test_seeded_random_numbers"

    def make_generator(self, seed):
        np.random.seed(seed % 2**32)
        return super().make_generator(seed)


class SilencesNumpy(Right):
    """to compute at peace it switches off NumPy's warnings for good"""

    breaks = "test_empty_reductions"

    def asarray(self, value, index=0):
        np.seterr(all="ignore")
        return super().asarray(value)
