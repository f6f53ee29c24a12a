"""Kits that test parts of Renga, in-tree ones and third parties' alike. Builds on `renga_core` only.

No program that runs imports this package: tests do, and `renga check`. A kind names its kit by a string
(`renga_core.plugin.Kind.suite`), which is imported when the kit is applied.

Reading guide
-------------
- `suites`: the conformance kits, one for each kind of plugin: ``class TestMine(OptimizerSuite): provider = "mine"``, or
  ``renga check optimizer:mine``. Needs pytest, so it is imported by that path only.
- `gradient_check`: is this gradient right? `check_backward` and `check_double_backward` compare with numerical
  derivatives; `assert_allclose` compares arrays of any backend.
- `fake_distribution`: `write_distribution` makes a plugin as if pip had installed it.
- `function_suite`: `FunctionSuite`, a pytest class to subclass: three methods describe a function, and it is tested in
  every way a function must work, on every backend that is ready. Needs pytest, so it is imported by that path only.
- `link_suite`: `LinkSuite`, the same for links. `distribution_suite`: `DistributionSuite`, for distributions,
  compared with those of SciPy. `every_backend`: what these share.
- `cases`: test cases in Chainer's style, on `unittest.TestCase`: what `renga.testing` offers.
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
