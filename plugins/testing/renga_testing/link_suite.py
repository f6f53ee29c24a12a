"""A test base class for links, like `FunctionSuite`.

Subclass `LinkSuite` and describe the link. pytest then checks each required property in a test of its own, on every
available array backend::

    class TestLinear(LinkSuite):
        cases = {"sizes given": {"in_size": 3}, "size of the first input": {"in_size": None}}
        bad_inputs = {"features": ((np.ones((2, 4)),), InvalidType, ("linear", "(2, 4)"))}

        def make_link(self):
            return Linear(self.in_size, 2)

        def make_inputs(self, rng, dtype):
            return (rng.standard_normal((5, 3)).astype(dtype),)

        def reference(self, params, x):
            return x @ params["W"].T + params["b"]

During a test, ``config.dtype`` is the dtype of the inputs. Before each call, `renga_core.random` is seeded and
persistent values are restored, so that a link with random numbers or a state always computes the same function.
"""

from __future__ import annotations

import copy
import gc
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from renga_core import random
from renga_core.backend import Array, Device, get_backend, get_device, is_array, to_host
from renga_core.configuration import using_config
from renga_core.graph import Parameter, Variable, backward
from renga_core.graph.function_node import functions_behind
from renga_core.link import Link
from renga_core.link.copying import copied_value
from renga_core.serializers import load, save
from renga_testing.every_backend import EveryBackendSuite, first_difference, is_floating, many, strided, widened
from renga_testing.gradient_check import check_backward, check_double_backward
from renga_testing.saving import saved_state

__all__ = ["LinkSuite"]

CALL_SEED = 1
"""Seed of the library's random numbers in each call."""

Results = tuple[Sequence[Variable], list[Array | None]]


