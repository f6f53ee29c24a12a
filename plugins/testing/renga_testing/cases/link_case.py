"""Test cases for a link."""

from __future__ import annotations

import unittest
from collections.abc import Sequence
from typing import Any, ClassVar

import numpy as np

from renga_core.backend import Array, Device, to_host
from renga_core.graph import Parameter, Variable
from renga_core.link import Link
from renga_testing.cases.backend_config import BackendConfig
from renga_testing.cases.comparing import Case, LinkTestError, at_a_smooth_point, drawn_like, host_arrays
from renga_testing.gradient_check import check_backward

__all__ = ["InitializerArgument", "LinkInitializersTestCase", "LinkTestCase"]

Host = np.ndarray[Any, Any]


class InitializerArgument:
    """An argument of a link that stands for an initializer, such as None, and the initializer.

    Args:
        argument_value: The value that is passed to the link.
        expected_initializer: How the parameter must be filled: by a number, an array, or a callable that fills an array
            in place.

    Raises:
        TypeError: `expected_initializer` has another type.
        ValueError: It is None.
    """

    def __init__(self, argument_value: Any, expected_initializer: Any) -> None:
        if expected_initializer is None:
            raise ValueError(
                "InitializerArgument: expected_initializer is None; pass the initializer that None stands for"
            )
        _require_initializer(expected_initializer)
        self.argument_value = argument_value
        self.expected_initializer = expected_initializer


class LinkCase(Case):
    """Common base of the two cases.

    Attributes:
        param_names: Names of the parameters to test, in the order of `generate_params`.
        contiguous: None: arrays with gaps in memory; ``"C"``: without.
    """

    __test__ = False
    error = LinkTestError
    param_names: ClassVar[Sequence[str]] = ()

    def generate_params(self) -> Sequence[Any]:
        """An initializer for each argument of the link that takes one."""
        raise NotImplementedError(f"{type(self).__name__} does not define generate_params()")

    def create_link(self, initializers: Sequence[Any]) -> Link:
        """A new link, with these initializers."""
        raise NotImplementedError(f"{type(self).__name__} does not define create_link(initializers)")

    def generate_inputs(self) -> tuple[Host, ...]:
        """Host arrays."""
        raise NotImplementedError(f"{type(self).__name__} does not define generate_inputs()")

    def forward(self, link: Link, inputs: tuple[Variable, ...], device: Device) -> tuple[Variable, ...]:
        """The link's outputs."""
        outputs = link(*inputs)
        return outputs if isinstance(outputs, tuple) else (outputs,)

    def initial_values(self) -> list[Any]:
        """The result of `generate_params`, checked."""
        given = self.generate_params()
        if not isinstance(given, (list, tuple)):
            raise TypeError(f"generate_params() must return a tuple or a list, not {type(given).__name__}")
        for one in given:
            _require_initializer(one)
        return list(given)

    def make(self, initializers: Sequence[Any]) -> Link:
        """A link on the device."""
        values = [i.argument_value if isinstance(i, InitializerArgument) else i for i in initializers]
        link = self.create_link(values)
        if not isinstance(link, Link):
            raise TypeError(f"create_link() must return a Link, not {type(link).__name__}")
        return link.to_device(self.backend_config.device)

    def outputs(self, link: Link, inputs: tuple[Variable, ...]) -> tuple[Variable, ...]:
        """The result of `forward`, checked."""
        return self.checked_outputs(self.forward(link, inputs, self.backend_config.device))

    def called(self, initializers: Sequence[Any]) -> tuple[Link, tuple[Any, ...], tuple[Variable, ...]]:
        """A link that has been called once, so that its parameters have arrays; and its inputs and outputs."""
        link = self.make(initializers)
        xs = self.send(host_arrays(self.generate_inputs(), "generate_inputs"))
        return link, xs, self.outputs(link, tuple(Variable(x) for x in xs))

    def parameters(self, link: Link) -> list[Parameter]:
        """Those of `param_names`."""
        found = [getattr(link, name, None) for name in self.param_names]
        for name, parameter in zip(self.param_names, found, strict=True):
            if not isinstance(parameter, Parameter):
                raise LinkTestError(f"the link has no parameter {name!r}")
        return [p for p in found if p is not None]


