"""Test cases in Chainer's style, based on `unittest.TestCase`; `renga.testing` exports them.

For new tests, `FunctionSuite` and `LinkSuite` are shorter and check more; these are for tests written for Chainer.

- `parameters`: `parameterize` and its relatives: one class, many settings.
- `backend_config`: `BackendConfig`, `inject_backend_tests`: one test, many devices.
- `randomness`: `fix_random`, `generate_seed`.
- `function_case`: `FunctionTestCase`. `link_case`: `LinkTestCase`, `LinkInitializersTestCase`. `comparing`: their
  common base, and their errors.
- `unary`: `unary_math_function_unittest`. `distribution_case`: `distribution_unittest`.
- `matrices`: `generate_matrix`. `requirements`: `with_requires`, `without_requires`. `helpers`: smaller utilities.
"""

from renga_testing.cases.backend_config import BackendConfig, inject_backend_tests
from renga_testing.cases.comparing import FunctionTestError, LinkTestError
from renga_testing.cases.distribution_case import distribution_unittest
from renga_testing.cases.function_case import FunctionTestCase
from renga_testing.cases.helpers import (
    assert_warns,
    patch,
    run_module,
    save_and_load,
    save_and_load_hdf5,
    save_and_load_npz,
)
from renga_testing.cases.link_case import InitializerArgument, LinkInitializersTestCase, LinkTestCase
from renga_testing.cases.matrices import generate_matrix
from renga_testing.cases.parameters import (
    from_pytest_parameterize,
    parameterize,
    parameterize_pytest,
    product,
    product_dict,
)
from renga_testing.cases.randomness import fix_random, generate_seed
from renga_testing.cases.requirements import with_requires, without_requires
from renga_testing.cases.unary import unary_math_function_unittest

__all__ = [
    "BackendConfig",
    "FunctionTestCase",
    "FunctionTestError",
    "InitializerArgument",
    "LinkInitializersTestCase",
    "LinkTestCase",
    "LinkTestError",
    "assert_warns",
    "distribution_unittest",
    "fix_random",
    "from_pytest_parameterize",
    "generate_matrix",
    "generate_seed",
    "inject_backend_tests",
    "parameterize",
    "parameterize_pytest",
    "patch",
    "product",
    "product_dict",
    "run_module",
    "save_and_load",
    "save_and_load_hdf5",
    "save_and_load_npz",
    "unary_math_function_unittest",
    "with_requires",
    "without_requires",
]
