"""Test kits for parts of Renga and for plugins of third parties. Imports `renga_core` only.

Only tests and `renga check` import this package. A plugin kind names its kit by a string
(`renga_core.plugin.Kind.suite`), which is imported when the kit runs.

Reading guide
-------------
- `suites`: the conformance kits, one per plugin kind: ``class TestMine(OptimizerSuite): provider = "mine"``, or
  ``renga check optimizer:mine``. Needs pytest, so it is imported by that path only.
- `gradient_check`: `check_backward` and `check_double_backward` compare gradients with numerical
  derivatives; `assert_allclose` compares arrays of any backend.
- `fake_distribution`: `write_distribution` creates a plugin as if pip had installed it.
- `function_suite`: `FunctionSuite`, a pytest class to subclass. Three methods describe a function; the suite tests it
  in every way, on every available backend. Needs pytest, so it is imported by that path only.
- `link_suite`: `LinkSuite`, the same for links. `distribution_suite`: `DistributionSuite`, for distributions, compared
  with SciPy. `every_backend`: their common base.
- `cases`: test cases in Chainer's style, based on `unittest.TestCase`, which `renga.testing` exports.
- `memory_layout`: arrays with gaps in memory.
"""

from renga_testing.gradient_check import (
    NondifferentiableError,
    assert_allclose,
    check_backward,
    check_double_backward,
    numerical_grad,
)

__all__ = [
    "NondifferentiableError",
    "assert_allclose",
    "check_backward",
    "check_double_backward",
    "numerical_grad",
]
