"""Helpers for tests: `renga_testing.cases`, and `assert_allclose` for arrays of any backend.

`renga_testing.function_suite` and `link_suite` check more with less code.
"""

from renga.view import view

# Test tools are not a plugin: they cannot be disabled or replaced, and only tests import them.
__getattr__, __dir__ = view(
    __name__,
    {
        "renga_testing": "assert_allclose",
        "renga_testing.cases": (
            "BackendConfig FunctionTestCase FunctionTestError InitializerArgument LinkInitializersTestCase "
            "LinkTestCase LinkTestError assert_warns distribution_unittest fix_random from_pytest_parameterize "
            "generate_matrix generate_seed inject_backend_tests parameterize parameterize_pytest patch product "
            "product_dict run_module save_and_load save_and_load_hdf5 save_and_load_npz "
            "unary_math_function_unittest with_requires without_requires"
        ),
    },
)
