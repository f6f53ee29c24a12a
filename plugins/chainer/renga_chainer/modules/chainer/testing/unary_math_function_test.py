"""``chainer.testing.unary_math_function_test``: Renga's, with Chainer's mark for tests that need a GPU."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from renga_chainer.modules.chainer.testing import attr
from renga_testing.cases import unary_math_function_unittest as rengas

__all__ = ["unary_math_function_unittest"]


def unary_math_function_unittest(*args: Any, **kwargs: Any) -> Callable[[Any], Any]:
    """Add tests of a function of one array to a `unittest.TestCase`. The arguments are those of `renga.testing`."""
    decorate = rengas(*args, **kwargs)

    def marked(case: Any) -> Any:
        made = decorate(case)
        for name in [name for name in dir(case) if name.startswith("test_") and name.endswith("_gpu")]:
            setattr(case, name, attr.gpu(getattr(case, name)))
        return made

    return marked
