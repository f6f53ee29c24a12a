"""Objects of oneDNN that are destroyed with the Python object that holds them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from typing import Any, NamedTuple

from renga_kernels_onednn.library import (
    ANY,
    ARGUMENT_DESCRIPTOR,
    BFLOAT16,
    FLOAT32,
    IMPLEMENTATION,
    NUMBER_OF_INPUTS,
    SCRATCHPAD,
    check,
    library,
)

__all__ = ["Added", "Description", "Function", "Handle", "Layout", "dims", "number"]

Ints = Sequence[int]

_DATA_TYPES = {2: BFLOAT16, 4: FLOAT32}
"""oneDNN's data type for each element size: the two dtypes that this plugin computes with."""


class Handle:
    """Owns an object of the library.

    Args:
        create: Name of the function that makes it.
        destroy: Name of the function that destroys it.
        what: Name of the object, for errors.
        args: Further arguments of `create`.
    """

    def __init__(self, create: str, destroy: str, what: str, *args: Any) -> None:
        calls = library().calls
        self.pointer = ctypes.c_void_p()
        self._destroy = getattr(calls, destroy)
        check(getattr(calls, create)(ctypes.byref(self.pointer), *args), what)

    def __del__(self) -> None:
        if getattr(self, "pointer", None):
            self._destroy(self.pointer)


def dims(numbers: Ints) -> Any:
    """Sizes or strides as oneDNN takes them."""
    return (ctypes.c_int64 * 12)(*numbers)


def number(value: float) -> Any:
    """A floating number as oneDNN takes it."""
    return ctypes.c_float(value)


class Layout(Handle):
    """The shape of an array and how it lies in memory (``dnnl_memory_desc``).

    Args:
        shape: Shape.
        strides: In elements; with None the primitive chooses.
        itemsize: Bytes of an element: 4 for float32, 2 for bfloat16.
    """

    def __init__(self, shape: Ints, strides: Ints | None, itemsize: int = 4) -> None:
        create = "dnnl_memory_desc_create_with_" + ("tag" if strides is None else "strides")
        last = ANY if strides is None else dims(strides)
        what = f"an array of shape {tuple(shape)}"
        super().__init__(create, "dnnl_memory_desc_destroy", what, len(shape), dims(shape), _DATA_TYPES[itemsize], last)


class Added(NamedTuple):
    """A post-op of a primitive: add the previous content of the result's array, times a factor."""

    factor: float


class Function(NamedTuple):
    """A post-op of a primitive: an elementwise function; for `alpha` and `beta` see oneDNN's table."""

    algorithm: int
    alpha: float = 0.0
    beta: float = 0.0


class Description(Handle):
    """What a primitive is to compute (``dnnl_primitive_desc``); its scratchpad is ours.

    Args:
        kind: Its name in the library: ``convolution_forward``.
        args: What the library takes for that kind, between engine and attributes.
        and_then: Steps for each result, in this order: `Added`, `Function`, or a pair of an algorithm and a layout. In
            the last case, the other operand is the element of a second array with this layout.
    """

    def __init__(self, kind: str, *args: Any, and_then: Sequence[Added | Function | tuple[int, Layout]] = ()) -> None:
        self.kind = kind
        attributes = Handle("dnnl_primitive_attr_create", "dnnl_primitive_attr_destroy", "attributes of a primitive")
        calls, engine = library().calls, library().engine
        check(calls.dnnl_primitive_attr_set_scratchpad_mode(attributes.pointer, 1), "attributes")
        if and_then:
            steps = Handle("dnnl_post_ops_create", "dnnl_post_ops_destroy", "steps after a primitive")
            for step in and_then:
                if isinstance(step, Added):
                    check(calls.dnnl_post_ops_append_sum(steps.pointer, number(step.factor), 0, 0), kind)
                elif isinstance(step, Function):
                    function = step.algorithm, number(step.alpha), number(step.beta)
                    check(calls.dnnl_post_ops_append_eltwise(steps.pointer, *function), kind)
                else:
                    algorithm, layout = step
                    check(calls.dnnl_post_ops_append_binary(steps.pointer, algorithm, layout.pointer), kind)
            check(calls.dnnl_primitive_attr_set_post_ops(attributes.pointer, steps.pointer), "attributes")
        raw = [x.pointer if isinstance(x, Handle) else x for x in args]
        # A reorder has an engine for each of its two sides.
        before = [raw[0], engine, raw[1], engine] if kind == "reorder" else [engine, *raw]
        create = f"dnnl_{kind}_primitive_desc_create"
        super().__init__(create, "dnnl_primitive_desc_destroy", kind, *before, attributes.pointer)

    def layout(self, argument: int) -> Any:
        """The layout of an argument, valid while this description exists."""
        query = library().calls.dnnl_primitive_desc_query_md
        return ctypes.c_void_p(query(self.pointer, ARGUMENT_DESCRIPTOR, argument))

    @property
    def implementation(self) -> str:
        """The name of oneDNN's implementation, such as ``brgconv:avx512_core``."""
        name = ctypes.c_char_p()
        query = library().calls.dnnl_primitive_desc_query
        check(query(self.pointer, IMPLEMENTATION, 0, ctypes.byref(name)), self.kind)
        return (name.value or b"").decode()

    def without(self, word: str) -> Description:
        """This description with the first implementation whose name does not contain `word`, or else the last one.

        If this is a backward computation, the forward description that it was made with must still exist.
        """
        while word in self.implementation:
            if library().calls.dnnl_primitive_desc_next_impl(self.pointer):
                break
        return self

    @property
    def inputs(self) -> int:
        """How many arguments it reads."""
        found = ctypes.c_int()
        check(
            library().calls.dnnl_primitive_desc_query(self.pointer, NUMBER_OF_INPUTS, 0, ctypes.byref(found)), self.kind
        )
        return found.value

    def bytes(self, argument: int) -> int:
        """Bytes of memory that an argument takes."""
        layout = self.layout(argument)
        return int(library().calls.dnnl_memory_desc_get_size(layout)) if layout else 0

    @property
    def scratchpad(self) -> int:
        """Bytes of scratch memory that the computation needs."""
        return self.bytes(SCRATCHPAD)
