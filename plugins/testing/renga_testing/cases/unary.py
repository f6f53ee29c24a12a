"""A test case for an elementwise function of one array."""

from __future__ import annotations

import unittest
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from renga_core.backend import get_device
from renga_core.errors import RengaError
from renga_core.graph import Variable
from renga_testing.cases.parameters import Generated, parameterize, product
from renga_testing.gradient_check import assert_allclose, check_backward, check_double_backward

__all__ = ["unary_math_function_unittest"]

Host = np.ndarray[Any, Any]


def unary_math_function_unittest(
    func: Callable[..., Variable],
    func_expected: Callable[..., Any] | None = None,
    label_expected: str | None = None,
    make_data: Callable[[tuple[int, ...], Any], tuple[Host, Host, Host]] | None = None,
    is_linear: bool | None = None,
    forward_options: Mapping[str, Any] | None = None,
    backward_options: Mapping[str, Any] | None = None,
    double_backward_options: Mapping[str, Any] | None = None,
) -> Callable[[type[unittest.TestCase]], Generated]:
    """Add tests of an elementwise function of one array to a `unittest.TestCase`.

    They check outputs, first and second derivatives and the label, for the shapes ``(3, 2)`` and ``()`` and three
    dtypes, on NumPy and, if available, on a GPU by CuPy::

        @unary_math_function_unittest(F.sin)
        class TestSin(unittest.TestCase):
            pass

    Args:
        func: The function.
        func_expected: Reference, called with a host array and ``dtype``; None: NumPy's function of that name.
        label_expected: Expected label of the function node; None: the name of `func`, ignoring case.
        make_data: Called with shape and dtype; returns an input, the gradient of its output, and a second-order
            gradient; None: uniform from -1 to 1.
        is_linear: Has no effect, because second derivatives of linear functions can be tested.
        forward_options: Arguments for `assert_allclose`.
        backward_options, double_backward_options: Arguments for `check_backward` and `check_double_backward`.

    Raises:
        ValueError: NumPy has no function of that name.
    """
    name: str = getattr(func, "__name__", type(func).__name__).lower()
    if func_expected is None:
        func_expected = getattr(np, name, None)
        if func_expected is None:
            raise ValueError(f"unary_math_function_unittest: NumPy has no function {name!r}; give func_expected")
    expected, label, data = func_expected, (label_expected or name).lower(), make_data or _uniform

    def decorate(case: type[unittest.TestCase]) -> Generated:
        if not issubclass(case, unittest.TestCase):
            raise TypeError(f"unary_math_function_unittest: {case.__name__} is not a unittest.TestCase")

        def set_up(self: Any) -> None:
            self.x, self.gy, self.ggx = data(self.shape, self.dtype)
            # Half-precision inputs are coarse, so the steps may be coarse, too.
            tolerance = 2**-4 if self.dtype == np.float16 else 1e-4
            common = {"dtype": np.float64, "atol": tolerance, "rtol": tolerance}
            if self.dtype == np.float16:
                common["eps"] = 2**-4
            self.forward_options = {"atol": 1e-4, "rtol": 1e-4} | dict(forward_options or {})
            if self.dtype == np.float16 and forward_options is None:
                self.forward_options = {"atol": 1e-3, "rtol": 1e-3}
            self.backward_options = common | dict(backward_options or {})
            self.double_backward_options = common | dict(double_backward_options or {})

        def check_forward(self: Any, device: str) -> None:
            y = func(Variable(get_device(device).send(self.x)))
            assert y.dtype == self.x.dtype
            assert_allclose(y, expected(self.x, dtype=self.x.dtype), **self.forward_options)

        def check_first(self: Any, device: str) -> None:
            send = get_device(device).send
            check_backward(func, send(self.x), send(self.gy), **self.backward_options)

        def check_second(self: Any, device: str) -> None:
            send = get_device(device).send
            check_double_backward(func, send(self.x), send(self.gy), send(self.ggx), **self.double_backward_options)

        def test_label(self: Any) -> None:
            creator = func(Variable(self.x)).creator_node
            assert creator is not None
            assert creator.label.lower() == label

        case.setUp = set_up  # type: ignore[method-assign]  # that is what this is for
        checks = {"forward": check_forward, "backward": check_first, "double_backward": check_second}
        for what, check in checks.items():
            for suffix, device in (("cpu", "numpy"), ("gpu", "cupy")):
                setattr(case, f"test_{what}_{suffix}", _on(check, device))
        if label_expected is not None or func(Variable(data((), np.float32)[0])).creator_node is not None:
            case.test_label = test_label  # type: ignore[attr-defined]  # new
        return parameterize(*product({"shape": [(3, 2), ()], "dtype": [np.float16, np.float32, np.float64]}))(case)

    return decorate


def _on(check: Callable[[Any, str], None], device: str) -> Callable[[Any], None]:
    def test(self: Any) -> None:
        try:
            get_device(device)
        except RengaError as error:
            raise unittest.SkipTest(str(error)) from error
        check(self, device)

    return test


def _uniform(shape: tuple[int, ...], dtype: Any) -> tuple[Host, Host, Host]:
    rng = np.random.default_rng(0)
    x, gy, ggx = (np.asarray(rng.uniform(-1, 1, shape)).astype(dtype) for _ in range(3))
    return x, gy, ggx