class LinkTestCase(LinkCase, unittest.TestCase):
    """Base class of test cases for links: outputs, and gradients of inputs and parameters.

    A subclass defines `param_names`, `generate_params`, `create_link`, `generate_inputs` and `forward_expected`, and
    may define the others::

        @inject_backend_tests(None, [{}, {"use_cuda": True}])
        class TestLinear(LinkTestCase):
            param_names = ("W", "b")

            def generate_params(self):
                return np.random.uniform(-1, 1, (3, 2)).astype("f"), np.random.uniform(-1, 1, 3).astype("f")

            def create_link(self, initializers):
                return L.Linear(2, 3, initialW=initializers[0], initial_bias=initializers[1])

            def generate_inputs(self):
                return (np.random.uniform(-1, 1, (1, 2)).astype("f"),)

            def forward_expected(self, link, inputs):
                return (inputs[0] @ link.W.array.T + link.b.array,)

    Attributes:
        skip_forward_test, skip_backward_test, dodge_nondifferentiable, contiguous, check_forward_options,
            check_backward_options: As in `FunctionTestCase`.

    Raises:
        LinkTestError: The link is wrong.
        TypeError: A method of the subclass returns a wrong type.
    """

    __test__ = False
    skip_forward_test: ClassVar[bool] = False
    skip_backward_test: ClassVar[bool] = False
    dodge_nondifferentiable: ClassVar[bool] = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.check_forward_options: dict[str, Any] = {}
        self.check_backward_options: dict[str, Any] = {}

    def forward_expected(self, link: Link, inputs: tuple[Host, ...]) -> tuple[Host, ...]:
        """The right outputs of host arrays; the link is on the host, too."""
        raise NotImplementedError(f"{type(self).__name__} does not define forward_expected(link, inputs)")

    def generate_grad_outputs(self, outputs_template: tuple[Host, ...]) -> tuple[Host, ...]:
        """Gradients of the outputs, in their shapes and dtypes."""
        return drawn_like(outputs_template, 1)

    def check_forward_outputs(self, outputs: tuple[Array, ...], expected_outputs: tuple[Host, ...]) -> None:
        """Compare. A subclass that extends it should call this method first."""
        self.compare(outputs, expected_outputs, self.check_forward_options)

    def test_forward(self, backend_config: BackendConfig | None = None) -> None:
        """Outputs are correct."""
        if self.skip_forward_test:
            raise unittest.SkipTest("skip_forward_test is set")
        config = self.begin("test_forward", backend_config)
        with config:
            link, xs, ys = self.called(self.initial_values())
        link.to_device("numpy")
        expected = self.forward_expected(link, tuple(np.array(to_host(x)) for x in xs))
        self.check_forward_outputs(tuple(y.array for y in ys), host_arrays(expected, "forward_expected"))

    def test_backward(self, backend_config: BackendConfig | None = None) -> None:
        """Gradients of inputs and parameters equal numerical derivatives."""
        if self.skip_backward_test:
            raise unittest.SkipTest("skip_backward_test is set")
        config = self.begin("test_backward", backend_config)

        def check() -> None:
            with config, self.reported("backward"):
                link, xs, ys = self.called(self.initial_values())
                gys = self.generate_grad_outputs(tuple(to_host(y) for y in ys))
                link.cleargrads()
                check_backward(
                    lambda *inputs: self.outputs(link, inputs),
                    xs,
                    self.send(host_arrays(gys, "generate_grad_outputs")),
                    self.parameters(link),
                    dtype=np.float64,
                    detect_nondifferentiable=self.dodge_nondifferentiable,
                    **self.check_backward_options,
                )

        at_a_smooth_point(check, self.dodge_nondifferentiable)


class LinkInitializersTestCase(LinkCase, unittest.TestCase):
    """Base class of test cases for initializers of links: each argument fills its parameter correctly.

    A subclass defines `param_names`, `generate_params`, `create_link` and `generate_inputs` as for `LinkTestCase`, and
    `get_initializers`.

    Attributes:
        check_initializers_options: Further arguments of `assert_allclose`; a dict, to be changed in ``setUp``.

    Raises:
        LinkTestError: The link is wrong.
        TypeError: A method of the subclass returns a wrong type.
    """

    __test__ = False

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.check_initializers_options: dict[str, Any] = {}

    def get_initializers(self) -> Sequence[Sequence[Any]]:
        """For each parameter, the initializers to test; each must always fill an array in the same way."""
        raise NotImplementedError(f"{type(self).__name__} does not define get_initializers()")

    def test_initializers(self, backend_config: BackendConfig | None = None) -> None:
        """Each initializer fills its parameter correctly; the other parameters come from `generate_params`."""
        config = self.begin("test_initializers", backend_config)
        tried = self.get_initializers()
        if not isinstance(tried, (list, tuple)) or not all(isinstance(some, (list, tuple)) for some in tried):
            raise TypeError("get_initializers() must return a tuple or a list of tuples or lists")
        for number, some in enumerate(tried):
            for one in some:
                _require_initializer(one)
                initializers = self.initial_values()
                initializers[number] = one
                with config:
                    link, _, _ = self.called(initializers)
                value = to_host(self.parameters(link)[number])
                expected = np.empty_like(value)
                _fill(expected, one.expected_initializer if isinstance(one, InitializerArgument) else one)
                self.compare((value,), (expected,), self.check_initializers_options)


def _require_initializer(given: Any) -> None:
    if given is None:
        raise ValueError(
            "an initializer is None; pass the initializer that it stands for: InitializerArgument(None, …)"
        )
    if not isinstance(given, InitializerArgument) and not callable(given) and not np.isreal(np.asarray(given)).all():
        raise TypeError(f"an initializer must be a number, an array or a callable that fills an array, not {given!r}")


def _fill(array: Host, initializer: Any) -> None:
    if callable(initializer):
        initializer(array)
    else:
        array[...] = to_host(initializer) if hasattr(initializer, "dtype") else initializer