class LinkSuite(EveryBackendSuite):
    """Tests of one link. A subclass is named `Test…`, and defines `make_inputs`, `make_link` and `reference`.

    Parameters are changed a little after initialization, so that a bias has an effect even if it starts at 0.

    Attributes: see `EveryBackendSuite`.
    """

    # --- what a subclass defines -----------------------------------------------------------------------------------

    def make_link(self) -> Link:
        """Create a link. It may leave sizes open: have a case with sizes, and one without."""
        raise NotImplementedError(f"{type(self).__name__} does not define make_link()")

    def call(self, link: Any, *variables: Variable) -> Variable | Sequence[Variable]:
        """Call the link with Variables in the order of `make_inputs`. Reset the state first, if it has one."""
        result: Variable | Sequence[Variable] = link(*variables)
        return result

    def reference(self, params: dict[str, np.ndarray[Any, Any]], *arrays: np.ndarray[Any, Any]) -> Any:
        """Compute the correct outputs independently: an array, or a tuple of arrays, from host arrays in float64.

        `params` contains parameters and persistent values before the call, under their names in files (``W``,
        ``upward/W``, ``avg_mean``).
        """
        raise NotImplementedError(f"{type(self).__name__} does not define reference(params, *arrays)")

    # --- the properties --------------------------------------------------------------------------------------------

    def test_forward(self, device: Device, dtype: str) -> None:
        """The outputs equal the reference's."""
        with self._problem(device, dtype) as (link, xs, _):
            expected = many(self.reference(link.state(), *[widened(x) for x in self._host_inputs(dtype)]))
            self._assert_outputs_close(link.outputs(xs), expected, dtype)

    def test_forward_dtype(self, device: Device, dtype: str) -> None:
        """Floating outputs are of ``config.dtype``."""
        with self._problem(device, dtype) as (link, xs, _):
            for i, y in enumerate(link.outputs(xs)):
                assert not is_floating(y) or y.dtype == dtype, f"output {i} is {y.dtype}, config.dtype is {dtype}"

    def test_gradient(self, device: Device) -> None:
        """Gradients of inputs and parameters equal numerical derivatives along a random direction, in float64."""
        with self._problem(device) as (link, xs, gys):
            check_backward(link.floating, xs, gys, link.params, eps=self.eps, atol=1e-6, rtol=1e-6)

    def test_double_gradient(self, device: Device) -> None:
        """Second derivatives equal numerical derivatives along a random direction, in float64."""
        with self._problem(device) as (link, xs, gys):
            rng = np.random.default_rng(2)
            ggs = [device.send(rng.standard_normal(x.shape)) for x in (*xs, *link.params) if is_floating(x)]
            split = len(ggs) - len(link.params)
            check_double_backward(
                link.floating, xs, gys, ggs[:split], link.params, ggs[split:], eps=self.eps, atol=1e-6, rtol=1e-6
            )

    def test_all_parameters_are_registered(self, device: Device) -> None:
        """Each parameter in the graph is in ``link.params()``, so that optimizers and files include it."""
        with self._problem(device) as (link, xs, _):
            creators = [y.creator_node for y in link.outputs(xs) if y.creator_node is not None]
            nodes = [node for function in functions_behind(creators) for node in function.inputs]
            reached = [v for v in (node.get_variable_or_none() for node in nodes) if isinstance(v, Parameter)]
            mine = {id(p) for p in link.params}
            assert all(id(p) in mine for p in reached), "a Parameter was made outside of init_scope()"

    def test_cleargrads(self, device: Device) -> None:
        """`backward` adds to the parameters' gradients until `cleargrads`."""
        with self._problem(device) as (link, xs, gys):
            once = self._results(link, xs, gys)[1][len(xs) :]
            for times in (1, 2):
                backward(link.floating(*link.leaves(xs)), [Variable(gy) for gy in gys])
                for p, right in zip(link.params, once, strict=True):
                    assert (p.grad is None) == (right is None), f"parameter {p.name}: backward and grad() disagree"
                    if p.grad is not None and right is not None:
                        assert p.grad.dtype == p.dtype, f"the gradient of {p.name} is {p.grad.dtype}, not {p.dtype}"
                        self._assert_close(p.grad, times * right, "float64", f"gradient of {p.name}, {times} times")
            link.it.cleargrads()
            for p in link.params:
                assert p.grad is None, f"parameter {p.name} has a gradient after cleargrads"

    def test_deterministic(self, device: Device) -> None:
        """The seed determines parameters, outputs and gradients, bit by bit."""
        runs = []
        for _ in range(2):
            with self._problem(device) as (link, xs, gys):
                ys, gradients = self._results(link, xs, gys)
                runs.append([*[y.array for y in ys], *[g for g in gradients if g is not None]])
        for i, (one, two) in enumerate(zip(*runs, strict=True)):
            _assert_equal(two, one, f"array {i} of outputs and gradients, from the same seed again")

    def test_to_device(self, device: Device) -> None:
        """All arrays move to a device and back; results there are the same."""
        with self._problem(get_device("numpy")) as (link, xs, gys):
            before = link.state()
            right = self._results(link, xs, gys)
            link.restore()
            assert link.it.to_device(device) is link.it
            for path, array in link.arrays():
                assert get_backend(array) is device.backend, f"{path} has stayed behind"
            there = self._results(link, [device.send(x) for x in xs], [device.send(gy) for gy in gys])
            self._assert_same(there, right)
            link.restore()
            link.it.to_device("numpy")
            _assert_same_values(link.state(), before)
            self._assert_same(self._results(link, xs, gys), right)

    def test_serialization(self, device: Device, tmp_path: Path) -> None:
        """A new link, with sizes known or not, computes the same after loading the saved state."""
        with self._problem(device) as (link, xs, gys):
            link.restore()
            save(tmp_path / "link.npz", link.it)
            random.seed(4)
            other = self.make_link().to_device(device)
            load(tmp_path / "link.npz", other)
            loaded = _Fixed(self.call, other)
            _assert_same_values(loaded.state(), link.state())
            for path, array in loaded.arrays():
                assert get_backend(array) is device.backend, f"{path} was loaded to another device"
            self._assert_same(self._results(loaded, xs, gys), self._results(link, xs, gys))

    def test_shared_copy(self, device: Device) -> None:
        """``copy("share")`` shares the arrays, but its parameters have their own gradients."""
        with self._problem(device) as (link, xs, gys):
            link.restore()
            other = _Fixed(self.call, link.it.copy("share"))
            for p, q in zip(link.params, other.params, strict=True):
                assert p is not q, f"parameter {p.name} is shared; only its array is to be"
                assert p.array is q.array, f"the array of parameter {p.name} is not shared"
            self._assert_same(self._results(other, xs, gys), self._results(link, xs, gys))

    def test_copy(self, device: Device) -> None:
        """``copy("copy")`` computes the same; changing or calling the copy does not change the original."""
        with self._problem(device) as (link, xs, gys):
            before = link.state()
            right = self._results(link, xs, gys)
            link.restore()
            other = _Fixed(self.call, link.it.copy("copy"))
            self._assert_same(self._results(other, xs, gys), right)
            for p in other.params:
                p.array += 1
            other.outputs(xs)
            _assert_same_values({path: to_host(a) for path, a in link.arrays()}, before)
            self._assert_same(self._results(link, xs, gys), right)

    def test_fresh_copy(self, device: Device) -> None:
        """``copy("init")`` initializes each parameter again, by the seed, with the same shape and dtype."""
        with self._problem(device) as (link, _, _):
            link.restore()
            before = [p.array for p in link.params]
            for p in link.params:
                p.array = device.xp.full(p.shape, float("nan"), dtype=p.dtype)
            copies = []
            for _ in range(2):
                random.seed(2)
                copies.append(_Fixed(self.call, link.it.copy("init")))
            for old, one, two in zip(before, *[c.params for c in copies], strict=True):
                assert (one.shape, one.dtype) == (old.shape, old.dtype), (
                    f"parameter {one.name} is {one.dtype} {one.shape}; it was {old.dtype} {old.shape}"
                )
                assert np.isfinite(to_host(one.array)).all(), f"parameter {one.name} was not filled by its initializer"
                _assert_equal(two.array, one.array, f"parameter {one.name} of a copy, from the same seed again")

    def test_noncontiguous(self, device: Device) -> None:
        """Arrays with gaps and in another memory order, as inputs and gradients, give the same results."""
        with self._problem(device) as (link, xs, gys):
            wide_xs, wide_gys = [[strided(device, a) for a in arrays] for arrays in (xs, gys)]
            self._assert_same(self._results(link, wide_xs, wide_gys), self._results(link, xs, gys))

    def test_empty(self, device: Device, dtype: str) -> None:
        """Inputs without elements give outputs and gradients of the correct shapes."""
        with self._problem(device, dtype) as (link, _, _):
            arrays = self.empty_inputs(np.dtype(dtype))
            expected = many(self.reference(link.state(), *[widened(x) for x in arrays]))
            xs = self._send(device, arrays)
            ys = link.outputs(xs)
            self._assert_outputs_close(ys, expected, dtype)
            _, gradients = self._results(link, xs, self._incoming(device, ys, dtype))
            for x, gradient in zip((*xs, *link.params), gradients, strict=True):
                assert gradient is None or gradient.shape == x.shape, f"a gradient of shape {gradient.shape} for {x}"

    def test_no_reference_cycles(self, device: Device) -> None:
        """Dropping link and outputs frees the link and every function at once, without the garbage collector."""
        for differentiable in (False, True):
            gc.disable()
            try:
                left = [ref() for ref in self._run_once(device, differentiable)]
            finally:
                gc.enable()
            alive = {type(thing).__name__ for thing in left if thing is not None}
            assert not alive, f"still alive, held by a reference cycle: {', '.join(sorted(alive))}"

    def test_bad_input(self, device: Device, bad_input: str) -> None:
        """Invalid inputs raise an error that names the problem."""
        link = self.make_link().to_device(device)
        self._assert_refused(device, bad_input, lambda *variables: self.call(link, *variables))

    # --- how they are run ------------------------------------------------------------------------------------------

    @contextmanager
    def _problem(self, device: Device, dtype: str = "float64") -> Iterator[tuple[_Fixed, list[Array], list[Array]]]:
        """Return a link with known sizes, inputs, and a random gradient for each floating-point output."""
        with using_config("dtype", np.dtype(dtype)):
            random.seed(0)
            xs = self._inputs(device, dtype)
            link = self.make_link().to_device(device)
            many(self.call(link, *[Variable(x) for x in xs]))
            rng = np.random.default_rng(3)
            for p in link.params(include_uninit=False):
                p.array += device.send(rng.uniform(-0.1, 0.1, p.shape).astype(str(p.dtype)))
            fixed = _Fixed(self.call, link)
            yield fixed, xs, self._incoming(device, fixed.outputs(xs), dtype)

    def _results(
        self, link: _Fixed, xs: Sequence[Array], gys: Sequence[Array], differentiable: bool = False
    ) -> Results:
        """Return outputs, and gradients of inputs and parameters."""
        leaves = link.leaves(xs)
        ys = link(*leaves)
        floating = [y for y in ys if is_floating(y)]
        return ys, self._back([*leaves, *link.params], floating, gys, differentiable)

    def _run_once(self, device: Device, differentiable: bool) -> list[weakref.ref[Any]]:
        """Run forward and backward; return weak references to the objects used, which nothing else refers to."""
        with self._problem(device) as (link, xs, gys):
            ys, _ = self._results(link, xs, gys, differentiable)
            functions = functions_behind([y.creator_node for y in ys if y.creator_node is not None])
            return [weakref.ref(thing) for thing in (*link.it.links(), *functions)]

    def _assert_same(self, results: Results, right: Results) -> None:
        self._assert_outputs_close(results[0], [to_host(y) for y in right[0]], "float64")
        for i, (gradient, expected) in enumerate(zip(results[1], right[1], strict=True)):
            assert (gradient is None) == (expected is None), (
                f"gradient {i} is {'missing' if gradient is None else 'new'}"
            )
            if gradient is not None:
                self._assert_close(gradient, expected, "float64", f"gradient {i}")


