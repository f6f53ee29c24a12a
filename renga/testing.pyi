# Written by `renga stubs`: the names of a lazy module, and where each comes from.

from renga_testing import assert_allclose as assert_allclose
from renga_testing.cases import BackendConfig as BackendConfig
from renga_testing.cases import FunctionTestCase as FunctionTestCase
from renga_testing.cases import FunctionTestError as FunctionTestError
from renga_testing.cases import InitializerArgument as InitializerArgument
from renga_testing.cases import LinkInitializersTestCase as LinkInitializersTestCase
from renga_testing.cases import LinkTestCase as LinkTestCase
from renga_testing.cases import LinkTestError as LinkTestError
from renga_testing.cases import assert_warns as assert_warns
from renga_testing.cases import distribution_unittest as distribution_unittest
from renga_testing.cases import fix_random as fix_random
from renga_testing.cases import from_pytest_parameterize as from_pytest_parameterize
from renga_testing.cases import generate_matrix as generate_matrix
from renga_testing.cases import generate_seed as generate_seed
from renga_testing.cases import inject_backend_tests as inject_backend_tests
from renga_testing.cases import parameterize as parameterize
from renga_testing.cases import parameterize_pytest as parameterize_pytest
from renga_testing.cases import patch as patch
from renga_testing.cases import product as product
from renga_testing.cases import product_dict as product_dict
from renga_testing.cases import run_module as run_module
from renga_testing.cases import save_and_load as save_and_load
from renga_testing.cases import save_and_load_hdf5 as save_and_load_hdf5
from renga_testing.cases import save_and_load_npz as save_and_load_npz
from renga_testing.cases import unary_math_function_unittest as unary_math_function_unittest
from renga_testing.cases import with_requires as with_requires
from renga_testing.cases import without_requires as without_requires
from renga_training.mock_updater import get_trainer_with_mock_updater as get_trainer_with_mock_updater

__all__ = [
    "BackendConfig",
    "FunctionTestCase",
    "FunctionTestError",
    "InitializerArgument",
    "LinkInitializersTestCase",
    "LinkTestCase",
    "LinkTestError",
    "assert_allclose",
    "assert_warns",
    "distribution_unittest",
    "fix_random",
    "from_pytest_parameterize",
    "generate_matrix",
    "generate_seed",
    "get_trainer_with_mock_updater",
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
