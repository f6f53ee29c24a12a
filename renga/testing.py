"""Helpers for tests: `renga_testing.cases`, and `assert_allclose` for arrays of any backend.

What checks more in fewer lines is `renga_testing.function_suite` and `link_suite`.
"""

from renga_testing import assert_allclose
from renga_testing.cases import *
from renga_testing.cases import __all__ as _cases
from renga_training.mock_updater import get_trainer_with_mock_updater

__all__ = [*_cases, "assert_allclose", "get_trainer_with_mock_updater"]