class _Fixed:
    """A link as a pure function: random numbers and state are reset before each call.

    Attributes:
        it: The link. params: Its parameters that have an array.
    """

    def __init__(self, call: Callable[..., Any], link: Link) -> None:
        self._call = call
        self.it = link
        self.params = list(link.params(include_uninit=False))
        self._remembered = [
            (part, name, copy.deepcopy(part.__dict__[name])) for part in link.links() for name in part._persistent
        ]

    def __call__(self, *variables: Variable) -> Sequence[Variable]:
        self.restore()
        random.seed(CALL_SEED)
        return many(self._call(self.it, *variables))

    def restore(self) -> None:
        """Restore the initial persistent values."""
        for part, name, value in self._remembered:
            part.__dict__[name] = copied_value(part.__dict__[name], value)

    def leaves(self, xs: Sequence[Array]) -> list[Variable]:
        return [Variable(x) for x in xs]

    def outputs(self, xs: Sequence[Array]) -> Sequence[Variable]:
        return self(*self.leaves(xs))

    def floating(self, *variables: Variable) -> tuple[Variable, ...]:
        return tuple(y for y in self(*variables) if is_floating(y))

    def arrays(self) -> Iterator[tuple[str, Array]]:
        """Return parameters and persistent arrays by their names in files."""
        for path, part in self.it.namedlinks():
            for name in sorted(part._params | part._persistent):
                value = part.__dict__[name]
                array = value.array if isinstance(value, Parameter) else value
                if is_array(array):
                    yield f"{path}/{name}".lstrip("/"), array

    def state(self) -> dict[str, np.ndarray[Any, Any]]:
        """Return copies of saved values before a call, on the host and in float64."""
        self.restore()
        return {path: widened(value) for path, value in saved_state(self.it).items()}


def _assert_same_values(values: dict[str, np.ndarray[Any, Any]], right: dict[str, np.ndarray[Any, Any]]) -> None:
    for path, value in values.items():
        _assert_equal(widened(value), right[path], path)


def _assert_equal(got: Array, right: Array, what: str) -> None:
    """Assert that arrays are bitwise equal; NaN equals NaN."""
    got, right = (np.asarray(to_host(x)) for x in (got, right))
    assert got.shape == right.shape, f"{what}: shape {got.shape} instead of {right.shape}"
    wrong = (got != right) & ((got == got) | (right == right))
    assert not wrong.any(), f"{what}: {first_difference(got, right, wrong)}"
