"""A test case for a function."""

from __future__ import annotations

import unittest
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Array, Device, to_host
from renga_core.graph import Variable
from renga_testing.cases.backend_config import BackendConfig
from renga_testing.cases.comparing import Case, FunctionTestError, at_a_smooth_point, drawn_like, host_arrays
from renga_testing.gradient_check import check_backward, check_double_backward

__all__ = ["FunctionTestCase"]

Host = np.ndarray[Any, Any]


class FunctionTestCase(Case, unittest.TestCase):
    """Base class of test cases for functions: outputs, first and second derivatives, and unchanged inputs.

    A subclass defines `generate_inputs`, `forward` and `forward_expected`, and may override the others::

        @inject_backend_tests(None, [{}, {"use_cuda": True}])
        class TestReLU(FunctionTestCase):
            dodge_nondifferentiable = True

            def generate_inputs(self):
                return (np.random.uniform(-1, 1, (2, 3)).astype("f"),)

            def forward(self, inputs, device):
                return (F.relu(inputs[0]),)

            def forward_expected(self, inputs):
                return (np.maximum(inputs[0], 0),)

    Attributes:
        skip_forward_test, skip_backward_test, skip_double_backward_test: Skip these tests.
        dodge_nondifferentiable: Generate new inputs if the function is not differentiable at the first ones.
        contiguous: None: arrays with gaps in memory; ``"C"``: without.
        check_forward_options: Arguments for `assert_allclose`. check_backward_options: For `check_backward`.
        check_double_backward_options: For `check_double_backward`. These are dicts; change them in ``setUp``.

    Raises:
        FunctionTestError: The function is wrong.
        TypeError: A method of the subclass returns a wrong type.
    """

    __test__ = False
    error = FunctionTestError
    skip_forward_test: ClassVar[bool] = False
    skip_backward_test: ClassVar[bool] = False
    skip_double_backward_test: ClassVar[bool] = False
    dodge_nondifferentiable: ClassVar[bool] = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.check_forward_options: dict[str, Any] = {}
        self.check_backward_options: dict[str, Any] = {}
        self.check_double_backward_options: dict[str, Any] = {}

    # --- methods that a subclass defines
    # -----------------------------------------------------------------------------------

    def generate_inputs(self) -> tuple[Host, ...]:
        """Return arrays on the host."""
        raise NotImplementedError(f"{type(self).__name__} does not define generate_inputs()")

    def forward(self, inputs: tuple[Variable, ...], device: Device) -> tuple[Variable, ...]:
        """Return the outputs of the function under test for Variables on `device`."""
        raise NotImplementedError(f"{type(self).__name__} does not define forward(inputs, device)")

    def forward_expected(self, inputs: tuple[Host, ...]) -> tuple[Host, ...]:
        """Return the correct outputs for host arrays, in their dtypes."""
        raise NotImplementedError(f"{type(self).__name__} does not define forward_expected(inputs)")

    def generate_grad_outputs(self, outputs_template: tuple[Host, ...]) -> tuple[Host, ...]:
        """Return gradients of the outputs, in their shapes and dtypes."""
        return drawn_like(outputs_template, 1)

    def generate_grad_grad_inputs(self, inputs_template: tuple[Host, ...]) -> tuple[Host, ...]:
        """Return second-order gradients of the inputs, in their shapes and dtypes."""
        return drawn_like(inputs_template, 2)

    def check_forward_outputs(self, outputs: tuple[Array, ...], expected_outputs: tuple[Host, ...]) -> None:
        """Compare the outputs. A subclass that extends it should call this first."""
        self.compare(outputs, expected_outputs, self.check_forward_options)

    # --- the tests -------------------------------------------------------------------------------------------------

    def test_forward(self, backend_config: BackendConfig | None = None) -> None:
        """Outputs are correct, and inputs unchanged."""
        if self.skip_forward_test:
            raise unittest.SkipTest("skip_forward_test is set")
        config = self.begin("test_forward", backend_config)
        host = host_arrays(self.generate_inputs(), "generate_inputs")
        before = [x.copy() for x in host]
        expected = host_arrays(self.forward_expected(tuple(x.copy() for x in host)), "forward_expected")
        xs = self.send(host)
        with config:
            ys = self._forward(*[Variable(x, requires_grad=x.dtype.kind == "f") for x in xs])
        changed = [
            i
            for i, x in enumerate(xs)
            if not np.array_equal(to_host(x), before[i], equal_nan=before[i].dtype.kind == "f")
        ]
        if changed:
            raise FunctionTestError(f"forward has changed inputs {changed}")
        self.check_forward_outputs(tuple(y.array for y in ys), expected)

    def test_backward(self, backend_config: BackendConfig | None = None) -> None:
        """Gradients equal numerical derivatives."""
        if self.skip_backward_test:
            raise unittest.SkipTest("skip_backward_test is set")
        config = self.begin("test_backward", backend_config)

        def check() -> None:
            xs, gys = self._problem()[1:]
            with config, self.reported("backward"):
                check_backward(
                    self._forward,
                    xs,
                    gys,
                    dtype=np.float64,
                    detect_nondifferentiable=self.dodge_nondifferentiable,
                    **self.check_backward_options,
                )

        at_a_smooth_point(check, self.dodge_nondifferentiable)

    def test_double_backward(self, backend_config: BackendConfig | None = None) -> None:
        """Second derivatives equal numerical derivatives."""
        if self.skip_double_backward_test:
            raise unittest.SkipTest("skip_double_backward_test is set")
        config = self.begin("test_double_backward", backend_config)

        def check() -> None:
            host, xs, gys = self._problem()
            ggxs = host_arrays(self.generate_grad_grad_inputs(host), "generate_grad_grad_inputs")
            with config, self.reported("double backward"):
                check_double_backward(
                    self._forward,
                    xs,
                    gys,
                    self.send(ggx if ggx.dtype.kind == "f" else None for ggx in ggxs),
                    dtype=np.float64,
                    detect_nondifferentiable=self.dodge_nondifferentiable,
                    **self.check_double_backward_options,
                )

        at_a_smooth_point(check, self.dodge_nondifferentiable)

    def _forward(self, *inputs: Variable) -> tuple[Variable, ...]:
        return self.checked_outputs(self.forward(inputs, self.backend_config.device))

    def _problem(self) -> tuple[tuple[Host, ...], tuple[Any, ...], tuple[Any, ...]]:
        """Return inputs on the host, and inputs and output gradients on the device."""
        host = host_arrays(self.generate_inputs(), "generate_inputs")
        ys = host_arrays(self.forward_expected(tuple(x.copy() for x in host)), "forward_expected")
        gys = host_arrays(self.generate_grad_outputs(ys), "generate_grad_outputs")
        return host, self.send(host), self.send(gys)
