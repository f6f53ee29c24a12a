"""`Parameter`: a Variable that training changes."""

from __future__ import annotations

import numbers
from collections.abc import Callable, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Protocol
from weakref import ref

import numpy as np

from renga_core.backend import Array, Device, default_device, get_backend, get_device
from renga_core.configuration import config, unusual
from renga_core.graph.errors import GraphError, describe_array
from renga_core.graph.variable import Variable
from renga_core.integers import as_ints
from renga_core.tracepoints import changed, read

if TYPE_CHECKING:
    from renga_core.serializers import AbstractSerializer

__all__ = ["Parameter", "UpdateRuleLike"]

set_array = Variable.array.fset  # type: ignore[attr-defined]  # a property has it


class UpdateRuleLike(Protocol):
    """The update rule that an optimizer's `setup` gives a parameter; see `renga_core.optimizer.UpdateRule`."""

    enabled: bool
    hyperparam: Any
    t: int

    @property
    def state(self) -> dict[str, Any]:
        """The state kept between updates, by name."""

    def update(self, param: Parameter) -> None:
        """Change the parameter, using its gradient."""

    def use_fp32_update(self, flag: bool = True) -> None:
        """Update through a float32 copy."""

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the state."""


class Parameter(Variable):
    """A Variable that belongs to a link and is updated by an optimizer.

    The shape may be unknown at first and set later by `initialize`: links do this when they see their first input.

    Args:
        initializer: How to fill the array: a callable that fills an array in place (with an optional attribute
            `dtype`); a number; an array (copied if `shape` is given, otherwise used directly); or None for NaN.
        shape: Shape; None if unknown. An int means one axis.
        name: Name for messages; the link sets it.

    Attributes:
        initializer: The initializer as given.
        update_rule: Set by an optimizer's `setup`.
        frozen: Whether optimizers that are set up later skip it: see `Link.disable_update`.
    """

    __slots__ = ("__dict__", "_device", "_loss_scale", "_sharers", "initializer", "update_rule")

    _device: Device | None
    _loss_scale: float | None
    _sharers: list[ref[Parameter]] | None
    initializer: Any
    update_rule: UpdateRuleLike | None
    frozen: bool = False

    def __init__(
        self, initializer: Any = None, shape: int | Sequence[int] | None = None, name: str | None = None
    ) -> None:
        super().__init__(name=name)
        self.update_rule = None
        self._device = None
        self._loss_scale = None
        self._sharers = None
        self.initializer = initializer
        is_array = hasattr(initializer, "dtype") and hasattr(initializer, "shape") and not callable(initializer)
        if shape is None:
            if is_array and not isinstance(initializer, numbers.Number):
                self.array = initializer
        else:
            self.initialize(as_ints(shape))

    @property
    def array(self) -> Array:
        """The array; None if the shape is unknown. Shallow copies share it, even if it is made later."""
        return read(self, self._array) if unusual and config.tracers else self._array

    @array.setter
    def array(self, value: Array | None) -> None:
        set_array(self, value)
        for sharer in self._sharers or ():
            other = sharer()
            if other is not None and other is not self:
                set_array(other, value)

    data = array

    @property
    def is_initialized(self) -> bool:
        """Whether the parameter has an array."""
        return self._array is not None

    @property
    def dtype(self) -> Any:
        """Dtype of the array, or of the array to be made."""
        if self._array is not None:
            return self._array.dtype
        # A NumPy scalar uses the default dtype like a Python number: `Parameter(np.sqrt(2))` did not ask for float64.
        dtype = None if isinstance(self.initializer, numbers.Number) else getattr(self.initializer, "dtype", None)
        found = np.dtype(config.dtype if dtype is None else dtype)
        return found if found.isnative else found.newbyteorder("=")

    @property
    def device(self) -> Device:
        """Where the array lives, or will live."""
        return super().device if self._array is not None else self._device or default_device()

    def initialize(self, shape: Sequence[int]) -> None:
        """Make the array on the parameter's device, and fill it with the initializer.

        Raises:
            GraphError: The parameter has an array of another shape already.
            ValueError: The initializer is an array of another shape.
        """
        shape = tuple(shape)
        if self._array is not None:
            if self.shape == shape:
                return
            raise GraphError(f"parameter {self.name or '?'} has shape {self.shape} already; it cannot become {shape}")
        device = self.device
        with device.use():
            array = device.xp.empty(shape, dtype=self.dtype)
            _fill(array, self.initializer, self.name)
        self.array = array

    def update(self) -> None:
        """Let the update rule, if there is one, change the array."""
        if self.update_rule is not None:
            self.update_rule.update(self)

    def to_device(self, device: str | Device) -> None:
        """Move to a device; a parameter without an array will be made there."""
        target = get_device(device)
        if target != self.device:
            self._stop_sharing()
        self._device = target
        super().to_device(target)

    def _stop_sharing(self) -> None:
        """Stop sharing the array with copies, since it is on another device now."""
        if self._sharers is not None:
            self._sharers[:] = [sharer for sharer in self._sharers if sharer() is not None and sharer() is not self]
            self._sharers = None

    # --- the scale of the gradient --------------------

    def cleargrad(self) -> None:
        """Clear the gradient and its recorded loss scale."""
        self._grad = self._loss_scale = None
        if unusual and config.tracers:
            changed(self, "cleargrad")

    def unscale_grad(self, loss_scale: float | None = None) -> None:
        """Divide `grad` by the loss scale that `backward` has recorded.

        Args:
            loss_scale: The divisor if no backward has recorded one, because the program assigned `grad`.
        """
        known = self._loss_scale
        scale = loss_scale if known is None else known
        grad = self.grad
        if scale is not None and scale != 1 and grad is not None:
            grad /= scale
        if scale is not None:
            self._loss_scale = 1.0

    def rescale_grad(self, loss_scale: float) -> None:
        """Rescale `grad` to the gradient of the loss times `loss_scale`, unless no scale was recorded."""
        factor = self._factor_to(loss_scale)
        if self._grad is not None and factor != 1:
            self._grad = self.grad * factor  # type: ignore[operator]  # not None, see above
        self._loss_scale = loss_scale

    def _note_loss_scale(self, scale: float) -> None:
        self._loss_scale = scale

    def _factor_to(self, scale: float) -> float:
        return 1.0 if self._loss_scale is None else scale / self._loss_scale

    def copydata(self, var: Variable) -> None:
        """Copy the array of `var`. If one of the two has no array, it is initialized in the shape of the other."""
        if var.array is None:
            if self._array is not None:
                var.initialize(self.shape)  # type: ignore[attr-defined]  # without an array, it is a parameter
                super().copydata(var)
            return
        if self._array is None:
            self.initialize(var.shape)
        super().copydata(var)

    def addgrad(self, var: Variable) -> None:
        """Add the gradient of `var`, in the same loss scale; make this parameter's array first if it has none."""
        if self._array is None and var.array is not None:
            self.initialize(var.shape)
        if self._array is None or var.grad is None:
            return
        theirs = getattr(var, "_loss_scale", None)
        if theirs is not None:
            self.rescale_grad(theirs)
        super().addgrad(var)

    def _copy(self, array: Array | None) -> Parameter:
        return _rebuild(array, None, self._state(), self._device)

    def __copy__(self) -> Parameter:
        made = self._copy(self._array)
        if self._sharers is None:
            self._sharers = [ref(self)]
        self._sharers[:] = [*(sharer for sharer in self._sharers if sharer() is not None), ref(made)]
        made._sharers = self._sharers
        return made

    def __deepcopy__(self, memo: dict[int, Any]) -> Parameter:
        made = super().__deepcopy__(memo)
        assert isinstance(made, Parameter)
        made.update_rule = deepcopy(self.update_rule, memo)
        made.__dict__.update(deepcopy(self.__dict__, memo))
        return made

    def __reduce__(self) -> tuple[Any, ...]:
        return _unpickled, (self._array, self.grad, self._state(), None if self._device is None else self._device.name)

    def _state(self) -> dict[str, Any]:
        """State to copy besides array and gradient, including attributes that a program added."""
        slots = ("_name", "_requires_grad", "_loss_scale", "initializer", "update_rule")
        return {**{name: getattr(self, name) for name in slots}, **self.__dict__}

    def __repr__(self) -> str:
        return super().__repr__() if self._array is not None else f"{self._title()}(not initialized)"

    __str__ = __repr__


def _rebuild(array: Array | None, grad: Array | None, state: dict[str, Any], device: Device | None) -> Parameter:
    """Make a parameter from its parts."""
    made = Parameter()
    made._array = array
    made._grad = grad
    made._device = device
    for name, value in state.items():
        setattr(made, name, value)
    return made


def _unpickled(array: Array | None, grad: Array | None, state: dict[str, Any], device: str | None) -> Parameter:
    return _rebuild(array, grad, state, None if device is None else get_device(device))


def _fill(array: Array, initializer: Callable[[Array], object] | Any, name: str | None) -> None:
    """Fill an array in place with the initializer."""
    if initializer is None:
        array.fill(float("nan"))
    elif callable(initializer):
        initializer(array)
    elif isinstance(initializer, numbers.Number):
        array.fill(initializer)
    else:
        if tuple(initializer.shape) != tuple(array.shape):
            raise ValueError(
                f"parameter {name or '?'} of shape {tuple(array.shape)} cannot be initialized with "
                f"{describe_array(initializer)}"
            )
        backend = get_backend(array)
        array[...] = get_device(array).send(initializer) if backend is not get_backend(initializer) else initializer
