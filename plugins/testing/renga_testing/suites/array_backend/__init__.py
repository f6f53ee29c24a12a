"""`ArrayBackendSuite`: the kit of array backends. How to write one: docs/how-to/write-a-backend.md.

- `transfers`: devices, and copies to the host and back.
- `names`: each name of the array subset, on ordinary values.
- `values`: NaN, infinity, ties, precision, large arrays, dtypes.
- `memory`: shared memory, in-place operators, errors.
- `random_numbers`, `primitives`: methods of backends besides the namespace.
- `base`: the common base class.
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
        tolerances: Absolute and relative tolerance of results against NumPy's, by dtype.
    """
