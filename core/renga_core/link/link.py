"""`Link`: parameters with a computation."""

from __future__ import annotations

import copy
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from numbers import Number
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from renga_core.backend import Array, Device, DeviceResident, is_array
from renga_core.configuration import config, unusual
from renga_core.graph import Parameter
from renga_core.graph.errors import asked_of_no_array
from renga_core.link.copying import check_copy_mode, copied_value, initialize_again, pairs
from renga_core.link.link_hook import LinkHook, forward_with_hooks, watchers
from renga_core.link.printing import describe
from renga_core.link.tree import Tree
from renga_core.tracepoints import changed

if TYPE_CHECKING:
    from renga_core.link.sequential import Sequential
    from renga_core.serializers import AbstractSerializer

__all__ = ["Link"]


class Link(Tree, DeviceResident):
    """Parameters and persistent values with a computation: a layer, a loss, a whole model.

    A subclass makes its parameters in an `init_scope` and defines `forward`; calling the link calls `forward`::

        class Scale(Link):
            def __init__(self, size):
                super().__init__()
                with self.init_scope():
                    self.factor = Parameter(1, size)

            def forward(self, x):
                return x * self.factor

    An optimizer trains *parameters*. *Persistent values* (arrays, numbers, strings) are saved, copied and moved with
    the link, but not trained. Both are ordinary attributes. A plain link has no children; a `Chain` or `ChainList` has,
    and its methods apply to the whole tree below it.

    Args:
        params: Parameters to make, by name: a shape (None if unknown) or a pair of shape and dtype. They hold NaN until
            they get values.

    Attributes:
        name: Name of this link in its parent; None for a root.
    """

    name: str | None = None
    _within_init_scope: bool = False
    # None without hooks, so that every call of every link needs only one test.
    _local_link_hooks: dict[str, LinkHook] | None = None

    def __init__(self, **params: Any) -> None:
        self._params: set[str] = set()
        self._persistent: set[str] = set()
        for name, spec in params.items():
            shape, dtype = _shape_and_dtype(spec)
            self.add_param(name, shape, dtype)

    # --- computing ---------------------------------------------------------------------------------------------------

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Call `forward`, and link hooks around it if there are any.

        Raises:
            InvalidType: `forward` used an array attribute, such as the shape, of an argument that is not an array.
        """
        try:
            if self._local_link_hooks or watchers:
                return forward_with_hooks(self, self.forward, args, kwargs)
            return self.forward(*args, **kwargs)
        except AttributeError as error:
            explained = asked_of_no_array(error, type(self).__name__, self.forward, args, kwargs)
            if explained is not None:
                raise explained from error
            raise

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Compute. A subclass, or a class after `Link` in its bases, defines it."""
        behind = getattr(super(), "forward", None)
        if behind is None:
            raise NotImplementedError(f"{type(self).__name__} cannot be called: it does not define a `forward` method")
        return behind(*args, **kwargs)

    @property
    def local_link_hooks(self) -> dict[str, LinkHook]:
        """The hooks of this link, by name."""
        return self._local_link_hooks or {}

    def add_hook(self, hook: LinkHook, name: str | None = None) -> Self:
        """Call `hook` before and after each forward computation of this link.

        Args:
            hook: The hook.
            name: Name of the registration; ``hook.name`` if None.

        Returns:
            This link.

        Raises:
            KeyError: This link has a hook with this name already.
            TypeError: `hook` is not a LinkHook.
        """
        if not isinstance(hook, LinkHook):
            raise TypeError(f"a link hook is a LinkHook, not {type(hook).__name__}; derive its class from LinkHook")
        key = hook.name if name is None else name
        if key in self.local_link_hooks:
            raise KeyError(f"{type(self).__name__} has a link hook named {key!r} already; give this one another name")
        hook.added(self)
        self._local_link_hooks = {**self.local_link_hooks, key: hook}
        return self

    def delete_hook(self, name: str) -> None:
        """Remove the hook with this name.

        Raises:
            KeyError: There is no such hook.
        """
        hooks = dict(self.local_link_hooks)
        if name not in hooks:
            raise KeyError(f"{type(self).__name__} has no link hook {name!r}; it has: {', '.join(hooks) or 'none'}")
        removed = hooks.pop(name)
        self._local_link_hooks = hooks or None
        removed.deleted(self)

    # --- parameters and persistent values ----------------------------------------------------------------------------

    @property
    def within_init_scope(self) -> bool:
        """Whether parameters and links are registered when they are assigned to attributes now."""
        return self._within_init_scope

    @contextmanager
    def init_scope(self) -> Iterator[None]:
        """Register parameters (in a `Chain` also links) that are assigned to attributes inside a ``with`` block."""
        if "_params" not in self.__dict__:
            raise RuntimeError(
                f"{type(self).__name__}.init_scope() was called too early: call super().__init__() at the beginning of "
                "__init__"
            )
        before = self._within_init_scope
        self._within_init_scope = True
        try:
            yield
        finally:
            self._within_init_scope = before

    def __setattr__(self, name: str, value: Any) -> None:
        if self._within_init_scope:
            if isinstance(value, Parameter):
                self._register_param(name, value)
            elif isinstance(value, Link):
                self._register_child(name, value)
        super().__setattr__(name, value)

    def __delattr__(self, name: str) -> None:
        super().__delattr__(name)
        self._params.discard(name)
        self._persistent.discard(name)

    def _register_param(self, name: str, param: Parameter) -> None:
        if isinstance(self.__dict__.get(name), Link):
            raise AttributeError(self._taken("parameter", name))
        param.name = name
        if self._device is not None:
            param.to_device(self._device)
        self._params.add(name)
        self._persistent.discard(name)

    def _register_child(self, name: str, child: Link) -> None:
        raise TypeError(
            f"{type(self).__name__}.{name}: a link cannot be registered as an attribute of a {type(self).__name__}; "
            "derive the class from Chain (children by name), or append the link if this is a ChainList"
        )

    def _taken(self, what: str, name: str) -> str:
        holder = type(self).__name__
        has = self.__dict__.get(name, getattr(type(self), name, None))
        return (
            f"cannot register a new {what} {name!r} in {holder}: it already has an attribute of that name "
            f"({type(has).__name__}). Choose another name, or `del` the attribute first."
        )

    def add_param(self, name: str, shape: Any = None, dtype: Any = None, initializer: Any = None) -> None:
        """Make a parameter and register it.

        Args:
            name: Name of the attribute.
            shape: Shape; None if unknown until ``initialize`` is called.
            dtype: Dtype, unless the initializer has its own; ``config.dtype`` if None.
            initializer: See `Parameter`: a callable that fills an array, a number, an array, or None for NaN.

        Raises:
            AttributeError: The attribute exists already.
        """
        if name in self.__dict__:
            raise AttributeError(self._taken("parameter", name))
        if dtype is not None and (initializer is None or isinstance(initializer, Number)):
            initializer = _Constant(np.nan if initializer is None else initializer, np.dtype(dtype))
        with self.init_scope():
            setattr(self, name, Parameter(initializer, shape))

    def add_persistent(self, name: str, value: Any) -> None:
        """Set a new attribute and make it persistent.

        Args:
            name: Name of the attribute.
            value: An array, a number, a string, or a list of those.

        Raises:
            AttributeError: The attribute exists already.
        """
        if name in self.__dict__:
            raise AttributeError(self._taken("persistent value", name))
        setattr(self, name, value)
        self.register_persistent(name)

    def register_persistent(self, name: str) -> None:
        """Make an attribute persistent: it is saved, copied and moved with the link. A parameter is no longer trained.

        Raises:
            AttributeError: There is no such attribute.
        """
        if name not in self.__dict__:
            raise AttributeError(
                f"cannot make {name!r} persistent: {type(self).__name__} has no such attribute; assign it first"
            )
        self._persistent.add(name)
        self._params.discard(name)

    def _own_params(self) -> Iterator[tuple[str, Parameter]]:
        names = sorted(self._params)
        return zip(names, [self.__dict__[name] for name in names], strict=True)

    # --- gradients and updates ---------------------------------------------------------------------------------------

    def cleargrads(self) -> None:
        """Clear the gradients of all parameters. Call it before backward."""
        for param in self.params():
            param.cleargrad()
        if unusual and config.tracers:
            changed(self, "cleargrads")

    def zerograds(self) -> None:
        """Set the gradients of all parameters to zeros. `cleargrads` is faster."""
        for param in self.params():
            param.zerograd()

    def addgrads(self, link: Link) -> None:
        """Add the gradients of another tree with the same structure to the gradients of this tree.

        Raises:
            ValueError: The structures differ. Nothing was added.
        """
        for mine, theirs in pairs(self, link):
            for name, param in mine._own_params():
                param.addgrad(theirs.__dict__[name])

    def enable_update(self) -> None:
        """Let optimizers change the parameters (again)."""
        self._set_update_enabled(True)

    def disable_update(self) -> None:
        """Freeze the parameters: optimizers skip them, even optimizers that are set up later."""
        self._set_update_enabled(False)

    def _set_update_enabled(self, enabled: bool) -> None:
        for param in self.params():
            param.frozen = not enabled
            if param.update_rule is not None:
                param.update_rule.enabled = enabled

    @property
    def update_enabled(self) -> bool:
        """Whether an optimizer changes at least one of the parameters."""
        return any(param.update_rule is not None and param.update_rule.enabled for param in self.params())

    # --- devices -----------------------------------------------------------------------------------------------------

    def to_device(self, device: str | Device) -> Self:
        """Move parameters, gradients and persistent arrays of the tree to a device.

        A link with other arrays, such as the state of a recurrent layer, overrides this: it moves them and calls
        ``super().to_device(device)``.

        Args:
            device: Device or its name, such as ``"numpy"`` or ``"cupy:0"``.

        Returns:
            This link.
        """
        super().to_device(device)
        target = self.device
        for _, param in self._own_params():
            param.to_device(target)
        for name in self._persistent:
            value = self.__dict__.get(name)
            if is_array(value):
                self.__dict__[name] = target.send(value)
        for child in self.children():
            child.to_device(target)
        return self

    # --- copies ------------------------------------------------------------------------------------------------------

    def copy(self, mode: str = "share") -> Self:
        """Copy the tree.

        Args:
            mode: ``"share"``: new links and parameters share the arrays; each copy has its own gradients. ``"copy"``:
                everything is copied, as by `copy.deepcopy`. ``"init"``: like ``"copy"``, then each parameter is
                initialized again.

        Raises:
            ValueError: There is no such mode.
        """
        check_copy_mode(mode)
        if mode == "share":
            made = self._shared_copy()
        else:
            made = copy.deepcopy(self)
            if mode == "init":
                for param in made.params(include_uninit=False):
                    initialize_again(param)
        made.name = None
        return made

    def _shared_copy(self) -> Self:
        """Return a new link that shares the arrays. A link with children overrides it to copy the children too."""
        made = copy.copy(self)
        made._params = set(self._params)
        made._persistent = set(self._persistent)
        for name, param in made._own_params():
            made.__dict__[name] = copy.copy(param)
        return made

    def copyparams(self, link: Link, copy_persistent: bool = True) -> None:
        """Copy the values of another tree with the same structure into this tree.

        Args:
            link: Root of the other tree; it may be on another device.
            copy_persistent: Also copy persistent values.

        Raises:
            ValueError: The structures differ. Nothing was copied.
        """
        for mine, theirs in pairs(self, link, copy_persistent):
            for name, param in mine._own_params():
                param.copydata(theirs.__dict__[name])
            if copy_persistent:
                for name in mine._persistent:
                    mine.__dict__[name] = copied_value(mine.__dict__[name], theirs.__dict__[name])

    def repeat(self, n_repeat: int, mode: str = "init") -> Sequential:
        """Return a `Sequential` of copies of this link.

        Args:
            n_repeat: Number of copies; none if it is 0 or negative.
            mode: See `copy`.

        Raises:
            ValueError: There is no such mode.
        """
        from renga_core.link.sequential import Sequential  # it is a subclass of this class

        check_copy_mode(mode)
        return Sequential(*[self.copy(mode) for _ in range(n_repeat)])

    # --- saving and loading ------------------------------------------------------------------------------------------

    def serialize(self, serializer: AbstractSerializer) -> None:
        """Save or load the parameters and persistent values of the tree.

        A parameter without an array takes the shape of the stored array; its own device and dtype remain.
        """
        for name, param in self._own_params():
            stored = serializer(name, param.array)
            if not param.is_initialized and stored is not None:
                self._initialize_from(param, stored)
        for name in sorted(self._persistent):
            value = self.__dict__[name]
            stored = serializer(name, value)
            self.__dict__[name] = self.device.send(stored) if value is None and is_array(stored) else stored
        for name, child in self._named_children():
            child.serialize(serializer[name])

    @staticmethod
    def _initialize_from(param: Parameter, stored: np.ndarray[Any, Any]) -> None:
        """Give a parameter of unknown shape the array that was loaded for it."""
        # Do not call the initializer: it would draw random numbers, and later draws would differ.
        param.array = param.device.send(np.array(stored, dtype=param.dtype))

    # --- text --------------------------------------------------------------------------------------------------------

    @property
    def printable_specs(self) -> Iterator[tuple[str, Any]]:
        """Names and values to print with the link: by default the parameters' shapes. Override it to print more."""
        for name, param in self._own_params():
            yield name, param.shape if param.is_initialized else "?"

    def _printable_parts(self) -> Iterator[tuple[str, Any]]:
        """The parts to print below this link."""
        return iter(self._named_children())

    def __repr__(self) -> str:
        return describe(type(self).__name__, self.printable_specs, self._printable_parts())


@dataclass(frozen=True)
class _Constant:
    """An initializer that fills with one number, with its own dtype."""

    value: Any
    dtype: Any

    def __call__(self, array: Array) -> None:
        array[...] = self.value


def _shape_and_dtype(spec: Any) -> tuple[Any, Any]:
    """Return a shape, or a pair of shape and dtype, as a pair; the dtype is None if not given."""
    if isinstance(spec, Sequence) and not all(isinstance(size, (int, np.integer, np.ndarray)) for size in spec):
        return tuple(spec)
    return spec, None
