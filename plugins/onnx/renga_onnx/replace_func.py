"""Exports several functions as one node."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from renga_core.backend import Array
from renga_core.graph import FunctionNode, Variable, as_variable, force_backprop_mode, no_backprop_mode
from renga_nn.functions.composed import gradients_of
from renga_onnx.structure import arrays_in, is_input, with_arrays

__all__ = ["as_funcnode", "fake_as_funcnode"]

RenameAttributes = Sequence[tuple[str, str]] | None


class WrappedFunctionNode(FunctionNode):
    """Wraps a function of arrays and other arguments as one node.

    Arguments that are not arrays become attributes of the instance, for converters.

    Args:
        name: Name for external converters.
        function: Function of the inputs; it returns a tuple.
        attributes: Attributes by name.

    Raises:
        ValueError: An attribute has the name of an existing attribute.
    """

    def __init__(self, name: str, function: Callable[..., Any], attributes: Mapping[str, Any]) -> None:
        self.onnx_name = name
        self.custom_function_node_name = name
        self._function = function
        for attribute, value in attributes.items():
            if hasattr(FunctionNode, attribute):
                raise ValueError(
                    f"{name}: argument {attribute!r} has the name of an attribute of every FunctionNode. "
                    f"Next: rename it: pass rename_attributes=[({attribute!r}, …)]"
                )
            setattr(self, attribute, value)

    def forward(self, inputs: tuple[Array, ...]) -> tuple[Array, ...]:
        """Call the function."""
        self.retain_inputs(range(len(inputs)))
        with no_backprop_mode():
            return tuple([y._array for y in self._call(*map(as_variable, inputs))])

    def backward(self, target_input_indexes: tuple[int, ...], grad_outputs: Sequence[Any]) -> Sequence[Any]:
        """Backpropagate through the function's own graph."""
        with force_backprop_mode():
            return gradients_of(self._call, self.get_retained_inputs(), target_input_indexes, grad_outputs)

    def _call(self, *inputs: Variable) -> tuple[Variable, ...]:
        results = self._function(*inputs)
        for y in results:
            if not is_input(y):
                raise TypeError(
                    f"{self.onnx_name}: returned {type(y).__name__}; expected a Variable, or a tuple or list of them"
                )
        return tuple([as_variable(y) for y in results])


def fake_as_funcnode(
    alt_func: Callable[..., Any],
    name: str,
    rename_attributes: RenameAttributes = None,
    experimental_warning: bool = True,
) -> Callable[..., Any]:
    """Wrap `alt_func` so that it is exported as one node, by the external converter `name`.

    Args:
        alt_func: The function. Arguments that contain arrays or Variables, also in lists, tuples and dictionaries,
            become inputs; all others become attributes. It returns a Variable, or a tuple or list of Variables.
        name: Name of the converter.
        rename_attributes: Pairs of an argument's name and the name of its attribute.
        experimental_warning: Has no effect; accepted for compatibility with ONNX-Chainer.
    """
    renamed = dict(rename_attributes or ())
    signature = inspect.signature(alt_func)

    @functools.wraps(alt_func)
    def replaced(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()
        arrays = {key: arrays_in(value) for key, value in bound.arguments.items()}
        inputs = [array for found in arrays.values() for array in found]
        others = {renamed.get(key, key): value for key, value in bound.arguments.items() if not arrays[key]}
        if not inputs:
            raise TypeError(f"{name}: none of its arguments is an array or a Variable, which would become an input")
        structure: list[Callable[[Any], Any]] = []

        def function(*variables: Variable) -> tuple[Any, ...]:
            rest = iter(variables)
            given = inspect.BoundArguments(signature, type(bound.arguments)(bound.arguments))
            given.arguments.update({key: with_arrays(bound.arguments[key], rest) for key in arrays if arrays[key]})
            results = alt_func(*given.args, **given.kwargs)
            several = isinstance(results, (list, tuple))
            structure[:] = [(list if isinstance(results, list) else tuple) if several else operator.itemgetter(0)]
            return tuple(results) if several else (results,)

        outputs = WrappedFunctionNode(name, function, others).apply(inputs)
        return structure[0](outputs)

    return replaced


def as_funcnode(name: str, rename_attributes: RenameAttributes = None) -> Callable[..., Any]:
    """Like `fake_as_funcnode`, as a decorator: ``@as_funcnode("MyFunction")``."""

    def decorate(function: Callable[..., Any]) -> Callable[..., Any]:
        return fake_as_funcnode(function, name, rename_attributes)

    return decorate
