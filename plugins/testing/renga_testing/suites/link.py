"""`LinkSuite`: the kit of links. How to write one: docs/how-to/write-a-link.md."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar

import numpy as np

from renga_core import random
from renga_core.backend import Device, to_host
from renga_core.configuration import using_config
from renga_core.graph import Variable, backward
from renga_core.kinds import LINK
from renga_core.link import Link
from renga_core.serializers import load, save
from renga_testing import link_suite
from renga_testing.every_backend import EveryBackendSuite, is_floating, many
from renga_testing.saving import load_state, saved_state
from renga_testing.suites.called import CalledSuite
from renga_testing.suites.comparing import compare
from renga_testing.suites.global_state import start_random
from renga_testing.suites.inputs import stated
from renga_testing.suites.suite import needs

__all__ = ["LinkSuite"]


class LinkSuite(CalledSuite):
    """Tests of a link, made with the kit's `options`.

    Attributes: see `CalledSuite`.
    """

    kind = LINK
    base: ClassVar[type[EveryBackendSuite]] = link_suite.LinkSuite
    described: ClassVar[Iterable[str]] = (*CalledSuite.described, "make_link")

    def make_link(self) -> Link:
        """A new link."""
        link = self.make()
        assert isinstance(link, Link), f"{self.label} makes a {type(link).__name__}, which is not a Link"
        return link

    def call(self, link: Any, *variables: Any) -> Any:
        """Call it on Variables in the order of `make_inputs`. The state of earlier calls is reset first."""
        if hasattr(link, "reset_state"):
            link.reset_state()
        given = self.arguments(variables)
        arrays = [value for name, value in given.by_name.items() if name not in self._stated.others]
        return self._outputs_of(link(*given.by_place, *arrays))

    def make(self) -> Any:
        """A new link, created with `options`, or with the arguments in the description."""
        return self.made_with(self.options or self._stated_options())

    def _stated_options(self) -> Mapping[str, Any]:
        if not self._calls_as_stated():
            return {}
        return stated(self.offer, np.random.default_rng(0), np.dtype(np.float32)).others  # may contain links

    def _states(self) -> bool:
        """The description's inputs are for a link that is made as in the description."""
        return super()._states() and not (self.options and self._stated.others)

    def reference(self, params: dict[str, np.ndarray[Any, Any]], *arrays: np.ndarray[Any, Any]) -> Any:
        """The correct outputs, from saved `params` and host arrays, both in float64.

        Default: the link's own outputs.
        """
        with using_config("dtype", np.dtype(np.float64)):
            link = self.make_link()
            self.call(link, *self._variables(arrays))
            load_state(params, link)
            random.seed(link_suite.CALL_SEED)
            return tuple(to_host(y) for y in many(self.call(link, *self._variables(arrays))))

    def guessable(self) -> tuple[Callable[..., Any], Callable[..., Any], Mapping[str, Any]]:
        """The kit's inputs, as the last arguments of `guess`."""

        def call(*variables: Any) -> Any:
            with using_config("dtype", np.dtype(np.float64)):
                return self.make_link()(*variables)

        return call, self.make_link().forward, {}

    # --- parameters --------------------------------------------------------------------------------------------------

    def test_all_parameters_are_registered(self, device: Device) -> None:
        """Each parameter is made in `init_scope`, so that optimizers and files find it."""
        self._check("all_parameters_are_registered", device)

    def test_every_parameter_is_used(self, device: Device) -> None:
        """The first call gives each parameter a shape; backward gives each a gradient."""
        link = self._made(device)
        for path, param in link.namedparams():
            assert param.is_initialized, f"parameter {path} has no shape after a call: it is not used"
        link.cleargrads()
        ys = self.call(link, *self._variables(self._inputs(device)))
        if hasattr(link, "reset_state"):  # only a second call uses the state of the first
            ys = link(*self._variables(self._inputs(device, seed=1)))
        ys = [y for y in many(ys) if is_floating(y)]
        rng = np.random.default_rng(1)
        backward(ys, [Variable(device.send(rng.uniform(-1, 1, y.shape).astype(str(y.dtype)))) for y in ys])
        for path, param in link.namedparams():
            assert param.grad is not None, f"parameter {path} gets no gradient: outputs do not depend on it"
            assert np.isfinite(to_host(param.grad)).all(), f"the gradient of {path} is not finite"

    def test_names(self, device: Device) -> None:
        """Saved values have the same names in each new link, before and after a call."""
        right = _names(self._made())
        for where, link in (("in another link", self._made()), ("after a call", self._made(device))):
            names = _names(link)
            assert names == right, f"names of saved values: {where}, {_difference(right, names)}"

    def test_deterministic(self, device: Device) -> None:
        """The seed determines parameters, outputs and gradients, bit by bit."""
        self._check("deterministic", device)

    def test_cleargrads(self, device: Device) -> None:
        """`backward` adds to the parameters' gradients, until `cleargrads` deletes them."""
        self._check("cleargrads", device)

    # --- outputs and gradients ---------------------------------------------------------------------------------------

    def test_forward(self, device: Device, dtype: str) -> None:
        """Outputs equal the reference's in double precision, up to rounding; half precision does not overflow."""
        self._check("forward", device, dtype)

    def test_forward_dtype(self, device: Device, dtype: str) -> None:
        """Floating outputs have dtype ``config.dtype``, if the link was made under it."""
        self._check("forward_dtype", device, dtype)

    def test_gradient(self, device: Device) -> None:
        """Gradients of inputs and parameters equal numerical derivatives along a random direction."""
        self._check("gradient", device)

    def test_double_gradient(self, device: Device) -> None:
        """Second derivatives equal numerical derivatives along a random direction."""
        self._check("double_gradient", device)

    def test_noncontiguous(self, device: Device) -> None:
        """Inputs and gradients with gaps and in another memory order give the same results."""
        self._check("noncontiguous", device)

    @needs("empty")
    def test_empty(self, device: Device, dtype: str) -> None:
        """Inputs without rows give outputs and gradients of the correct shapes."""
        self._check("empty", device, dtype)

    def test_inputs_unmodified(self, device: Device) -> None:
        """Neither forward nor backward changes the inputs."""
        link, xs = self._made(device), self._inputs(device)
        ys = [y for y in many(self.call(link, *self._variables(xs))) if is_floating(y)]
        backward(ys, [Variable(device.xp.ones_like(y.array)) for y in ys])
        for i, (x, right) in enumerate(zip(xs, self._inputs(), strict=True)):
            compare(x, right, f"input {i}, after a call and backward", exact=True)

    def test_testing_changes_nothing(self, device: Device) -> None:
        """In test mode, the same inputs give the same outputs, and parameters and persistent values do not change."""
        link = self._made(device)
        first, before = self._tested(link, device), saved_state(link)
        for i, (y, right) in enumerate(zip(self._tested(link, device), first, strict=True)):
            compare(y, right, f"output {i} of the same inputs, computed again in test mode,", exact=True)
        for path, value in saved_state(link).items():
            compare(value, before[path], f"{path}, after testing,", exact=True)

    # --- moving, saving and copying ----------------------------------------------------------------------------------

    def test_to_device(self, device: Device) -> None:
        """All arrays move to a device and back; results there are the same."""
        self._check("to_device", device)

    def test_serialization(self, device: Device, tmp_path: Path) -> None:
        """A new link that loads the saved state computes the same."""
        self._check("serialization", device, tmp_path)

    def test_saving_after_training(self, device: Device, tmp_path: Path) -> None:
        """State from calls in training is saved, too: a link that loads it gives the same outputs in test mode."""
        link = self._made(device)
        for _ in range(2):
            self.call(link, *self._variables(self._inputs(device, seed=1)))
        right = self._tested(link, device)
        save(tmp_path / "link.npz", link)
        start_random(1)
        loaded = self.make_link().to_device(device)
        load(tmp_path / "link.npz", loaded)
        for i, (y, expected) in enumerate(zip(self._tested(loaded, device), right, strict=True)):
            compare(y, expected, f"output {i} in test mode, of a link that was trained, saved and loaded,", exact=True)

    def test_shared_copy(self, device: Device) -> None:
        """``copy("share")`` has the same arrays, but its parameters have their own gradients."""
        self._check("shared_copy", device)

    def test_copy(self, device: Device) -> None:
        """``copy("copy")`` computes the same; changing or calling the copy does not change the original."""
        self._check("copy", device)

    def test_fresh_copy(self, device: Device) -> None:
        """``copy("init")`` initializes each parameter again, by the seed."""
        self._check("fresh_copy", device)

    def test_no_reference_cycles(self, device: Device) -> None:
        """Dropping link and outputs frees them at once, without the garbage collector."""
        self._check("no_reference_cycles", device)

    # --- helpers -----------------------------------------------------------------------------------------------------

    def _made(self, device: Device | None = None) -> Any:
        """A new link; with a device, a link on it that has been called."""
        start_random()
        link = self.make_link()
        if device is not None:
            link.to_device(device)
            self.call(link, *self._variables(self._inputs(device)))
        return link

    def _tested(self, link: Link, device: Device) -> Sequence[Any]:
        """Outputs in test mode, as host arrays."""
        with using_config("train", False):
            return [np.array(to_host(y)) for y in many(self.call(link, *self._variables(self._inputs(device))))]


def _names(link: Link) -> set[str]:
    """Values of parameters and persistent values."""
    own = ((path, name) for path, part in link.namedlinks() for name in (*part._params, *part._persistent))
    return {f"{path}/{name}".replace("//", "/") for path, name in own}


def _difference(before: set[str], after: set[str]) -> str:
    new, gone = sorted(after - before), sorted(before - after)
    return ", ".join([*(f"{name} is new" for name in new), *(f"{name} is gone" for name in gone)])
