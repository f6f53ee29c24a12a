"""Helpers for tests: `renga_core.testing.cases`, and `assert_allclose` for arrays of any backend.

What checks more in fewer lines is `renga_core.testing.function_suite` and `link_suite`.
"""

from renga_core.testing import assert_allclose
from renga_core.testing.cases import *
from renga_core.testing.cases import __all__ as _cases
from renga_training.mock_updater import get_trainer_with_mock_updater

__all__ = [*_cases, "assert_allclose", "get_trainer_with_mock_updater"]
