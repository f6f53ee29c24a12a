"""`ArrayBackendSuite`: the kit of array backends. How to write one: docs/how-to/write-a-backend.md.

- `transfers`: devices, and the ways to the host and back.
- `names`: each name of the array subset, on plain values.
- `values`: NaN, infinity, ties, precision, large arrays, dtypes.
- `memory`: what shares memory with what, what operators change in place, errors.
- `random_numbers`, `primitives`: what backends have beside their namespace.
- `base`: what these parts share.
"""

from renga_testing.suites.array_backend.memory import Memory
from renga_testing.suites.array_backend.names import Names
from renga_testing.suites.array_backend.primitives import Primitives
from renga_testing.suites.array_backend.random_numbers import RandomNumbers
from renga_testing.suites.array_backend.transfers import Transfers
from renga_testing.suites.array_backend.values import Values

__all__ = ["ArrayBackendSuite"]


class ArrayBackendSuite(Transfers, Names, Values, Memory, RandomNumbers, Primitives):
    """Tests of an array backend.

    Attributes:
        tolerances: How far results may be from NumPy's, absolutely and relatively, by dtype.
    """
